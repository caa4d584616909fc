import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';

interface Notice {
  kind: string;
  level: string;
  text: string;
  seenByModel: boolean;
  metadata: Record<string, unknown>;
}

describe('limits of a turn', () => {
  let sessionId: string;
  const root = instructionRootWith({ SHELL: ['auto_approve_tools: [bash]'] });
  const server = useServer({ environment: { TURNPIKE_INSTRUCTION_ROOT: root } });
  beforeEach(async () => {
    sessionId = await server.client.createSession(server.projectRoot);
  });

  const run = async (message: string, agentConfig: object, opts: object = {}) => {
    const stream = await server.client.turn(sessionId, message, { opts: { ...opts, agentConfig } });
    const frames = await stream.all();
    const named = (event: string) => frames.filter((frame) => frame.event === event);
    const notices = named('system:notice').map((frame) => frame.data as unknown as Notice);
    const end = named('turn:end')[0]?.data as { outcome: string; reason: string };
    const text = named('chat:complete')[0]?.data['text'] as string;
    const turnId = stream.header('x-turn-id') ?? '';
    return { frames, named, notices, end, text, turnId };
  };

  it('are warned of once, before they are reached, and end the turn with what there is', async () => {
    const loop = '[[loop=30 tool=glob {"pattern":"a$i"}]]';
    const { notices, end, text, named } = await run(loop, { max_iterations: 6 });
    expect(named('step:start')).toHaveLength(6);
    expect(end).toMatchObject({ outcome: 'limited', reason: 'max_turns' });
    expect(notices.map(({ kind, seenByModel }) => [kind, seenByModel])).toEqual([
      ['iteration-limit', true],
      ['limit-reached', true],
    ]);
    // The notice comes at least two iterations before the end.
    expect(notices[0]?.metadata).toMatchObject({ current_value: 4, limit_value: 6 });
    expect(text).toContain('[Stopped: the limit of 6 iterations was reached.');
    const deltas = named('chat:delta').map((frame) => frame.data['text']);
    expect(deltas.join('')).toBe(text);
  });

  it('of one iteration run exactly one', async () => {
    const { named, end } = await run('[[loop=3 tool=glob {"pattern":"a$i"}]]', {
      max_iterations: 1,
    });
    expect([named('step:start').length, end.outcome]).toEqual([1, 'limited']);
  });

  it('of tokens apply whatever the model would say', async () => {
    const { end, notices, frames } = await run('[[tokens=4000]]', { token_budget: 2_000 });
    const usage = frames.find((frame) => frame.event === 'turn:end')?.data['usage'] as {
      inputTokens: number;
      outputTokens: number;
      addedTokens: number;
    };
    // The message alone of the input counts as the turn's own.
    expect(usage.addedTokens).toBeGreaterThan(usage.outputTokens);
    expect(usage.addedTokens).toBeLessThanOrEqual(2_000);
    expect(end).toMatchObject({ outcome: 'limited', reason: 'token_budget' });
    expect(notices.at(-1)).toMatchObject({
      kind: 'limit-reached',
      metadata: { limit_type: 'token' },
    });
  });

  it('of time end a turn inside a tool', async () => {
    const started = Date.now();
    const tool = '[[tool=bash {"command":"sleep 60"}]]';
    const opts = { tools: ['bash'], persona: 'SHELL' };
    const { end, notices } = await run(tool, { timeout_seconds: 10 }, opts);
    expect(Date.now() - started).toBeLessThan(60_000);
    expect([end.outcome, end.reason]).toEqual(['limited', 'timeout']);
    expect(notices.at(-1)).toMatchObject({ metadata: { limit_type: 'timeout' } });
  });

  it('of calls in one step answer what is too much, and run the rest', async () => {
    const calls = Array.from({ length: 7 }, (_, i) => `[[tool=glob {"pattern":"a${i}"}]]`).join(
      ' ',
    );
    const { named, notices, end } = await run(calls, { max_tool_calls_per_turn: 5 });
    const results = named('tool:result').map((frame) => frame.data['status']);
    expect(results.filter((status) => status === 'success')).toHaveLength(5);
    expect(results.filter((status) => status === 'denied')).toHaveLength(2);
    expect(notices).toEqual([
      expect.objectContaining({
        kind: 'tool-limit',
        metadata: { current_value: 7, limit_value: 5 },
      }),
    ]);
    expect(end.outcome).toBe('completed');
  });

  it('end what goes round in circles, after a nudge', async () => {
    const loop = '[[loop=10 tool=glob {"pattern":"same"}]]';
    const { notices, end, text, named } = await run(loop, {});
    expect(notices.map(({ kind }) => kind)).toEqual(['no-progress-nudge', 'no-progress']);
    expect(end).toMatchObject({ outcome: 'limited', reason: 'no_progress' });
    expect(named('step:start')).toHaveLength(3);
    expect(text).toContain('glob({"pattern":"same"})');
  });

  it('end what only fails, after a word to the model', async () => {
    const loop = '[[loop=10 tool=read {"file_path":"missing$i"}]]';
    const { notices, end } = await run(loop, {});
    expect(notices.map(({ kind }) => kind)).toEqual([
      'error-streak',
      'error-streak',
      'error-limit',
    ]);
    expect(end).toMatchObject({ outcome: 'limited', reason: 'error_limit' });
  });

  it('come from the user where nothing nearer says otherwise, and the turn knows from where', async () => {
    const { client } = server;
    const set = await client.request('PUT', '/api/settings/agent-config', {
      body: JSON.stringify({ max_iterations: 2 }),
      headers: { 'content-type': 'application/json' },
    });
    expect(set.status).toBe(200);
    const { turnId, end } = await run('[[loop=9 tool=glob {"pattern":"b$i"}]]', {});
    expect(end.reason).toBe('max_turns');
    const { body } = await client.get(`/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({
      options: { maxTurns: 2 },
      provenance: {
        maxTurns: 'user',
        agentConfig: { maxIterations: 'user', tokenBudget: 'default' },
      },
    });
    await client.post('/api/settings/agent-config/reset', {});
    const nearer = await run('[[loop=3 tool=glob {"pattern":"c$i"}]]', {});
    expect(nearer.end.outcome).toBe('completed');
  });

  it('come from the session before the user, and are refused by name where they are wrong', async () => {
    const { client, projectRoot } = server;
    sessionId = await client.createSession(projectRoot, { agentConfig: { max_iterations: 3 } });
    const { named, turnId } = await run('[[loop=9 tool=glob {"pattern":"e$i"}]]', {});
    expect(named('step:start')).toHaveLength(3);
    const { body } = await client.get(`/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({
      provenance: { agentConfig: { maxIterations: 'session' } },
    });
    for (const [agentConfig, message] of [
      [{ max_iterations: 51 }, 'max_iterations must be a whole number from 1 to 50, not 51'],
      [{ max: 1 }, 'has no field "max"; its fields are max_iterations'],
      [[], "'agentConfig' must be an object"],
    ] as const) {
      const refused = await client.post('/api/harness/session/create', {
        projectRoot,
        agentConfig,
      });
      expect([refused.status, refused.body['error']]).toEqual([
        400,
        expect.objectContaining({ message: expect.stringContaining(message) }),
      ]);
    }
    // A wrong option of the turn is ignored with a notice, as every option is.
    const { notices } = await run('Hello', { max_iterations: 51 });
    expect(notices[0]?.text).toBe(
      'opts.agentConfig.max_iterations ignored: must be a whole number from 1 to 50; using 3 (session)',
    );
  });

  it('are read back with the steps they stand between, page by page', async () => {
    const { client } = server;
    const { turnId } = await run('[[loop=9 tool=glob {"pattern":"d$i"}]]', { max_iterations: 5 });
    const first = await client.get(`/api/harness/turns/${turnId}/steps?limit=3`);
    const steps = first.body['steps'] as { step: number; notices: { kind: string }[] }[];
    expect(steps.map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(steps[1]?.notices.map(({ kind }) => kind)).toEqual(['iteration-limit']);
    const next = await client.get(
      `/api/harness/turns/${turnId}/steps?limit=3&cursor=${String(first.body['nextCursor'])}`,
    );
    expect(next.body).toMatchObject({ steps: [{ step: 4 }, { step: 5 }] });
    expect(next.body['nextCursor']).toBeUndefined();
    const odd = await client.get(`/api/harness/turns/${turnId}/steps?limit=0`);
    expect([odd.status, odd.body['error']]).toEqual([
      400,
      expect.objectContaining({ message: "'limit' must be a whole number from 1 to 200" }),
    ]);
    await run('Again', {});
    const messages = await client.get(`/api/harness/sessions/${sessionId}/messages?limit=1`);
    const cursor = String(messages.body['nextCursor']);
    const rest = await client.get(`/api/harness/sessions/${sessionId}/messages?cursor=${cursor}`);
    expect(messages.body['messages']).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
    expect(rest.body['messages']).toMatchObject([
      { role: 'user', parts: [{ text: 'Again' }] },
      { role: 'assistant', steps: [{ step: 1 }] },
    ]);
  });
});

describe('todos and the conversation', () => {
  let sessionId: string;
  const server = useServer();
  beforeEach(async () => {
    sessionId = await server.client.createSession(server.projectRoot);
  });

  const todos = [
    { id: '1', content: 'Look', status: 'completed' },
    { id: '2', content: 'Write', status: 'pending' },
  ];

  it('keeps the list of a session, and reminds the model of it with the next message', async () => {
    const { client } = server;
    const tool = `[[tool=todo_write ${JSON.stringify({ todos })}]]`;
    await (await client.turn(sessionId, tool, { opts: { tools: ['todo_write'] } })).all();
    expect((await client.get(`/api/harness/sessions/${sessionId}/todos`)).body).toEqual({ todos });
    const frames = await (await client.turn(sessionId, 'Go on', {})).all();
    const notices = frames.filter((frame) => frame.event === 'system:notice');
    expect(notices.map((frame) => frame.data)).toEqual([
      expect.objectContaining({ kind: 'todo-reminder', level: 'message', seenByModel: true }),
    ]);
    const { body } = await client.get(`/api/harness/sessions/${sessionId}/messages`);
    const reminder = { kind: 'todo-reminder', metadata: { todos: 1 }, seenByModel: true };
    expect(body['messages']).toEqual([
      expect.objectContaining({ role: 'user' }),
      expect.objectContaining({ role: 'assistant' }),
      expect.objectContaining({ role: 'user' }),
      expect.objectContaining({ role: 'system', notice: expect.objectContaining(reminder) }),
      expect.objectContaining({ role: 'assistant' }),
    ]);
  });

  it('begins with what the project has to say to agents', async () => {
    const { client, projectRoot } = server;
    const project = await mkdtemp(path.join(projectRoot, 'noted-'));
    await writeFile(path.join(project, 'AGENTS.md'), 'Use tabs.');
    const noted = await client.createSession(project);
    const kinds = async () => {
      const frames = await (await client.turn(noted, 'Hello', {})).all();
      return frames.flatMap(({ event, data }) => (event === 'system:notice' ? [data] : []));
    };
    expect(await kinds()).toMatchObject([
      { kind: 'session-start', text: expect.stringContaining('AGENTS.md'), seenByModel: true },
    ]);
    expect(await kinds()).toEqual([]);
  });

  it('is summarised on request, stays readable, and is reported once', async () => {
    const { client } = server;
    const before = await client.post(`/api/harness/sessions/${sessionId}/compact`, {});
    expect(before.body).toEqual({ compacted: false });
    for (const message of ['First', 'Second']) {
      await (await client.turn(sessionId, message, {})).all();
    }
    const done = await client.post(`/api/harness/sessions/${sessionId}/compact`, {});
    expect(done.body).toMatchObject({ compacted: true, summary: expect.any(String) });
    const third = await (await client.turn(sessionId, 'Third', {})).all();
    const kinds = (frames: typeof third) =>
      frames.flatMap((frame) => (frame.event === 'system:notice' ? [frame.data['kind']] : []));
    expect(kinds(third)).toEqual(['compact-summary']);
    const fourth = await (await client.turn(sessionId, 'Fourth', {})).all();
    expect(kinds(fourth)).toEqual([]);
    const { body } = await client.get(`/api/harness/sessions/${sessionId}/messages`);
    const messages = body['messages'] as { role: string; compacted?: boolean }[];
    expect(messages.map(({ compacted = false }) => compacted).slice(0, 4)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
