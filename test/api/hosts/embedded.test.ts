import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { documentedBlocks } from '../../support/clients/documented-blocks.js';
import { expectSoon } from '../../support/expect-soon.js';
import { newDatabase } from '../../support/database/new-database.js';
import { testRedisUrl } from '../../support/processes/test-services.js';
import { startHost, type Host } from '../../support/processes/start-host.js';
import { newFolder } from '../../support/suite.js';

const run = promisify(execFile);

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

  it('is written as the guide shows it, whose request uses the tool', async () => {
    const [, block, asking] = documentedBlocks().get('docs/guide/inside-your-application.md') ?? [];
    const listening = `const server = app.listen(0, '127.0.0.1', () =>
      console.log('http://127.0.0.1:' + server.address().port));`;
    const program = (block?.code ?? '')
      .replace(".turnpike-embedded'", `${newFolder()}'`)
      .replace("app.listen(3000, '127.0.0.1');", listening);
    mkdirSync(path.join(packageRoot, 'build'), { recursive: true });
    const file = 'build/documented-host.mjs';
    writeFileSync(path.join(packageRoot, file), program);
    const url = await start(file).line();
    const command = (asking?.code ?? '').replace('http://localhost:3000', url);
    const { stdout } = await run('bash', ['-c', command]);
    expect(stdout).toContain('Order 7 left the warehouse at nine.');
    // The users of an application have no keys.
    const nobody = new TurnpikeClient({ url: `${url}/agents` }).sessions.list();
    await expect(nobody).rejects.toMatchObject({
      status: 401,
      message: expect.stringMatching(
        /^The application does not say .* authenticate of createTurnpike [^]*(?<!keys create.*)$/,
      ),
    });
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

  it('ends what its client asks when it is closed, and then keeps no process', async () => {
    const host = start('test/fixtures/hosts/closing-host.mjs', { DATA_DIR: newFolder() });
    const closed = ['CLOSED', false];
    expect(JSON.parse(await host.line())).toEqual({
      reading: closed,
      later: [closed, closed, closed],
    });
    expect(await host.end()).toBe(0);
  });

  describe('whose requests are those of fetch', () => {
    let host: Host;
    let client: TurnpikeClient;
    let url: string;
    beforeAll(async () => {
      host = startHost('test/fixtures/hosts/fetch-host.mjs', { DATA_DIR: newFolder() });
      url = `${await host.line()}/agents`;
      client = new TurnpikeClient({ url });
    });
    afterAll(() => host.end('SIGKILL'));

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

  it('streams through a host that compresses answers, and says so where one read a body before', async () => {
    const host = start('test/fixtures/hosts/express-host.mjs', { DATA_DIR: newFolder() });
    const served = await host.line();
    const reading = new TurnpikeClient({ url: `${served}/read` });
    await expect(reading.sessions.create()).rejects.toMatchObject({
      code: 'BODY_CONSUMED',
      status: 500,
      message: expect.stringContaining('before express.json()'),
    });
    const url = `${served}/agents`;
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

  it('goes on after it was killed, with calls by the tools that they were made with', async () => {
    const runs = newFolder();
    const environment = { DATA_DIR: newFolder(), RUNS: runs };
    const running = { effect: 'read', hangs: true };
    const schema = { type: 'object', properties: { id: { type: 'string' }, all: {} } };
    // A call that ran is run again by the class that its tool had when it was made.
    const before = {
      never: { ...running, retry: 'never' },
      safe: { ...running, retry: 'safe' },
      changed: { ...running, retry: 'never' },
    };
    // These wait for a person.
    const changed = {
      same: {},
      with_schema: { inputSchema: schema },
      with_effect: { effect: 'read' },
      with_retry: { retry: 'safe' },
    };
    const waiting = Object.fromEntries([...Object.keys(changed), 'gone'].map((name) => [name, {}]));
    const file = 'test/fixtures/hosts/tool-host.mjs';
    const first = start(file, {
      ...environment,
      TOOLS: JSON.stringify({ ...before, ...waiting }),
    });
    const turns = await first.line();
    const isRunning = (name: string): boolean => existsSync(path.join(runs, name));
    await expectSoon(() => expect(Object.keys(before).every(isRunning)).toBe(true));
    await first.end('SIGKILL');

    const second = start(file, {
      ...environment,
      TOOLS: JSON.stringify({
        ...before,
        changed: { ...running, retry: 'safe' },
        ...changed,
      }),
      TURNS: turns,
    });
    const found = JSON.parse(await second.line()) as Record<string, unknown>;
    const outcome = (status: string, output: unknown): object => ({
      outcome: 'completed',
      text: expect.any(String),
      shown: [[status, output]],
    });
    const isRead = (status: string, output: string): object => ({
      ...outcome(status, expect.stringContaining(output)),
      // The model has read it.
      text: expect.stringContaining(output),
    });
    const hasChanged = (name: string): object =>
      isRead('error', `the tool ${name} has changed since this call was made`);
    expect(found).toEqual({
      never: outcome('unknown', expect.anything()),
      safe: isRead('success', 'paid'),
      changed: outcome('unknown', expect.anything()),
      same: isRead('success', 'paid'),
      with_schema: hasChanged('with_schema'),
      with_effect: hasChanged('with_effect'),
      with_retry: hasChanged('with_retry'),
      gone: isRead('error', 'the tool gone is gone since this call was made'),
    });
    expect(await second.end()).toBe(0);
    const ran = readdirSync(runs).map((name) => [
      name,
      readFileSync(path.join(runs, name), 'utf8'),
    ]);
    expect(Object.fromEntries(ran)).toEqual({
      never: 'run\n',
      safe: 'run\nrun\n',
      changed: 'run\n',
      same: 'run\n',
    });
  });
});
