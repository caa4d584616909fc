import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { HttpAgent, type RunAgentInput, type RunAgentParameters } from '@ag-ui/client';
import type { Event, Interrupt, Message, RunFinishedEvent } from '@ag-ui/core';
import { describe, expect, it } from '@jest/globals';
import { expectSoon } from '../../support/expect-soon.js';
import { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';

const colours = {
  name: 'pick_colour',
  description: 'Lets the user pick a colour',
  parameters: { type: 'object', properties: { of: { type: 'string' } } },
};

describe('the AG-UI wire', () => {
  const server = useServer({ environment: { TURNPIKE_DISCONNECT_GRACE_MS: '400' } });

  const route = (): string => `${server.url}/agent/WORKING_ITEMS/ag-ui`;

  /** The shipped agent asks for little by itself. */
  const ownProps = () => ({ projectRoot: server.projectRoot, opts: { mode: 'direct' } });

  /** A conversation in the real client, with the events of its last run. */
  function converse(props: object = {}) {
    const agent = new HttpAgent({ url: route() });
    const state = { events: [] as Event[] };
    agent.subscribe({
      onRunInitialized: () => void (state.events = []),
      onEvent: ({ event }) => void state.events.push(event as Event),
    });
    const turnpike = { ...ownProps(), ...props };
    const run = (more: RunAgentParameters = {}) =>
      agent.runAgent({ forwardedProps: { turnpike }, ...more });
    const say = (content: string, more: RunAgentParameters = {}) => {
      agent.addMessage({ id: `user-${agent.messages.length}`, role: 'user', content });
      return run(more);
    };
    const types = (): string[] => [...new Set(state.events.map(({ type }): string => type))];
    const finished = (): RunFinishedEvent => state.events.at(-1) as RunFinishedEvent;
    return { agent, state, run, say, types, finished };
  }

  const lastText = (messages: readonly Message[]): unknown =>
    messages.findLast(({ role }) => role === 'assistant')?.content;

  const body = (more: object = {}): RunAgentInput => ({
    threadId: `thread-${Math.random()}`,
    runId: `run-${Math.random()}`,
    messages: [{ id: 'u1', role: 'user', content: 'Hello' }],
    tools: [],
    context: [],
    ...more,
  });

  const post = (sent: unknown, signal?: AbortSignal): Promise<Response> =>
    fetch(route(), {
      method: 'POST',
      body: typeof sent === 'string' ? sent : JSON.stringify(sent),
      headers: { 'content-type': 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });

  const open = async (sent: unknown): Promise<StreamReader> => {
    const connection = new AbortController();
    return new StreamReader(await post(sent, connection.signal), connection);
  };

  it('answers with text, thoughts and tools, and the client’s messages have them', async () => {
    const { agent, say, types, finished } = converse({ opts: { thinking: true } });
    const { result } = await say('[[think=2]] [[tool=glob {"pattern":"*"}]] [[tokens=3]]');
    expect(result).toMatchObject({ outcome: 'completed', reason: 'end_turn' });
    expect(finished()).toMatchObject({
      outcome: { type: 'success' },
      usage: [{ model: expect.any(String), totalTokens: expect.any(Number) }],
    });
    expect(types()).toEqual(
      expect.arrayContaining([
        'RUN_STARTED',
        'STATE_SNAPSHOT',
        'STEP_STARTED',
        'REASONING_MESSAGE_CONTENT',
        'TOOL_CALL_ARGS',
        'TOOL_CALL_RESULT',
        'TEXT_MESSAGE_CONTENT',
      ]),
    );
    const roles = agent.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'reasoning', 'assistant', 'tool', 'reasoning', 'assistant']);
    expect(lastText(agent.messages)).toBe('word1 word2 word3');
    const call = agent.messages.flatMap((one) =>
      one.role === 'assistant' ? (one.toolCalls ?? []) : [],
    )[0];
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ pattern: '*' });
    expect(agent.state).toMatchObject({
      turnpike: { status: 'completed', agent: 'WORKING_ITEMS', usage: expect.any(Object) },
    });
  });

  it('goes on in its thread, with the state and the context of the application', async () => {
    const { agent, say } = converse();
    agent.setState({ page: 3 });
    await say('[[tokens=2]]', { context: [{ description: 'Page', value: 'two of nine' }] });
    await say('And then?', { context: [{ description: 'Page', value: 'three of nine' }] });
    const { messages, system } = server.modelRequests.at(-1)?.body ?? {};
    expect(JSON.stringify(messages)).toContain('word2');
    expect(JSON.stringify(messages)).not.toContain('of nine');
    expect(JSON.stringify(system)).toContain('three of nine');
    expect(JSON.stringify(system)).not.toContain('two of nine');
    const { sessionId } = (agent.state as { turnpike: { sessionId: string } }).turnpike;
    for (const path of ['', '/messages']) {
      const { body: found } = await server.client.get(
        path === '' ? `/api/harness/sessions` : `/api/harness/sessions/${sessionId}${path}`,
      );
      expect(JSON.stringify(found)).not.toContain('of nine');
    }
    expect(agent.state).toMatchObject({ page: 3, turnpike: { status: 'completed' } });
  });

  it('has the client run its own tools, over two runs', async () => {
    const { agent, say, run, finished, types } = converse();
    await say('[[tool=pick_colour {"of":"car"}]] [[tokens=2]]', { tools: [colours] });
    const outcome = finished().outcome;
    expect(outcome).toEqual({ type: 'success', pendingToolCallIds: [expect.any(String)] });
    const [toolCallId = ''] = outcome?.type === 'success' ? (outcome.pendingToolCallIds ?? []) : [];
    const { turnId } = (agent.state as { turnpike: { turnId: string } }).turnpike;
    agent.addMessage({ id: 'answer-1', role: 'tool', toolCallId, content: 'red' });
    await run({ tools: [colours] });
    expect(finished().outcome).toEqual({ type: 'success' });
    expect(types()).not.toContain('TOOL_CALL_RESULT');
    expect(agent.state).toMatchObject({ turnpike: { turnId, status: 'completed' } });
    expect(lastText(agent.messages)).toBe('word1 word2');
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain('red');
    await say('And on');
    expect(finished().result).toMatchObject({ outcome: 'completed' });
  });

  const write = (file: string): string =>
    `[[tool=write {"file_path":"${file}","content":"x"}]] [[tokens=2]]`;
  const inProject = (file: string): string => path.join(server.projectRoot, file);
  const pendingOf = (agent: HttpAgent): Interrupt => {
    const [interrupt] = agent.pendingInterrupts;
    if (interrupt === undefined) throw new Error('Nothing is asked');
    return interrupt;
  };

  it('asks by an interrupt, and runs what a person made of the call', async () => {
    const { agent, say, run, finished } = converse();
    await say(write('asked.txt'));
    expect(finished().outcome).toMatchObject({
      type: 'interrupt',
      interrupts: [
        {
          reason: 'tool_call',
          message: expect.stringContaining('needs an approval'),
          expiresAt: expect.stringMatching(/^2/),
          responseSchema: { properties: { editedArgs: { type: 'object' } } },
        },
      ],
    });
    const payload = { approved: true, editedArgs: { file_path: 'edited.txt', content: 'y' } };
    const { id: interruptId } = pendingOf(agent);
    await run({ resume: [{ interruptId, status: 'resolved', payload }] });
    expect(finished().result).toMatchObject({ outcome: 'completed' });
    expect(agent.pendingInterrupts).toEqual([]);
    expect(existsSync(inProject('asked.txt'))).toBe(false);
    expect(readFileSync(inProject('edited.txt'), 'utf8')).toBe('y');
    const results = agent.messages.filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(1);
  });

  it('is denied with a reason, and by a cancelled entry', async () => {
    const denied = converse();
    await denied.say(write('no.txt'));
    const payload = { approved: false, reason: 'Not in the root.' };
    const { id: interruptId } = pendingOf(denied.agent);
    await denied.run({ resume: [{ interruptId, status: 'resolved', payload }] });
    const result = denied.agent.messages.find(({ role }) => role === 'tool');
    expect(result?.content).toContain('Not in the root.');
    const cancelled = converse();
    await cancelled.say(write('no.txt'));
    const { id } = pendingOf(cancelled.agent);
    cancelled.agent.addMessage({ id: 'instead', role: 'user', content: 'Never mind that' });
    await cancelled.run({ resume: [{ interruptId: id, status: 'cancelled' }] });
    expect(cancelled.finished().result).toMatchObject({ outcome: 'completed' });
    const sent = JSON.stringify(server.modelRequests.at(-1)?.body.messages);
    expect(sent).toContain('Never mind that');
    expect(existsSync(inProject('no.txt'))).toBe(false);
  });

  it('waits for people and for the client at once', async () => {
    const { agent, say, run, finished } = converse();
    await say(`[[tool=pick_colour {"of":"car"}]] ${write('both.txt')}`, { tools: [colours] });
    expect(finished().outcome).toMatchObject({ type: 'interrupt', interrupts: [{}] });
    const { pendingToolCallIds } = (finished().metadata ?? {})['turnpike'] as {
      pendingToolCallIds: string[];
    };
    const toolCallId = pendingToolCallIds[0] ?? '';
    agent.addMessage({ id: 'answer-1', role: 'tool', toolCallId, content: 'red' });
    const { id: interruptId } = pendingOf(agent);
    await run({ resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] });
    expect(finished().result).toMatchObject({ outcome: 'completed' });
    expect(existsSync(inProject('both.txt'))).toBe(true);
  });

  it('takes answers one after the other, and says nothing twice', async () => {
    const { agent, say, run, finished, types, state } = converse();
    await say(`[[tool=pick_colour {"of":"car"}]] ${write('late.txt')}`, { tools: [colours] });
    const { pendingToolCallIds } = (finished().metadata ?? {})['turnpike'] as {
      pendingToolCallIds: string[];
    };
    const { id: interruptId } = pendingOf(agent);
    await run({ resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] });
    expect(finished().outcome).toEqual({ type: 'success', pendingToolCallIds });
    expect(existsSync(inProject('late.txt'))).toBe(false);
    const toolCallId = pendingToolCallIds[0] ?? '';
    agent.addMessage({ id: 'answer-1', role: 'tool', toolCallId, content: 'red' });
    await run();
    expect(finished().result).toMatchObject({ outcome: 'completed' });
    expect(types()).not.toContain('MESSAGES_SNAPSHOT');
    const resolutions = state.events.filter(
      (event) => 'name' in event && event.name === 'approval:resolve',
    );
    expect(resolutions).toHaveLength(1);
    expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
    expect(existsSync(inProject('late.txt'))).toBe(true);
  });

  it('ends at a limit with what it has, and says why', async () => {
    const { say, finished, agent } = converse({ opts: { maxTurns: 1 } });
    await say('[[loop=5 tool=glob {"pattern":"*"}]]');
    expect(finished()).toMatchObject({
      outcome: { type: 'success' },
      result: { outcome: 'limited' },
    });
    expect(agent.state).toMatchObject({ turnpike: { status: 'limited' } });
  });

  it('is a run error where the turn fails', async () => {
    const { say, state, types } = converse();
    await say('[[fail=400]]');
    expect(state.events.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      code: 'SDK_FAILURE',
      message: expect.stringMatching(/./),
    });
    expect(types()).not.toContain('RUN_FINISHED');
  });

  it('is cancelled from elsewhere', async () => {
    const { say, agent, finished } = converse();
    const begun = new Promise<void>((resolve) => {
      agent.subscribe({ onTextMessageContentEvent: () => resolve() });
    });
    const asked = say('[[tokens=5000 gap=20]]');
    await begun;
    const { turnId } = (agent.state as { turnpike: { turnId: string } }).turnpike;
    await server.client.post(`/api/harness/turns/${turnId}/interrupt`, {});
    await asked;
    expect(finished().outcome).toEqual({ type: 'cancelled' });
  });

  it('goes on after any frame, at the address that the answer names', async () => {
    const stream = await open(
      body({
        messages: [{ id: 'u1', role: 'user', content: `[[think=2]] ${write('resumed.txt')}` }],
        forwardedProps: { turnpike: ownProps() },
      }),
    );
    const frames = await stream.all();
    const address = server.url + stream.header('location');
    for (const [index, { id }] of frames.entries()) {
      const answer = await fetch(address, { headers: { 'last-event-id': id } });
      const rest = await new StreamReader(answer, new AbortController()).all();
      expect(rest.map((frame) => frame.id)).toEqual(
        frames.slice(index + 1).map((frame) => frame.id),
      );
    }
  });

  it('goes on with the stream of a run that answered', async () => {
    const sent = body({
      messages: [{ id: 'u1', role: 'user', content: write('twice.txt') }],
      forwardedProps: { turnpike: ownProps() },
    });
    const asking = await open(sent);
    const asked = (await asking.all()).at(-1);
    const after = await fetch(server.url + asking.header('location'), {
      headers: { 'last-event-id': asked?.id ?? '' },
    });
    // The run is over, though its turn is not.
    expect(after.status).toBe(204);
    const outcome = asked?.data['outcome'] as { interrupts: { id: string }[] };
    const interruptId = outcome.interrupts[0]?.id;
    const answer = { interruptId, status: 'resolved', payload: { approved: true } };
    const next = { ...sent, runId: 'second', messages: [], resume: [answer] };
    const first = await open(next);
    const frames = await first.all();
    expect(frames.at(-1)?.data).toMatchObject({ type: 'RUN_FINISHED', runId: 'second' });
    // A run that is sent again has the same frames.
    expect((await (await open(next)).all()).map(({ id }) => id)).toEqual(
      frames.map(({ id }) => id),
    );
    const middle = frames[3]?.id ?? '';
    const again = await fetch(server.url + first.header('location'), {
      headers: { 'last-event-id': middle },
    });
    const rest = await new StreamReader(again, new AbortController()).all();
    expect(rest.map(({ id }) => id)).toEqual(frames.slice(4).map(({ id }) => id));
    const other = { ...answer, payload: { approved: false } };
    const refused = await post({ ...next, runId: 'third', resume: [other] });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { type: expect.stringMatching(/approval-resolved$/) },
    ]);
  });

  it('ends a turn whose only reader leaves', async () => {
    const { say, agent } = converse();
    const begun = new Promise<void>((resolve) => {
      agent.subscribe({ onTextMessageContentEvent: () => resolve() });
    });
    const asked = say('[[tokens=5000 gap=20]]');
    await begun;
    const { turnId } = (agent.state as { turnpike: { turnId: string } }).turnpike;
    agent.abortRun();
    await asked;
    // A poll is no reader: the status shows when the turn has ended.
    await expectSoon(async () => {
      const { body: found } = await server.client.get(`/api/harness/turns/${turnId}`);
      expect(found['turn']).toMatchObject({ status: 'interrupted', endReason: 'disconnect' });
    });
  });

  it('runs one turn of a thread at a time, and one for a run that is sent twice', async () => {
    const sent = body({
      messages: [{ id: 'u1', role: 'user', content: '[[tokens=4000 gap=10]]' }],
    });
    const first = await open(sent);
    await first.until((frame) => frame.data['type'] === 'TEXT_MESSAGE_CONTENT');
    const refused = { forwardedProps: { turnpike: { opts: { onBusy: 'reject' } } } };
    const busy = await post({ ...sent, runId: 'another', ...refused });
    expect([busy.status, busy.headers.get('retry-after'), await busy.json()]).toMatchObject([
      409,
      '2',
      {
        type: expect.stringMatching(/turn-in-progress$/),
        detail: expect.stringContaining('forwardedProps.turnpike.opts.onBusy'),
        retryable: true,
        retryAfterMs: 2_000,
      },
    ]);
    const repeated = await open(sent);
    expect(repeated.header('x-turn-id')).toBe(first.header('x-turn-id'));
    await server.client.post('/api/harness/interrupt', {
      sessionId: first.header('x-session-id'),
    });
    expect((await repeated.all()).at(-1)).toEqual((await first.all()).at(-1));
  });

  it('steers a turn that runs, and gets what comes after', async () => {
    const say = (content: string, onBusy: string): Promise<StreamReader> => {
      const { opts, projectRoot } = ownProps();
      return open(
        body({
          threadId: 'steered',
          messages: [{ id: content, role: 'user', content }],
          forwardedProps: { turnpike: { projectRoot, opts: { ...opts, onBusy } } },
        }),
      );
    };
    const textOf = (stream: StreamReader): string =>
      stream.frames
        .map(({ data }) => (data['type'] === 'TEXT_MESSAGE_CONTENT' ? data['delta'] : ''))
        .join('');
    const first = await say('[[tokens=400 gap=20]]', 'reject');
    await first.until(({ data }) => data['type'] === 'TEXT_MESSAGE_CONTENT');
    const steered = await say('And this', 'steer');
    expect(steered.header('location')).toMatch(/answers=msg_/);
    const types = (await steered.all()).map(({ data }) => data['type']);
    expect([types[0], types.at(-1)]).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(textOf(steered)).not.toContain('word400');
    const again = new StreamReader(
      await fetch(server.url + steered.header('location')),
      new AbortController(),
    );
    await again.all();
    expect(textOf(again)).toBe(textOf(steered));
    await first.all();
    expect(textOf(first)).toContain('word400');
    expect(textOf(first)).toContain(textOf(steered));
  });

  it('takes files that came with the message, and no others', async () => {
    const part = (source: object): object => ({
      ...body(),
      messages: [
        {
          id: 'u1',
          role: 'user',
          content: [
            { type: 'text', text: '[[tokens=1]]' },
            { type: 'document', source, metadata: { filename: 'notes.txt' } },
          ],
        },
      ],
    });
    const value = Buffer.from('The sky is green.').toString('base64');
    const stream = await open(part({ type: 'data', value, mimeType: 'text/plain' }));
    expect((await stream.all()).at(-1)?.data).toMatchObject({ type: 'RUN_FINISHED' });
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain(
      'The sky is green.',
    );
    const refused = await post(part({ type: 'url', value: 'https://a.example/a.txt' }));
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      {
        type: expect.stringMatching(/attachment-failure$/),
        detail: expect.stringContaining('fetches no files'),
      },
    ]);
  });
});
