import { afterEach, describe, expect, it } from '@jest/globals';
import type { ReadFrame, StreamReader } from '../../support/clients/read-stream.js';
import {
  startScriptedModel,
  type ScriptedModel,
} from '../../support/model/start-scripted-model.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const overloaded = { error: 'overloaded_error' };
const refused = (status: number, type: string, message = 'no') => ({
  refuse: { status, type, message },
});

const namesOf = (frames: readonly ReadFrame[]): string[] => frames.map(({ event }) => event);
const dataOf = (frames: readonly ReadFrame[], event: string): Record<string, unknown>[] =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);

describe('a model call that comes to nothing', () => {
  const environment = () => ({
    TURNPIKE_PROVIDER_BASE_URL: model.url,
    TURNPIKE_EGRESS_ALLOW: model.url,
    TURNPIKE_PROVIDER_RETRIES: '0',
  });
  const model = useShared(startScriptedModel);
  const server = useServer(() => ({ environment: environment() }));
  afterEach(() => {
    model.script = [];
    model.requests = [];
  });

  async function run(script: ScriptedModel['script'], opts: Record<string, unknown> = {}) {
    model.script = [...script];
    const sessionId = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(sessionId, 'Hello', { opts });
    return { sessionId, stream, frames: await stream.all() };
  }

  const viewOf = async ({ stream }: { stream: StreamReader }) =>
    (await server.client.get(`/api/harness/turns/${stream.header('x-turn-id')}`)).body;

  it('is made again after an overload, and what was thought is taken back', async () => {
    const { frames } = await run([{ thinking: 'Half', ...overloaded }, { text: 'Here I am.' }]);
    const names = namesOf(frames);
    expect(names.indexOf('step:discard')).toBeGreaterThan(names.indexOf('thinking:delta'));
    expect(names.indexOf('chat:delta')).toBeGreaterThan(names.indexOf('step:discard'));
    expect(names).not.toContain('turn:error');
    expect(dataOf(frames, 'step:start')).toEqual([{ step: 1 }, { step: 1 }]);
    expect(dataOf(frames, 'system:notice')).toContainEqual(
      expect.objectContaining({
        kind: 'model-retry',
        seenByModel: false,
        metadata: expect.objectContaining({ retry: 1, maxRetries: 2 }),
      }),
    );
    expect(dataOf(frames, 'chat:complete')).toEqual([{ text: 'Here I am.' }]);
    // Both calls are counted: of the lost one what was streamed, estimated.
    expect(dataOf(frames, 'turn:end')[0]).toMatchObject({
      usage: { inputTokens: 200, outputTokens: 20 + 7 },
    });
  });

  it.each([
    [529, 'overloaded_error', 'overloaded'],
    [429, 'rate_limit_error', 'rate-limited'],
    [500, 'api_error', 'unavailable'],
  ])('is told of while it is asked again before its answer: %i', async (status, type, reason) => {
    const own = await startServer({
      environment: { ...environment(), TURNPIKE_PROVIDER_RETRIES: '1' },
    });
    try {
      model.script = [refused(status, type), { text: 'Here I am.' }];
      const sessionId = await own.client.createSession(own.projectRoot);
      const frames = await (await own.client.turn(sessionId, 'Hello')).all();
      expect(namesOf(frames)).not.toContain('step:discard');
      expect(dataOf(frames, 'system:notice')).toEqual([
        expect.objectContaining({
          kind: 'model-retry',
          text: expect.stringMatching(/ The step is tried again in 0\.\d s\.$/),
          metadata: { reason, afterMs: expect.any(Number), retry: 1, maxRetries: 1 },
        }),
      ]);
      expect(dataOf(frames, 'chat:complete')).toEqual([{ text: 'Here I am.' }]);
    } finally {
      await own.close();
    }
  });

  it('fails as an overload when no try is left, and says that another turn may go well', async () => {
    const { frames } = await run([overloaded, overloaded, overloaded, { text: 'Too late.' }]);
    expect(model.requests).toHaveLength(3);
    expect(dataOf(frames, 'turn:error')).toEqual([
      expect.objectContaining({
        status: 529,
        retryable: true,
        requestId: 'req_scripted',
        details: expect.objectContaining({ reason: 'OVERLOADED' }),
      }),
    ]);
  });

  it('fails where text was shown: nothing of it is taken back', async () => {
    const { frames } = await run([{ text: 'Half', ...overloaded }]);
    expect(model.requests).toHaveLength(1);
    expect(namesOf(frames)).not.toContain('step:discard');
    expect(dataOf(frames, 'turn:error')).toEqual([expect.objectContaining({ retryable: true })]);
  });

  it('is a whole reply where its stop reason is unknown, which a notice says', async () => {
    const call = { name: 'glob', input: '{"pattern":"*"}' };
    const { frames } = await run([
      { call, stop: 'tool_calls' },
      { text: 'Here it is.', stop: 'budget_reached' },
    ]);
    expect(namesOf(frames)).not.toContain('turn:error');
    expect(dataOf(frames, 'tool:result')).toHaveLength(1);
    expect(dataOf(frames, 'chat:complete')).toEqual([{ text: 'Here it is.' }]);
    expect(dataOf(frames, 'turn:end')[0]).toMatchObject({ outcome: 'completed' });
    const notices = dataOf(frames, 'system:notice').filter(
      ({ kind }) => kind === 'unknown-stop-reason',
    );
    expect(notices).toEqual([
      expect.objectContaining({ metadata: { stopReason: 'tool_calls' } }),
      expect.objectContaining({
        text: expect.stringContaining('budget_reached'),
        metadata: { stopReason: 'budget_reached' },
        seenByModel: false,
      }),
    ]);
  });

  it('is not made again for anything else', async () => {
    await run([{ error: 'api_error' }]);
    expect(model.requests).toHaveLength(1);
  });

  it.each([
    ['overloaded', [refused(529, 'overloaded_error', 'Overloaded')]],
    ['overloaded', [overloaded, overloaded, overloaded]],
    ['model-not-found', [refused(404, 'not_found_error', 'model: claude-a')]],
    ['refusal', [{ text: 'I', stop: 'refusal', category: 'cyber' }]],
    ['unavailable', [refused(500, 'api_error', 'Internal server error')]],
    ['rate-limited', [{ refuse: { status: 429, type: 'rate_limit_error', message: 'Later.' } }]],
  ])('goes on with the fallback model: %s', async (reason, script) => {
    // Each has a model of its own: one that did not answer is left aside for a while.
    const own = `claude-${reason}-${script.length}`;
    const opts = { model: own, fallbackModel: 'claude-b' };
    const ran = await run([...script, { text: 'From b.' }], opts);
    expect(dataOf(ran.frames, 'system:notice')).toContainEqual(
      expect.objectContaining({
        kind: 'model-fallback',
        metadata: { from: own, to: 'claude-b', reason },
      }),
    );
    expect(model.requests.map((request) => request.model)).toEqual([
      ...script.map(() => own),
      'claude-b',
    ]);
    expect(dataOf(ran.frames, 'chat:complete')).toEqual([{ text: 'From b.' }]);
    expect(await viewOf(ran)).toMatchObject({
      turn: {
        options: { model: 'claude-b', fallbackFrom: own, fallbackStep: 1 },
        provenance: { model: 'fallback' },
      },
    });
  });

  it('falls back once', async () => {
    const opts = { model: 'claude-a', fallbackModel: 'claude-b' };
    const gone = refused(404, 'not_found_error', 'model');
    const { frames } = await run([gone, gone], opts);
    expect(model.requests).toHaveLength(2);
    expect(dataOf(frames, 'turn:error')).toEqual([
      expect.objectContaining({
        status: 404,
        retryable: false,
        details: expect.objectContaining({ reason: 'MODEL_NOT_FOUND' }),
      }),
    ]);
  });

  const busy = refused(529, 'overloaded_error', 'Overloaded');

  it('goes from one model to the next, and leaves those aside that did not answer', async () => {
    const opts = { model: 'claude-1', fallbackModel: 'claude-2', fallbackModels: ['claude-3'] };
    const ran = await run([busy, busy, { text: 'From 3.' }], opts);
    const { frames } = ran;
    expect(await viewOf(ran)).toMatchObject({
      turn: { options: { model: 'claude-3', fallbackFrom: 'claude-1' } },
    });
    expect(model.requests.map((request) => request.model)).toEqual([
      'claude-1',
      'claude-2',
      'claude-3',
    ]);
    const steps = dataOf(frames, 'system:notice').filter(({ kind }) => kind === 'model-fallback');
    expect(steps).toMatchObject([
      { metadata: { from: 'claude-1', to: 'claude-2' } },
      { metadata: { from: 'claude-2', to: 'claude-3' } },
    ]);
    const next = await run([{ text: 'From 3 at once.' }], opts);
    expect(model.requests.at(-1)?.model).toBe('claude-3');
    expect(dataOf(next.frames, 'system:notice')).toContainEqual(
      expect.objectContaining({
        text: 'claude-1 did not answer a moment ago. The turn goes on with claude-3.',
        metadata: { from: 'claude-1', to: 'claude-3', reason: 'outage' },
      }),
    );
    expect(namesOf(next.frames)).not.toContain('step:discard');
    // Who names no other model goes to it.
    await run([{ text: 'From 1.' }], { model: 'claude-1' });
    expect(model.requests.at(-1)?.model).toBe('claude-1');
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('turnpike_model_fallbacks_total{model="claude-3",reason="outage"} 1');
  });

  it('has the models of the server, where neither turn nor agent names others', async () => {
    const own = await startServer({
      environment: { ...environment(), TURNPIKE_FALLBACK_MODELS: 'claude-b, claude-c' },
    });
    try {
      model.script = [busy, busy, { text: 'From c.' }];
      const sessionId = await own.client.createSession(own.projectRoot);
      const stream = await own.client.turn(sessionId, 'Hello', { opts: { model: 'claude-a' } });
      await stream.all();
      expect(stream.text()).toBe('From c.');
    } finally {
      await own.close();
    }
  });

  it('takes at most five of them', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `claude-${at}`);
    const { frames } = await run([{ text: 'Yes.' }], { fallbackModels: names });
    expect(JSON.stringify(dataOf(frames, 'system:notice'))).toContain(
      'opts.fallbackModels ignored: must be an array of at most 5 strings',
    );
  });

  it('ends limited by a refusal, which is not sent again', async () => {
    const ran = await run([{ text: 'Half a refusal', stop: 'refusal', category: 'cyber' }]);
    expect(dataOf(ran.frames, 'system:notice')).toEqual([
      expect.objectContaining({ kind: 'refusal', metadata: { category: 'cyber' } }),
      expect.objectContaining({ kind: 'turn-left-out', metadata: { reason: 'declined' } }),
    ]);
    expect(dataOf(ran.frames, 'turn:end')[0]).toMatchObject({
      outcome: 'limited',
      reason: 'refusal',
    });
    expect(ran.stream.text()).toBe('Half a refusal');
    const next = await server.client.turn(ran.sessionId, 'And now?');
    await next.all();
    const sent = model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(sent)).not.toContain('Half a refusal');
    // The model does not get the message again that it declined.
    expect(sent.map(({ role }) => role)).toEqual(['user']);
  });

  const limited = { status: 429, type: 'rate_limit_error', message: 'no' };

  it.each([
    ['SPEND_LIMIT', { ...limited, code: 'enforced_spend_limit_reached' }, false],
    ['RAMP_LIMIT', { ...limited, code: 'ramp_limit_exceeded' }, true],
    ['SPEND_LIMIT', { status: 402, type: 'billing_error', message: 'no' }, false],
  ])('says of a %s whether to wait: %j', async (reason, refuse, retryable) => {
    const { frames } = await run([{ refuse }]);
    expect(dataOf(frames, 'turn:error')).toEqual([
      expect.objectContaining({
        status: refuse.status,
        retryable,
        details: expect.objectContaining({ reason }),
      }),
    ]);
  });

  it('goes on with the fallback model after a crash, and counts what was discarded', async () => {
    const first = await startServer({ environment: environment() });
    const opts = { model: 'claude-a', fallbackModel: 'claude-b', onDisconnect: 'continue' };
    model.script = [
      { text: 'No', stop: 'refusal' },
      { thinking: 'Hm', hangs: true },
    ];
    const sessionId = await first.client.createSession(first.projectRoot);
    const stream = await first.client.turn(sessionId, 'Hello', { opts });
    await stream.until('thinking:delta');
    await first.stop();
    const second = await startServer({ environment: environment(), store: first.store });
    try {
      const rest = await second.client.follow(stream.header('x-turn-id'));
      const frames = await rest.all();
      expect(model.requests.map((request) => request.model)).toEqual([
        'claude-a',
        'claude-b',
        'claude-b',
      ]);
      expect(dataOf(frames, 'turn:end')[0]).toMatchObject({
        outcome: 'completed',
        usage: { inputTokens: 200, outputTokens: 40 },
      });
    } finally {
      await second.close();
      await first.close();
    }
  });
});
