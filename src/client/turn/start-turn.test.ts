import { describe, expect, it } from '@jest/globals';
import { FakeServer, turnFrames } from '../../../test/client/fake-server.js';
import { untilDone } from '../../../test/client/until-done.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ConnectionLostError, TurnpikeError } from '../transport/client-errors.js';
import { TurnpikeClient, type TurnRequest } from '../turnpike-client.js';

const frames = turnFrames('turn_1', 3);
const request = { sessionId: 'sess_1', message: 'Hello' };
const refused = new Error('connect ECONNREFUSED');
const refusal = (status: number, headers: Record<string, string> = {}, type = 'NO'): Response =>
  new Response(JSON.stringify({ error: { type, message: 'No.' } }), { status, headers });

function open(server: FakeServer, maxSilenceMs = 60_000) {
  const clock = new ManualClock();
  const url = 'http://turnpike.test';
  const client = new TurnpikeClient({
    url,
    key: 'tpk_1',
    fetch: server.fetch,
    clock,
    maxSilenceMs,
  });
  return {
    clock,
    ask: (more: object = {}) => untilDone(clock, client.turn({ ...request, ...more })),
  };
}

const keysOf = ({ requests }: FakeServer): (string | null)[] =>
  requests.map(({ headers }) => headers.get('idempotency-key'));

describe('asking for a turn', () => {
  it('says which turn it is, and streams it over the same connection', async () => {
    const server = new FakeServer(frames);
    const turn = await open(server).ask();
    expect([turn.turnId, turn.sessionId, turn.disposition]).toEqual([
      'turn_1',
      'sess_1',
      { type: 'started' },
    ]);
    const read: string[] = [];
    for await (const { id } of turn) read.push(id);
    expect(read).toEqual(frames.map(({ id }) => id));
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/harness/turn']);
    expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer tpk_1');
  });

  it('takes the options that there are, which the compiler knows', async () => {
    const server = new FakeServer(frames);
    const known: TurnRequest = { ...request, opts: { maxTurns: 3 } };
    // @ts-expect-error There is no option `maxTurn`.
    const unknown: TurnRequest = { ...request, opts: { maxTurn: 3 } };
    const { ask } = open(server);
    const turns = [await ask(known), await ask(unknown)];
    expect(turns.map(({ turnId }) => turnId)).toEqual(['turn_1', 'turn_1']);
  });

  it('asks again under one key until it has an answer', async () => {
    const gateway = new Response('<html>', { status: 502 });
    const later = refusal(503, { 'retry-after': '5' }, 'STORAGE_UNAVAILABLE');
    const server = new FakeServer(frames, { before: [refused, gateway, later] });
    await open(server).ask();
    const [first, ...others] = keysOf(server);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(others).toEqual([first, first, first]);
  });

  it('does not wait for another turn of the session, also where the first answer was lost', async () => {
    const body = { error: { type: 'TURN_IN_PROGRESS', message: 'Busy.', retryable: true } };
    const busy = new Response(JSON.stringify(body), { status: 409 });
    const server = new FakeServer(frames, { before: [refused, busy] });
    await expect(open(server).ask()).rejects.toMatchObject({
      code: 'TURN_IN_PROGRESS',
      retryable: true,
    });
    expect(server.requests).toHaveLength(2);
  });

  it('has a key of its own for each turn, or the caller’s', async () => {
    const server = new FakeServer(frames);
    const { ask } = open(server);
    await ask();
    await ask();
    await ask({ idempotencyKey: 'mine' });
    const [first, second, third] = keysOf(server);
    expect(first).not.toBe(second);
    expect(third).toBe('mine');
  });

  it.each([
    [400, {}],
    [409, {}],
    [429, { 'retry-after': '5' }],
    [500, {}],
    [503, {}],
  ])('takes a %i with %j for an answer', async (status, headers) => {
    const server = new FakeServer(frames, { before: [refusal(status, headers)] });
    const failed = await open(server)
      .ask()
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TurnpikeError);
    expect(failed).toMatchObject({ code: 'NO', status, retryable: 'retry-after' in headers });
    expect(server.requests).toHaveLength(1);
  });

  it('does not take a rate limit for an answer where the first one was lost', async () => {
    const server = new FakeServer(frames, {
      before: [refused, refusal(429, { 'retry-after': '2' })],
    });
    expect((await open(server).ask()).turnId).toBe('turn_1');
    expect(server.requests).toHaveLength(3);
  });

  it('gives up in the end', async () => {
    const server = new FakeServer(frames, { before: Array.from({ length: 99 }, () => refused) });
    await expect(open(server).ask()).rejects.toBeInstanceOf(ConnectionLostError);
  });

  it('says so of an answer that no Turnpike gives', async () => {
    const server = new FakeServer(frames, { before: [new Response('hello')] });
    await expect(open(server).ask()).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' });
  });

  it('leaves when its signal says so', async () => {
    const server = new FakeServer(frames, { before: Array.from({ length: 99 }, () => refused) });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(open(server).ask({ signal })).rejects.toThrow('enough');
  });
});
