import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { untilDone } from '../../../test/client/until-done.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { eventStream, FakeServer, turnFrames } from '../../../test/client/fake-server.js';
import { ConnectionLostError, TurnpikeError } from '../transport/client-errors.js';
import { TurnpikeClient } from '../turnpike-client.js';
import type { ClientOptions, Retrying } from '../transport/transport.js';

const turnId = 'turn_1';
const frames = turnFrames(turnId, 12);
const ids = frames.map(({ id }) => id);

function open(server: FakeServer, more: Partial<ClientOptions> = {}) {
  const clock = new ManualClock();
  const retries: Retrying[] = [];
  const client = new TurnpikeClient({
    url: 'http://turnpike.test/',
    fetch: server.fetch,
    clock,
    random: () => 0.5,
    onRetry: (retrying) => retries.push(retrying),
    ...more,
  });
  return { client, clock, retries };
}

/** Reads a turn to its end while the clock is moved. */
async function readAll(
  { client, clock }: ReturnType<typeof open>,
  options: { after?: string; signal?: AbortSignal } = {},
): Promise<string[]> {
  const read = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of client.follow(turnId, options)) ids.push(id);
    return ids;
  };
  return untilDone(clock, read());
}

describe('following a turn', () => {
  it('gets every event once, wherever connections break', async () => {
    const whole = frames.map(({ text }) => text).join('');
    const cuts = fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.integer({ min: 1, max: 400 }), async (lengths, size) => {
        const server = new FakeServer(frames, { cutAfter: lengths, chunkLength: size });
        expect(await readAll(open(server))).toEqual(ids);
      }),
      { numRuns: 60 },
    );
  });

  it('goes on after the last event that was taken', async () => {
    const server = new FakeServer(frames, { cutAfter: [150, 150] });
    await readAll(open(server));
    const [first, ...rest] = server.cursors;
    expect(first).toBeUndefined();
    expect(rest.length).toBeGreaterThan(1);
    for (const cursor of rest) expect(ids).toContain(cursor);
  });

  it('begins after an event that is known', async () => {
    const server = new FakeServer(frames);
    expect(await readAll(open(server), { after: ids[4] ?? '' })).toEqual(ids.slice(5));
    expect(server.cursors).toEqual([ids[4]]);
  });

  it('is over where the server says that nothing comes after it', async () => {
    const server = new FakeServer(frames, { before: [new Response(null, { status: 204 })] });
    const opened = open(server);
    expect(await readAll(opened, { after: ids.at(-1) ?? '' })).toEqual([]);
    expect([server.requests.length, opened.retries]).toEqual([1, []]);
  });

  it('waits longer from try to try, and starts anew when an event came', async () => {
    const refused = new Error('connect ECONNREFUSED');
    const server = new FakeServer(frames, {
      before: [refused, refused, refused, 'serve', refused],
      cutAfter: [200],
    });
    const opened = open(server);
    expect(await readAll(opened)).toEqual(ids);
    expect(opened.retries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 125],
      [2, 250],
      [3, 500],
      [1, 125],
      [2, 250],
    ]);
  });

  it('comes again when the server says', async () => {
    const busy = new Response('{"error":{"type":"STORAGE_UNAVAILABLE","message":"Wait."}}', {
      status: 503,
      headers: { 'retry-after': '5' },
    });
    const opened = open(new FakeServer(frames, { before: [busy] }));
    expect(await readAll(opened)).toEqual(ids);
    expect(opened.retries.map(({ delayMs }) => delayMs)).toEqual([5_000]);
  });

  it.each([404, 410, 400, 401])('gives up on a %i, with what the server says', async (status) => {
    const refusal = new Response('{"error":{"type":"NO","message":"Not so.","details":{"a":1}}}', {
      status,
    });
    const server = new FakeServer(frames, { before: [refusal] });
    const failed = await readAll(open(server)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TurnpikeError);
    expect(failed).toMatchObject({
      code: 'NO',
      status,
      message: 'Not so.',
      retryable: false,
      details: { a: 1 },
    });
    expect(server.cursors).toHaveLength(1);
  });

  it('gives up when the server was silent for too long, and says where to go on', async () => {
    const down = Array.from({ length: 100 }, () => new Error('connect ECONNREFUSED'));
    const server = new FakeServer(frames, { before: ['serve', ...down], cutAfter: [400] });
    const opened = open(server, { maxSilenceMs: 60_000 });
    const failed = await readAll(opened).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ConnectionLostError);
    const { lastEventId, turnId: lost } = failed as ConnectionLostError;
    expect([lost, ids.includes(lastEventId ?? '')]).toEqual([turnId, true]);
    const waited = opened.retries.reduce((sum, { delayMs }) => sum + delayMs, 0);
    expect(waited).toBeLessThanOrEqual(60_000);
    expect(waited).toBeGreaterThan(50_000);
  });

  it('takes a connection on which nothing comes for dead', async () => {
    const server = new FakeServer(frames, { cutAfter: [200], hang: true });
    const opened = open(server, { stallMs: 30_000 });
    expect(await readAll(opened)).toEqual(ids);
    expect(opened.retries).toHaveLength(1);
  });

  it('keeps its cursor over what has no id', async () => {
    const stall = { id: '', text: 'event: turn:stalled\ndata: {"silentMs":5000}\n\n' };
    const said = [...frames.slice(0, 3), stall];
    const cut = said.map(({ text }) => text).join('').length;
    const server = new FakeServer([...said, ...frames.slice(3)], { cutAfter: [cut] });
    const opened = open(server);
    expect(await readAll(opened)).toEqual([...ids.slice(0, 3), '', '', ...ids.slice(3)]);
    expect(server.cursors).toEqual([undefined, ids[2]]);
  });

  it('reads no further than it is asked to', async () => {
    const server = new FakeServer(turnFrames(turnId, 1_000), { chunkLength: 100 });
    const { client } = open(server);
    const events = client.follow(turnId)[Symbol.asyncIterator]();
    for (let taken = 0; taken < 10; taken += 1) await events.next();
    expect(server.chunksSent).toBeLessThan(20);
    await events.return(undefined);
    expect(server.cancelled).toBe(1);
  });

  it('goes on where a loop was left', async () => {
    const server = new FakeServer(frames);
    const turn = open(server).client.follow(turnId);
    const read: string[] = [];
    for await (const { id } of turn) {
      read.push(id);
      if (read.length === 5) break;
    }
    expect(turn.lastEventId).toBe(ids[4]);
    for await (const { id } of turn) read.push(id);
    expect(read).toEqual(ids);
    for await (const { id } of turn) read.push(id);
    expect(read).toEqual(ids);
  });

  it('has one reader at a time, and says how to have more', async () => {
    const turn = open(new FakeServer(frames)).client.follow(turnId);
    await turn[Symbol.asyncIterator]().next();
    await expect(turn.result()).rejects.toThrow("client.follow('turn_1')");
  });

  it('leaves when its signal says so, also while it waits', async () => {
    const leaving = new AbortController();
    const down = Array.from({ length: 9 }, () => new Error('connect ECONNREFUSED'));
    const { client, clock } = open(new FakeServer(frames, { before: down }));
    const turn = client.follow(turnId, { signal: leaving.signal });
    const reading = turn[Symbol.asyncIterator]().next();
    reading.catch(() => undefined);
    await clock.advance(10);
    leaving.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });

  it('ends with its client: what waits, what is read, and what is asked later', async () => {
    const closed = new AbortController();
    const down = Array.from({ length: 9 }, () => new Error('connect ECONNREFUSED'));
    const waiting = open(new FakeServer(frames, { before: down }), { closed: closed.signal });
    const hanging = open(new FakeServer(frames, { cutAfter: [200], hang: true }), {
      closed: closed.signal,
    });
    const ended = [
      waiting.client.follow(turnId).result(),
      waiting.client.turn({ sessionId: 'sess_1', message: 'Hello' }),
      hanging.client.follow(turnId).result(),
    ].map((one) => one.catch((error: unknown) => error));
    await waiting.clock.advance(10);
    const reason = new TurnpikeError('CLOSED', { status: 503, message: 'No.', retryable: false });
    closed.abort(reason);
    expect(await Promise.all(ended)).toEqual([reason, reason, reason]);
    await expect(waiting.client.agents()).rejects.toBe(reason);
    expect([waiting.clock.pending, hanging.clock.pending]).toEqual([0, 0]);
  });

  it('gives no more of what has come to who has left', async () => {
    const leaving = new AbortController();
    const { client } = open(new FakeServer(frames, { chunkLength: 10_000 }));
    const turn = client.follow(turnId, { signal: leaving.signal });
    const read: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const { id } of turn) {
        read.push(id);
        if (read.length === 3) leaving.abort(new Error('enough'));
      }
    };
    await expect(reading()).rejects.toThrow('enough');
    expect([read, turn.lastEventId]).toEqual([ids.slice(0, 3), ids[2]]);
  });

  it('gives up on what answers everything, and is no Turnpike', async () => {
    const opened = open(new FakeServer([]), {
      fetch: async () => new Response(': hello\n\n'),
    });
    await expect(readAll(opened)).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' });
    expect(opened.retries).toEqual([]);
  });

  it('counts no event as received that cannot be read', async () => {
    const broken = `event: chat:delta\nid: ${ids[0]}\ndata: null\n\n`;
    const opened = open(new FakeServer(frames, { before: [eventStream(broken)] }));
    expect(await readAll(opened)).toEqual(ids);
  });

  it('ends where there is nothing after the event it was to go on after', async () => {
    const server = new FakeServer(frames);
    expect(await readAll(open(server), { after: ids.at(-1) ?? '' })).toEqual([]);
  });

  it('tells what the turn came to', async () => {
    const server = new FakeServer(frames, { cutAfter: [300] });
    const opened = open(server);
    const result = await untilDone(opened.clock, opened.client.follow(turnId).result());
    expect(result).toMatchObject({ turnId, outcome: 'completed', exitCode: 0 });
    expect(result.text).toMatch(/^word0 word1 /);
  });
});
