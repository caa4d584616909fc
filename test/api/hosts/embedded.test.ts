import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { documentedBlocks } from '../../support/clients/documented-blocks.js';
import { expectSoon } from '../../support/expect-soon.js';
import { newDatabase } from '../../support/database/new-database.js';
import { testRedisUrl } from '../../support/processes/test-services.js';
import { startHost, type Host } from '../../support/processes/start-host.js';
import { newFolder } from '../../support/suite.js';

interface State {
  listeners: [string, number][];
  exitCode: number | null;
}

interface Untouched {
  before: State;
  after: State;
  read: string[];
  written: number;
  lists: (string | number)[][];
}

describe('a Turnpike inside of an application', () => {
  const hosts: Host[] = [];
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.end('SIGKILL')));
  });
  const start = (file: string, environment: Record<string, string> = {}): Host => {
    const host = startHost(file, environment);
    hosts.push(host);
    return host;
  };

  it.each(['express', 'fastify', 'hono', 'node'])(
    'answers below its path, for the users of the application: %s',
    async (name) => {
      const host = start(`examples/embedded/${name}.mjs`, { DATA_DIR: newFolder() });
      const url = await host.line();
      const agents = `${url}/agents`;
      const client = new TurnpikeClient({ url: agents, headers: { 'x-user': 'ada' } });
      const { sessionId } = await client.sessions.create();
      const message = '[[tool=order_status {"id":"7"}]]';
      const turn = await client.turn({ sessionId, message, opts: { tools: ['order_status'] } });
      expect((await turn.result()).text).toContain('Order 7 left the warehouse at nine.');

      const ben = new TurnpikeClient({ url: agents, headers: { 'x-user': 'ben' } });
      await expect(ben.sessions.get(sessionId)).rejects.toMatchObject({ status: 404 });
      const nobody = new TurnpikeClient({ url: agents });
      await expect(nobody.sessions.list()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });

      const order = {
        method: 'POST',
        body: '{"a":1}',
        headers: { 'content-type': 'application/json' },
      };
      const own = await fetch(`${url}/orders`, order);
      expect(await own.text()).toBe(name === 'node' ? 'The page of the application' : '{"a":1}');
      expect(await host.end('SIGTERM')).toBe(0);
    },
  );

  it('is written as the guide shows it', async () => {
    const [block] = documentedBlocks().get('docs/guide/inside-your-application.md') ?? [];
    const listening = `const server = app.listen(0, '127.0.0.1', () =>
      console.log('http://127.0.0.1:' + server.address().port));`;
    const named = (block?.code ?? '').replace(".turnpike-embedded'", `${newFolder()}'`);
    mkdirSync(path.join(packageRoot, 'build'), { recursive: true });
    const program = `import http from 'node:http';\nhttp.IncomingMessage.prototype.user = 'ada';\n${named}`;
    const file = 'build/documented-host.mjs';
    writeFileSync(path.join(packageRoot, file), program.replace('app.listen(3000);', listening));
    const host = start(file);
    const client = new TurnpikeClient({ url: `${await host.line()}/agents` });
    const { sessionId } = await client.sessions.create();
    const message = '[[tool=order_status {"id":"7"}]]';
    const turn = await client.turn({ sessionId, message, opts: { tools: ['order_status'] } });
    expect((await turn.result()).text).toContain('Order 7 left the warehouse at nine.');
  });

  it('leaves the process as it was, two at a time', async () => {
    const host = start('test/fixtures/hosts/untouched.mjs', {
      TURNPIKE_PORT: 'not a port',
      ANTHROPIC_API_KEY: 'sk-ant-of-the-host',
    });
    const found = JSON.parse(await host.line()) as Untouched;
    expect(found.after).toEqual(found.before);
    // The SDK reads it whenever it makes a client; no option of it says otherwise.
    expect(found.read).toEqual(['ANTHROPIC_CUSTOM_HEADERS']);
    expect(found.written).toBe(0);
    // Each has sessions of its own, and each principal.
    expect(found.lists).toEqual([
      [0, 'completed', 1],
      [0, 0],
      [1, 'completed', 1],
      [1, 0],
    ]);
    // Nothing keeps it alive.
    expect(await host.end()).toBe(0);
  });

  it('says so where the application read a body before', async () => {
    const host = start('test/fixtures/hosts/body-parser.mjs', { DATA_DIR: newFolder() });
    const client = new TurnpikeClient({ url: `${await host.line()}/agents` });
    await expect(client.sessions.create()).rejects.toMatchObject({
      code: 'BODY_CONSUMED',
      status: 500,
      message: expect.stringContaining('before express.json()'),
    });
  });

  describe('whose requests are those of fetch', () => {
    let client: TurnpikeClient;
    let url: string;
    beforeEach(async () => {
      const host = start('test/fixtures/hosts/fetch-host.mjs', { DATA_DIR: newFolder() });
      url = `${await host.line()}/agents`;
      client = new TurnpikeClient({ url });
    });

    it('says so where the application read a body before', async () => {
      const reading = new TurnpikeClient({ url, headers: { 'x-read': 'yes' } });
      await expect(reading.sessions.create()).rejects.toMatchObject({
        code: 'BODY_CONSUMED',
        status: 500,
      });
    });

    it('streams, and knows when a reader leaves', async () => {
      const { sessionId } = await client.sessions.create();
      const turn = await client.turn({ sessionId, message: '[[tokens=5000 gap=20]]' });
      for await (const { event } of turn) if (event === 'chat:delta') break;
      await expectSoon(async () => {
        const { status } = await client.turns.get(turn.turnId);
        expect(status).toBe('interrupted');
      });
    });
  });

  it('streams through a host that compresses answers', async () => {
    const host = start('test/fixtures/hosts/compression.mjs', { DATA_DIR: newFolder() });
    const url = `${await host.line()}/agents`;
    const document = await fetch(`${url}/docs-json`);
    expect(document.headers.get('content-encoding')).toBe('gzip');
    const client = new TurnpikeClient({ url });
    const { sessionId } = await client.sessions.create();
    const turn = await client.turn({ sessionId, message: '[[tokens=5000 gap=20]]' });
    // A host that waited for the end of the answer would send nothing for more than a minute.
    for await (const { event } of turn) if (event === 'chat:delta') break;
    await turn.interrupt();
  });

  it('lives on when a tool blocks its event loop, and another process runs the turn', async () => {
    const database = await newDatabase();
    const folder = newFolder();
    const environment = {
      DATABASE_URL: database.url,
      REDIS_URL: testRedisUrl(),
      PREFIX: `test-${randomUUID()}`,
      RUNS: path.join(folder, 'runs'),
    };
    const unblock = path.join(folder, 'unblock');
    const file = 'test/fixtures/hosts/blocked-loop.mjs';
    const blocked = start(file, { ...environment, UNBLOCK: unblock });
    const turnId = await blocked.line();
    while (!existsSync(environment.RUNS)) await new Promise((resolve) => setImmediate(resolve));
    const other = start(file, { ...environment, TURN: turnId });
    const text = expect.stringContaining('of the other process');
    expect(JSON.parse(await other.line())).toEqual({ outcome: 'completed', text });
    expect(await other.end()).toBe(0);
    expect(readFileSync(environment.RUNS, 'utf8')).toBe('run\nrun\n');

    writeFileSync(unblock, '');
    expect(JSON.parse(await blocked.line())).toEqual({
      shown: [
        ['completed', text],
        ['completed', expect.stringContaining('You wrote: "Hello"')],
      ],
      warnings: expect.arrayContaining([
        expect.stringContaining('something blocked the event loop of this application'),
      ]),
    });
    expect(await blocked.end()).toBe(0);
    await database.drop();
  });

  it.each([
    ['never', 'unknown', 1],
    ['safe', 'success', 2],
  ])('goes on after the host was killed in a tool: retry %s', async (retry, status, runs) => {
    const folder = newFolder();
    const environment = { DATA_DIR: folder, RUNS: path.join(folder, 'runs'), RETRY: retry };
    const first = start('test/fixtures/hosts/tool-host.mjs', environment);
    const turnId = await first.line();
    while (!existsSync(environment.RUNS)) await new Promise((resolve) => setImmediate(resolve));
    await first.end('SIGKILL');

    const second = start('test/fixtures/hosts/tool-host.mjs', { ...environment, TURN: turnId });
    expect(JSON.parse(await second.line())).toEqual({
      outcome: 'completed',
      calls: [['pay', status]],
    });
    expect(await second.end()).toBe(0);
    expect(readFileSync(environment.RUNS, 'utf8')).toBe('run\n'.repeat(runs));
  });

  it('does not run a lost call again because its tool has become one that may', async () => {
    const folder = newFolder();
    const environment = { DATA_DIR: folder, RUNS: path.join(folder, 'runs') };
    const first = start('test/fixtures/hosts/tool-host.mjs', { ...environment, RETRY: 'never' });
    const turnId = await first.line();
    while (!existsSync(environment.RUNS)) await new Promise((resolve) => setImmediate(resolve));
    await first.end('SIGKILL');

    const again = { ...environment, RETRY: 'safe', TURN: turnId };
    const second = start('test/fixtures/hosts/tool-host.mjs', again);
    expect(JSON.parse(await second.line())).toEqual({
      outcome: 'completed',
      calls: [['pay', 'unknown']],
    });
    expect(readFileSync(environment.RUNS, 'utf8')).toBe('run\n');
  });

  const changed = 'the tool refund has changed since this call was made';
  it.each([
    ['as it was', {}, 'success', 'paid back'],
    [
      'with another schema',
      { inputSchema: { type: 'object', properties: { id: { type: 'string' }, all: {} } } },
      'error',
      changed,
    ],
    ['with another effect', { effect: 'read' }, 'error', changed],
    ['with another retry class', { retry: 'safe' }, 'error', changed],
    ['gone', undefined, 'error', 'the tool refund is gone since this call was made'],
  ])(
    'runs a call that waited for a person by the tool that it was made with: the tool is %s',
    async (_how, traits, status, output) => {
      const folder = newFolder();
      const environment = { DATA_DIR: folder, RUNS: path.join(folder, 'runs') };
      const first = start('test/fixtures/hosts/waiting-tool.mjs', { ...environment, TOOL: '{}' });
      const turnId = await first.line();
      await first.end('SIGKILL');

      const second = start('test/fixtures/hosts/waiting-tool.mjs', {
        ...environment,
        TURN: turnId,
        ...(traits && { TOOL: JSON.stringify(traits) }),
      });
      expect(JSON.parse(await second.line())).toEqual({
        outcome: 'completed',
        // The model has read it.
        text: expect.stringContaining(output),
        shown: [[status, expect.stringContaining(output)]],
      });
      expect(existsSync(environment.RUNS)).toBe(status === 'success');
    },
  );
});
