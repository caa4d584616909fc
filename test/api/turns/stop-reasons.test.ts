import { describe, expect, it } from '@jest/globals';
import type { ReadFrame } from '../../support/clients/read-stream.js';
import { startServer, useServer } from '../../support/processes/start-server.js';

const dataOf = (frames: readonly ReadFrame[], event: string): Record<string, unknown> | undefined =>
  frames.find((frame) => frame.event === event)?.data;

describe('the end of a reply', () => {
  const server = useServer({
    environment: { TURNPIKE_STALL_TIMEOUT_MS: '300', TURNPIKE_PROVIDER_RETRIES: '1' },
  });

  async function run(message: string) {
    const sessionId = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(sessionId, message);
    return { sessionId, stream, frames: await stream.all() };
  }

  /** Expects that the model takes the session's history, whatever happened before. */
  async function expectGoesOn(sessionId: string): Promise<string> {
    const next = await server.client.turn(sessionId, 'And now?');
    expect((await next.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    return JSON.stringify(server.modelRequests.at(-1)?.body.messages);
  }

  it.each([
    ['end_turn', 'completed', 'end_turn'],
    ['stop_sequence', 'completed', 'stop_sequence'],
    ['max_tokens', 'limited', 'max_tokens'],
    ['refusal', 'limited', 'refusal'],
    ['model_context_window_exceeded', 'limited', 'context_window'],
    ['pause_turn', 'completed', 'end_turn'],
  ])('by %s: %s, and the session goes on', async (stop, outcome, reason) => {
    const { sessionId, frames, stream } = await run(`[[stop=${stop}]] [[tokens=4]]`);
    expect(dataOf(frames, 'turn:end')).toMatchObject({ outcome, reason, exitCode: 0 });
    expect(dataOf(frames, 'chat:complete')).toEqual({ text: stream.text() });
    expect(stream.text()).not.toBe('');
    const history = await expectGoesOn(sessionId);
    // What the model declined is left out.
    const isCut = outcome === 'limited' && stop !== 'refusal';
    expect(history.includes('[This reply was cut off')).toBe(isCut);
  });

  it.each([['max_tokens'], ['refusal'], ['model_context_window_exceeded']])(
    'by %s does not run the calls of a reply that was cut',
    async (stop) => {
      const { sessionId, frames } = await run(`[[stop=${stop}]] [[tool=glob {"pattern":"*"}]]`);
      expect(dataOf(frames, 'tool:result')).toMatchObject({ ok: false, status: 'denied' });
      expect(frames.map((frame) => frame.event)).not.toContain('tool:start');
      expect(dataOf(frames, 'turn:end')).toMatchObject({ outcome: 'limited' });
      await expectGoesOn(sessionId);
    },
  );

  it('by refusal says so to the client', async () => {
    const { frames } = await run('[[stop=refusal]]');
    expect(dataOf(frames, 'system:notice')).toMatchObject({ kind: 'refusal', level: 'step' });
  });

  it.each([
    [400, 'API_RESPONSE_ERROR', false],
    [401, 'INVALID_API_KEY', false],
    [403, 'INVALID_API_KEY', false],
    [404, 'API_RESPONSE_ERROR', false],
    [413, 'API_RESPONSE_ERROR', false],
    [429, 'RATE_LIMITED', true],
    [500, 'API_RESPONSE_ERROR', true],
    [529, 'API_RESPONSE_ERROR', true],
  ])(
    'by the provider’s %i is a failed turn with what to know of it',
    async (status, category, retryable) => {
      const { sessionId, frames } = await run(`[[fail=${status}]]`);
      const error = dataOf(frames, 'turn:error');
      expect(error).toEqual({
        phase: 'mid-stream',
        errorType: 'SDK_FAILURE',
        message: expect.any(String),
        status,
        severity: 'error',
        fatal: true,
        details: expect.objectContaining({ provider: 'anthropic', category }),
        retryable,
        // The rehearsal asks for a short pause, so that tests need not wait.
        ...(retryable ? { retryAfterMs: 1 } : {}),
        requestId: expect.stringMatching(/^req_/),
      });
      expect(dataOf(frames, 'process:exit')).toEqual({
        exitCode: 1,
        interrupted: false,
        error: error?.['message'],
        errorType: 'SDK_FAILURE',
        status,
        severity: 'error',
        fatal: true,
        errorDetails: error?.['details'],
      });
      expect(frames.map((frame) => frame.event)).not.toContain('chat:complete');
      await expectGoesOn(sessionId);
    },
  );

  it('does not see a failure that a retry mends', async () => {
    const { frames } = await run('[[fail=529 times=1]]');
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(frames.map((frame) => frame.event)).not.toContain('turn:error');
  });

  it.each([['[[fail=529 after=5]]'], ['[[drop after=5]]']])(
    'in the middle of the stream (%s) keeps what was said, marked, and is not tried again',
    async (directive) => {
      const calls = server.modelRequests.length;
      const { sessionId, frames, stream } = await run(`${directive} [[tokens=50]]`);
      expect(server.modelRequests).toHaveLength(calls + 1);
      expect(dataOf(frames, 'process:exit')).toMatchObject({ exitCode: 1, fatal: true });
      expect(stream.text()).toContain('word5');
      const history = await expectGoesOn(sessionId);
      expect(history).toContain('word5');
      expect(history).toContain('[This reply ended with an error before it was complete.]');
    },
  );

  it('by silence of the provider is a time-out', async () => {
    const { frames } = await run('[[stall=20000]] [[tokens=9]]');
    expect(dataOf(frames, 'turn:error')).toMatchObject({
      status: 504,
      details: { category: 'REQUEST_TIMEOUT' },
    });
  });

  it('never shows the key, in a frame, an answer or a log line', async () => {
    const key = 'sk-ant-test-key-that-is-secret';
    const { frames } = await run(`[[fail=401]] ${key.slice(0, 3)}`);
    expect(JSON.stringify(frames)).not.toContain(key);
    expect(server.logLines.join('')).not.toContain(key);
  });
});

describe('the turn’s own time', () => {
  it('ends it as limited, with what it has', async () => {
    const server = await startServer({ environment: { TURNPIKE_TURN_TIMEOUT_MS: '1000' } });
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=9]] [[stall=20000]]');
    const frames = await stream.all();
    expect(dataOf(frames, 'turn:end')).toMatchObject({ outcome: 'limited', reason: 'timeout' });
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(dataOf(frames, 'chat:complete')).toEqual({
      text: 'word1\n\n[Stopped: the time limit of 1 seconds was reached. What was found so far is above.]',
    });
    await (await client.turn(sessionId, 'Hello')).all();
    await server.close();
  });
});
