import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  answerWith,
  startReceiver,
  verify,
  type Receiver,
} from '../../test/support/webhooks/start-receiver.js';
import { someSecret } from '../../test/support/webhooks/store-endpoint.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { expectSoon } from '../../test/support/expect-soon.js';
import { isStorable } from '../storage/connection.js';
import { systemClock } from '../platform/clock.js';
import {
  openToolHook,
  parseHookAnswer,
  ToolHook,
  type HookQuestion,
  type ToolHookOptions,
} from './tool-hook.js';

const never = new AbortController().signal;
const question: HookQuestion = {
  turnId: 'turn_1',
  sessionId: 'sess_1',
  principal: 'alice',
  agent: 'READER',
  callId: 'toolu_1',
  tool: 'bash',
  input: { command: 'ls' },
  rules: { decision: 'allow', rule: 'allowed', reason: 'the session allows bash' },
};

const inside = (...listed: string[]) => ({
  variable: 'TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS',
  listed,
});

describe('ToolHook', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const hookOf = (options: Partial<ToolHookOptions> = {}) =>
    new ToolHook({
      url: receiver.url,
      secret: someSecret,
      inside: inside('127.0.0.1:*'),
      // Stopped: an answer comes in time, however busy the machine is.
      clock: new ManualClock(Date.now()),
      ...options,
    });
  const ask = (options: Partial<ToolHookOptions> = {}, stop = never) =>
    hookOf(options).ask(question, stop);
  const answers = (body: unknown, status = 200) =>
    (receiver.answer = answerWith(status, {}, JSON.stringify(body)));

  it('asks with the call, signed, under the id of the call', async () => {
    answers({ decision: 'ask', reason: 'Look  at\nit.', more: true });
    expect(await ask()).toEqual({ type: 'answered', decision: 'ask', reason: 'Look at it.' });
    const [request] = receiver.received;
    if (request === undefined) throw new Error('Nothing came');
    expect(verify(request, someSecret)).toEqual({
      type: 'tool.before',
      timestamp: expect.stringMatching(/^\d{4}-/),
      data: question,
    });
    expect(request.headers['webhook-id']).toBe('turn_1_toolu_1');
  });

  it.each<[string, number, string, RegExp]>([
    ['another status', 204, '', /^answered 204 instead of 200$/],
    ['an error with an answer in it', 500, '{"decision":"allow"}', /^answered 500/],
    ['no JSON', 200, '<html>', /its answer is no JSON object$/],
    ['a list', 200, '["allow"]', /its answer is no JSON object$/],
    ['another word', 200, '{"decision":"yes"}', /its decision is not allow, ask or deny$/],
    ['a reason that is no text', 200, '{"decision":"allow","reason":{}}', /its reason is no text$/],
    [
      'more than is read',
      200,
      JSON.stringify({ decision: 'allow', pad: 'x'.repeat(20_000) }),
      /broke off or is too long/,
    ],
  ])('takes no answer from %s', async (_what, status, body, reason) => {
    receiver.answer = answerWith(status, {}, body);
    expect(await ask()).toEqual({ type: 'failed', reason: expect.stringMatching(reason) });
  });

  it('follows no redirect', async () => {
    const other = await startReceiver();
    other.answer = answerWith(200, {}, '{"decision":"allow"}');
    receiver.answer = answerWith(307, { location: other.url });
    expect(await ask()).toEqual({ type: 'failed', reason: 'answered 307 instead of 200' });
    expect(other.received).toEqual([]);
    await other.close();
  });

  it('waits for two seconds in all, for a body too', async () => {
    const clock = new ManualClock(Date.now());
    const askLate = async () => {
      const count = receiver.received.length + 1;
      const asked = ask({ clock });
      await expectSoon(() => expect(receiver.received).toHaveLength(count));
      await clock.advance(2_000);
      return asked;
    };
    receiver.answer = () => undefined;
    const late = { type: 'failed', reason: expect.stringMatching(/no answer within 2 s/) };
    expect(await askLate()).toEqual(late);
    receiver.answer = (response) => void response.writeHead(200).write('{"decision":');
    expect(await askLate()).toMatchObject({ type: 'failed' });
  });

  it('has no answer of a connection that ends, or that nobody takes', async () => {
    receiver.answer = (response) => response.destroy();
    expect(await ask()).toEqual({ type: 'failed', reason: expect.stringMatching(/^failed: /) });
    receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"decision":"allow"}');
      setImmediate(() => response.destroy());
    };
    expect(await ask()).toMatchObject({ type: 'failed' });
    const { url } = receiver;
    await receiver.close();
    expect(await ask({ url })).toEqual({
      type: 'failed',
      reason: 'failed: the connection failed: ECONNREFUSED',
    });
    receiver = await startReceiver();
  });

  it('asks no address that is not public, unless it is listed', async () => {
    expect(await ask({ inside: inside() })).toMatchObject({ type: 'failed' });
    expect(receiver.received).toEqual([]);
  });

  it('keeps when it last answered, when it last did not, and the failures since', async () => {
    const clock = new ManualClock();
    const hook = hookOf({ clock });
    expect(hook.health).toEqual({ failuresInRow: 0 });
    answers({ decision: 'deny' });
    await hook.ask(question, never);
    const answeredAt = clock.now();
    await clock.advance(1_000);
    answers({}, 500);
    await hook.ask(question, never);
    await hook.ask(question, never);
    expect(hook.health).toEqual({ answeredAt, failedAt: clock.now(), failuresInRow: 2 });
    answers({ decision: 'allow' });
    await hook.ask(question, never);
    expect(hook.health).toMatchObject({ answeredAt: answeredAt + 1_000, failuresInRow: 0 });
  });

  it('counts no failure of a question whose turn ended', async () => {
    const hook = hookOf();
    receiver.answer = () => undefined;
    const stop = new AbortController();
    const asked = hook.ask(question, stop.signal);
    stop.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
    expect(hook.health).toEqual({ failuresInRow: 0 });
  });

  it('ends at once with the turn, and says so', async () => {
    receiver.answer = () => undefined;
    const stop = new AbortController();
    const asked = ask({}, stop.signal);
    await expectSoon(() => expect(receiver.received).toHaveLength(1));
    const reason = new Error('cancelled');
    stop.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it('asks so many at a time; nothing was sent for who left while it waited for a turn', async () => {
    receiver.answer = () => undefined;
    const clock = new ManualClock();
    const hook = hookOf({ maxConcurrent: 2, timeoutMs: 2_000, clock });
    const asked = Promise.all([1, 2].map(() => hook.ask(question, never)));
    const left = new AbortController();
    const waiting = expect(hook.ask(question, left.signal)).rejects.toThrow('left');
    await expectSoon(() => expect(receiver.received).toHaveLength(2));
    left.abort(new Error('left'));
    await waiting;
    await clock.advance(2_000);
    expect((await asked).map(({ type }) => type)).toEqual(['failed', 'failed']);
    expect(receiver.received).toHaveLength(2);
    answers({ decision: 'allow' });
    expect(await hook.ask(question, never)).toMatchObject({ decision: 'allow' });
  });
});

describe('parseHookAnswer', () => {
  it('takes any text: an answer, or what is wrong with it', () => {
    const given = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ decision: fc.constantFrom('allow', 'ask', 'deny'), reason: fc.anything() })
        .map((answer) => JSON.stringify(answer)),
    );
    fc.assert(
      fc.property(given, (text) => {
        const parsed = parseHookAnswer(text);
        if ('fault' in parsed) return;
        expect(isStorable(parsed.reason ?? '')).toBe(true);
        expect(['allow', 'ask', 'deny']).toContain(parsed.decision);
        expect(parsed.reason ?? 'none').not.toMatch(/[\n\0]/);
        expect((parsed.reason ?? '').length).toBeLessThanOrEqual(500);
      }),
    );
  });
});

describe('openToolHook', () => {
  const open = (toolHookUrl?: string, privateHosts: string[] = []) => {
    const toolHookSecret = toolHookUrl === undefined ? undefined : someSecret;
    const config = { toolHookUrl, toolHookSecret, toolHookPrivateHosts: privateHosts };
    return openToolHook(config, systemClock);
  };

  it('is none without a URL, and no start with one that nothing is sent to', () => {
    expect(open()).toBeNull();
    expect(open('https://hooks.example.com/turnpike')).toBeInstanceOf(ToolHook);
    expect(open('http://10.0.0.7/', ['10.0.0.7'])).toBeInstanceOf(ToolHook);
    expect(() => open('http://10.0.0.7/')).toThrow(
      'the operator lists 10.0.0.7:80 in TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS',
    );
    expect(() => open('https://10.0.0.7/')).toThrow('which is no public address');
  });
});
