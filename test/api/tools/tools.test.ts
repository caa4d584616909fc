import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { ReadFrame } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';

const call = (name: string, input: object): string => `[[tool=${name} ${JSON.stringify(input)}]]`;

describe('tools', () => {
  const root = instructionRootWith({
    SHELL: ['auto_approve_tools: [bash]'],
    WRITER: ['auto_approve_tools: [write]', 'disallowed_tools: [grep]'],
    LIMITED: ['max_turns: 2', 'tools: [glob]'],
    LISTING: ['tools: [bash, read]'],
    PLAIN: ['description: Has what every turn has'],
  });
  const server = useServer({
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_TOOL_TIMEOUT_MS: '1000',
      TURNPIKE_TOOL_OUTPUT_LIMIT: '500',
    },
  });
  beforeAll(async () => {
    await writeFile(path.join(server.projectRoot, 'notes.md'), 'alpha\nbeta\n');
    await mkdir(path.join(server.projectRoot, 'docs'));
    await writeFile(path.join(server.projectRoot, 'docs', 'deep.md'), 'gamma');
  });

  async function run(
    message: string,
    opts: object = {},
    session: Record<string, unknown> = {},
  ): Promise<{ frames: ReadFrame[]; results: Record<string, unknown>[]; sessionId: string }> {
    const sessionId = await server.client.createSession(server.projectRoot, session);
    const stream = await server.client.turn(sessionId, message, { opts });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    const results = frames.filter((f) => f.event === 'tool:result').map((f) => f.data);
    return { frames, results, sessionId };
  }

  const offered = (): string[] =>
    (server.modelRequests.at(-1)?.body.tools ?? []).map((tool) => tool.name);

  it('read, find and search in the project, several in a step, answered in call order', async () => {
    const { results } = await run(
      [
        call('read', { file_path: 'notes.md' }),
        call('glob', { pattern: '**/*.md' }),
        call('grep', { pattern: 'gam+a' }),
      ].join(' '),
    );
    expect(results.map((result) => [result['name'], result['ok']])).toEqual(
      expect.arrayContaining([
        ['read', true],
        ['glob', true],
        ['grep', true],
      ]),
    );
    const sent = server.modelRequests.at(-1)?.body.messages.at(-1)?.content;
    const outputs = JSON.stringify(sent);
    const offsets = ['alpha', 'docs/deep.md', 'gamma'].map((word) => outputs.indexOf(word));
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    expect(offsets).not.toContain(-1);
  });

  it('write and edit in mode acceptEdits, one after the other', async () => {
    const { results } = await run(
      [
        call('write', { file_path: 'new.txt', content: 'one' }),
        call('edit', { file_path: 'new.txt', old_string: 'one', new_string: 'two' }),
      ].join(' '),
      { mode: 'acceptEdits' },
    );
    expect(results.map((result) => result['ok'])).toEqual([true, true]);
    expect(await readFile(path.join(server.projectRoot, 'new.txt'), 'utf8')).toBe('two');
  });

  it.each([
    ['dontAsk', {}, 'mode dontAsk asks nobody'],
    ['plan', { persona: 'WRITER' }, 'mode plan is read-only'],
  ])('do not write in mode %s, and say why', async (mode, session, why) => {
    const { results } = await run(
      call('write', { file_path: 'no.txt', content: 'x' }),
      { mode },
      session,
    );
    expect(results).toEqual([
      expect.objectContaining({
        name: 'write',
        ok: false,
        status: 'denied',
        output: expect.stringMatching(/permission denied/),
      }),
    ]);
    expect(results[0]?.['output']).toContain(why);
    await expect(readFile(path.join(server.projectRoot, 'no.txt'))).rejects.toThrow();
  });

  it('write in mode dontAsk when the persona approves it in advance', async () => {
    const message = call('write', { file_path: 'yes.txt', content: 'x' });
    const { results } = await run(message, {}, { persona: 'WRITER', mode: 'dontAsk' });
    expect(results[0]).toMatchObject({ ok: true });
  });

  it('that a persona disallows are not offered, and denied when called', async () => {
    const { results } = await run(
      call('grep', { pattern: 'x' }),
      { tools: ['grep', 'read'] },
      { persona: 'WRITER' },
    );
    expect(results[0]).toMatchObject({ ok: false, status: 'denied' });
    expect(offered()).toEqual(['read']);
  });

  it('fall under the rules of their session, by what they are called with', async () => {
    const permissions = {
      allow: ['bash(echo *)', 'write(docs/**)'],
      deny: ['bash(*secret*)', 'read(private/**)'],
    };
    await mkdir(path.join(server.projectRoot, 'private'));
    await symlink('private', path.join(server.projectRoot, 'open'));
    const { results } = await run(
      [
        call('bash', { command: 'echo one' }),
        call('bash', { command: 'echo secret' }),
        call('bash', { command: 'echo two; id' }),
        call('write', { file_path: 'docs/new.md', content: 'x' }),
        call('write', { file_path: 'new.md', content: 'x' }),
        call('read', { file_path: 'open/key' }),
      ].join(' '),
      { mode: 'dontAsk', agentConfig: { max_tool_calls_per_turn: 10 } },
      { permissions, persona: 'PLAIN' },
    );
    expect(results.map(({ ok, output }) => [ok, String(output).split('.')[0]])).toEqual([
      [true, 'one'],
      [false, 'permission denied: the session denies bash(*secret*)'],
      [false, expect.stringMatching(/^permission denied: bash runs commands, so the turn itself/)],
      [true, expect.stringMatching(/^wrote/)],
      [false, expect.stringMatching(/^permission denied: write is not pre-approved/)],
      [false, 'permission denied: the session denies read(private/**)'],
    ]);
  });

  it('never leave the project: absolute paths, .., symlinks', async () => {
    await writeFile(path.join(tmpdir(), 'turnpike-outside.txt'), 'secret');
    await symlink(tmpdir(), path.join(server.projectRoot, 'out'));
    const { results } = await run(
      [
        call('read', { file_path: path.join(tmpdir(), 'turnpike-outside.txt') }),
        call('read', { file_path: '../turnpike-outside.txt' }),
        call('read', { file_path: 'out/turnpike-outside.txt' }),
        call('glob', { pattern: 'out/*.txt' }),
      ].join(' '),
    );
    expect(JSON.stringify(results)).not.toContain('secret');
    const reads = results.filter(({ name }) => name === 'read');
    expect(reads.map((result) => result['ok'])).toEqual([false, false, false]);
  });

  it('that fail, do not exist or are called wrongly are results for the model', async () => {
    const { results } = await run(
      [
        call('read', { file_path: 'none.md' }),
        call('fly', {}),
        call('read', { path: 'notes.md' }),
      ].join(' '),
    );
    const outputs = new Map(results.map((result) => [result['output'], result['ok']]));
    expect([...outputs.values()]).toEqual([false, false, false]);
    expect([...outputs.keys()].join('\n')).toContain('There is no tool fly. Tools of this turn: ');
    expect([...outputs.keys()].join('\n')).toContain('file_path');
  });

  it('include bash only when opts.tools names it or a rule allows it', async () => {
    await run('Hello');
    expect(offered()).not.toContain('bash');
    const denied = await run(call('bash', { command: 'id' }));
    expect(denied.results[0]).toMatchObject({ ok: false });
    await run('Hello', {}, { persona: 'SHELL' });
    expect(offered()).toContain('bash');
    const { results } = await run(
      call('bash', { command: 'pwd; env' }),
      { tools: ['bash'] },
      { persona: 'SHELL' },
    );
    expect(offered()).toEqual(['bash']);
    expect(results[0]).toMatchObject({ ok: true });
    const output = String(results[0]?.['output']);
    expect(output).toContain(server.projectRoot);
    expect(output).not.toMatch(/ANTHROPIC|TURNPIKE_|sk-ant/);
  });

  it('that an agent lists and a turn goes without are named', async () => {
    const leftOut = (frames: ReadFrame[]) =>
      frames.filter(({ data }) => data['kind'] === 'tool-left-out').map(({ data }) => data);
    const without = await run('Hello', {}, { persona: 'LISTING' });
    expect(offered()).toEqual(['read']);
    expect(leftOut(without.frames)).toEqual([
      expect.objectContaining({
        text: expect.stringContaining('The turn goes without bash, which its agent lists'),
        metadata: { tool: 'bash' },
      }),
    ]);
    const named = await run('Hello', { tools: ['bash', 'read'] }, { persona: 'LISTING' });
    const allowed = { allow: ['bash(git *)'] };
    const ruled = await run('Hello', {}, { persona: 'LISTING', permissions: allowed });
    expect([named, ruled].flatMap(({ frames }) => leftOut(frames))).toEqual([]);
  });

  it('are aborted when they take too long', async () => {
    const { results } = await run(
      call('bash', { command: 'sleep 30' }),
      { tools: ['bash'] },
      { persona: 'SHELL' },
    );
    expect(results[0]).toMatchObject({ ok: false, output: expect.stringContaining('timed out') });
  });

  it('have their output cut in the middle, with a marker', async () => {
    await writeFile(path.join(server.projectRoot, 'long.txt'), `${'a'.repeat(900)}END`);
    const { results } = await run(call('read', { file_path: 'long.txt' }));
    const output = String(results[0]?.['output']);
    expect(output).toContain('[output cut: 500 of 903 characters shown]');
    expect(output.endsWith('END')).toBe(true);
  });

  it.each(['direct', 'Direct'])('ask before they write in mode %s', async (mode) => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const write = call('write', { file_path: 'no.txt', content: 'x' });
    const stream = await client.turn(sessionId, write, { opts: { mode } });
    const { data } = await stream.until('approval:request');
    expect(data['reason']).toBe('write needs an approval in mode direct');
    await client.post('/api/harness/interrupt', { sessionId });
    await stream.all();
    await expect(readFile(path.join(projectRoot, 'no.txt'))).rejects.toThrow();
  });

  it('are kept in a ledger that clients read, a page at a time', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const message = `${call('glob', { pattern: '*' })} ${call('write', { file_path: 'x', content: '' })}`;
    const stream = await server.client.turn(sessionId, message, { opts: { mode: 'dontAsk' } });
    await stream.all();
    const url = `/api/harness/turns/${stream.header('x-turn-id') ?? ''}/tools`;
    const { body } = await server.client.get(url);
    const calls = body['calls'] as Record<string, unknown>[];
    expect(calls).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'glob',
          step: 1,
          attempt: 1,
          input: { pattern: '*' },
          status: 'success',
          output: expect.stringContaining('notes.md'),
          retry: 'safe',
          claimedAt: expect.any(String),
          endedAt: expect.any(String),
        }),
        expect.objectContaining({ name: 'write', status: 'denied', retry: 'never' }),
      ]),
    );
    // In the order of the model's reply, whatever their ids are.
    expect(calls.map(({ name }) => name)).toEqual(['glob', 'write']);
    const first = await server.client.get(`${url}?limit=1`);
    const next = encodeURIComponent(String(first.body['nextCursor']));
    const second = await server.client.get(`${url}?limit=1&cursor=${next}`);
    expect([first, second].flatMap((page) => page.body['calls'])).toEqual(calls);
    expect(second.body).not.toHaveProperty('nextCursor');
    for (const cursor of ['x', '1:', '-1:a', `1:${'a'.repeat(300)}`, '1:%00']) {
      expect((await server.client.get(`${url}?cursor=${cursor}`)).status).toBe(400);
    }
    const none = await server.client.get('/api/harness/turns/turn_x/tools');
    expect([none.status, none.body['error']]).toMatchObject([404, { type: 'TURN_NOT_FOUND' }]);
  });

  it('are listed in the order of each reply, page by page', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const names = Array.from({ length: 9 }, (_, index) => `n${index}*`);
    const message = names.map((pattern) => call('glob', { pattern })).join(' ');
    const stream = await server.client.turn(sessionId, message);
    await stream.all();
    const url = `/api/harness/turns/${stream.header('x-turn-id') ?? ''}/tools?limit=4`;
    const listed: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body } = await server.client.get(`${url}${cursor}`);
      for (const { input } of body['calls'] as { input: { pattern: string } }[])
        listed.push(input.pattern);
      const { nextCursor } = body as { nextCursor?: string };
      if (nextCursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    expect(listed).toEqual(names);
  });

  it('are none when opts.tools is empty', async () => {
    await run('Hello', { tools: [] });
    expect(offered()).toEqual([]);
  });

  it('end at the turn’s limit: its last call has none, and the session goes on', async () => {
    const { frames, results, sessionId } = await run(
      '[[loop=9 tool=glob {"pattern":"a$i"}]]',
      {},
      { persona: 'LIMITED' },
    );
    expect(frames.find((frame) => frame.event === 'turn:end')?.data).toMatchObject({
      outcome: 'limited',
      reason: 'max_turns',
    });
    expect(results.map((result) => result['status'])).toEqual(['success']);
    expect(server.modelRequests.at(-1)?.body['tool_choice']).toEqual({ type: 'none' });
    const next = await server.client.turn(sessionId, 'Go on');
    expect((await next.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain(
      '[This reply was cut off: max_turns.]',
    );
  });
});

describe('options', () => {
  const server = useServer({ environment: { TURNPIKE_MODEL: 'claude-opus-4-8' } });

  it('name tools: those that the turn has none for are told, with what may be meant', async () => {
    const { client, projectRoot } = server;
    const noticesOf = async (tools: string[]) => {
      const sessionId = await client.createSession(projectRoot);
      const frames = await (await client.turn(sessionId, 'Hello', { opts: { tools } })).all();
      return frames.flatMap(({ event, data }) => (event === 'system:notice' ? [data] : []));
    };
    expect(await noticesOf(['glob', 'raed', 'reads'])).toEqual([
      expect.objectContaining({
        kind: 'tools-unknown',
        text: 'The turn has no tool for these names in opts.tools: "raed" (do you mean read?), "reads" (do you mean read?).',
      }),
    ]);
    expect(await noticesOf(['glob', 'read', 'todo_write', 'load_skill'])).toEqual([]);
  });

  it('are resolved once, kept with where each came from, and what was ignored is said', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { mode: 'plan' });
    const opts = { maxTurns: 0, tools: ['glob'], color: 'red', onDisconnect: 'continue' };
    const stream = await client.turn(sessionId, 'Hello', { opts });
    await stream.all();
    const notice = stream.frames.find((frame) => frame.event === 'system:notice')?.data;
    expect(notice).toMatchObject({ kind: 'options-ignored', level: 'message' });
    expect(String(notice?.['text'])).toContain('maxTurns');
    expect(String(notice?.['text'])).toContain('color');
    const { body } = await client.get(`/api/harness/turns/${stream.header('x-turn-id')}`);
    expect(body['turn']).toMatchObject({
      options: {
        model: 'claude-opus-4-8',
        tools: ['glob'],
        maxTurns: 12,
        persona: 'WORKING_ITEMS',
        mode: 'plan',
        onDisconnect: 'continue',
      },
      provenance: {
        model: 'environment',
        tools: 'opts',
        maxTurns: 'default',
        persona: 'session',
        mode: 'session',
        onDisconnect: 'opts',
      },
    });
  });

  it('that are no object are ignored as a whole, and that is said', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, 'Hello', { opts: [1] });
    await stream.all();
    expect(stream.names()).toContain('system:notice');
  });
});
