import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openServerDatabase } from '../support/database/both-databases.js';
import { ManualClock } from '../support/manual-clock.js';
import { storeTurn } from '../support/turn/store-turn.js';
import { type TurnEventBody, noUsage } from '../../src/events/turn-event.js';
import { usageDays } from '../../src/storage/governance-schema.js';
import { turns } from '../../src/storage/schema.js';
import { keepLease } from '../../src/turn/worker/keep-lease.js';
import { Lease } from '../../src/turn/state/lease.js';
import type { Claim } from '../../src/turn/state/attempt.js';
import { WorkerSlots, type WorkerSlot } from '../../src/turn/worker/worker-slot.js';
import {
  ReservationWait,
  reserveCall,
  type CallToReserve,
  type Reserved,
} from '../../src/governance/budgets/reserve-call.js';
import { loadDay, settle, type Reservation } from '../../src/governance/budgets/usage-days.js';
import { useDatabase } from '../support/database/database.js';

const call: CallToReserve = {
  principalId: 'alice',
  limits: { tokensPerDay: 1_000, usdPerDay: 0 },
  size: { input: 100, cached: 0, reply: 900 },
  minReply: 16,
  price: undefined,
};
const HOUR_MS = 3_600_000;

describe('a call whose day is reserved by others', () => {
  const database = useDatabase(openServerDatabase);

  let clock: ManualClock;
  let lease: Lease;
  let slots: WorkerSlots;
  let slot: WorkerSlot;
  let notices: TurnEventBody[];
  let own: string;
  let other: string;
  beforeEach(async () => {
    await database.db.delete(usageDays);
    await database.db.delete(turns);
    clock = new ManualClock();
    lease = new Lease();
    slots = new WorkerSlots(1);
    slot = await slots.take();
    notices = [];
    const leaseUntil = new Date(Date.now() + HOUR_MS);
    own = await storeTurn(database.db, { principalId: 'alice', leaseUntil });
    other = await storeTurn(database.db, { principalId: 'alice', leaseUntil });
  });

  const wait = () =>
    new ReservationWait({
      ...deps(),
      turnId: own,
      emit: (event) => void notices.push(event),
      releaseSlotWhile: (work) => slot.releaseWhile(work),
    });
  const deps = () => ({ db: database.db, clock, signal: lease.signal });
  async function reserveAll(): Promise<Reservation> {
    const reserved = await reserveCall(deps(), call);
    if (reserved.type !== 'reserved') throw new Error('There was nothing to reserve');
    return reserved.reservation;
  }
  /**
   * Lets time pass until the work is done.
   *
   * @param timers of others than the work.
   * @returns what it came to, and for how long.
   */
  async function passUntil<T>(work: Promise<T>, timers = 0): Promise<{ result: T; ms: number }> {
    const begunAt = clock.now();
    const progress = { isDone: false };
    const done = work.finally(() => (progress.isDone = true));
    done.catch(() => undefined);
    while (!progress.isDone) {
      // Nothing moves while the database is asked: time passes for the wait alone.
      if (clock.pending > timers) await clock.advance(250);
      else await yieldToEventLoop();
    }
    return { result: await done, ms: clock.now() - begunAt };
  }
  const replyOf = (reserved: Reserved) =>
    reserved.type === 'reserved' ? reserved.reply : undefined;

  it('waits until they are settled, posts one notice, and leaves its slot to others', async () => {
    const reservation = await reserveAll();
    const reserving = wait().reserve(call);
    const third = await slots.take();
    while (clock.pending === 0) await yieldToEventLoop();
    await clock.advance(5_000);
    await settle(database.db, reservation, { ...noUsage, inputTokens: 50, outputTokens: 50 });
    third.leave();
    const { result } = await passUntil(reserving);
    expect(replyOf(result)).toBe(800);
    expect(notices).toEqual([
      {
        type: 'notice.posted',
        kind: 'budget-wait',
        level: 'step',
        text: "What is left of today's budget of 1,000 tokens is reserved by other turns. The turn waits for up to 30 s.",
        metadata: { budget: 'daily_token_budget', waitMs: 30_000 },
        seenByModel: false,
      },
    ]);
  });

  it('waits for 30 s at most, however often it is reserved, and is refused then', async () => {
    await reserveAll();
    const waiting = wait();
    const first = await passUntil(waiting.reserve(call));
    expect(first.result).toMatchObject({ type: 'refused', shortage: { used: { tokens: 1_000 } } });
    expect(first.ms).toBeGreaterThanOrEqual(30_000);
    expect(first.ms).toBeLessThanOrEqual(31_000);
    const second = await passUntil(waiting.reserve(call));
    expect(second).toMatchObject({ result: { type: 'refused' }, ms: 0 });
    expect(notices).toHaveLength(1);
  });

  it('is cancelled while it waits, and its lease goes on until then', async () => {
    await reserveAll();
    let beats = 0;
    const claim = { id: own, attempt: 1 } satisfies Pick<Claim, 'id' | 'attempt'>;
    const heartbeat = keepLease({
      claims: {
        extend: async () => {
          beats += 1;
          return { cancel: beats > 5 ? 'interrupt' : null, steered: 0 };
        },
      },
      claim,
      lease,
      clock,
      leaseMs: 9_000,
      onError: (error) => {
        throw error;
      },
    });
    const reserving = wait().reserve(call);
    await expect(passUntil(reserving, 1)).rejects.toThrow('interrupt');
    heartbeat.stop();
    expect(lease.reason).toBe('interrupt');
    expect(beats).toBe(6);
    expect(
      (await loadDay(database.db, { principalId: 'alice', day: '2026-01-01' })).used.tokens,
    ).toBe(1_000);
  });

  it.each([
    ['died', { leaseUntil: new Date(0) }],
    ['ended', { status: 'completed' as const }],
    ['is of somebody else', { principalId: 'bob' }],
  ])('does not wait for a turn that %s', async (_what, changed) => {
    await reserveAll();
    await database.db.update(turns).set(changed);
    expect(await wait().reserve(call)).toMatchObject({ type: 'refused' });
    expect([notices, other]).toEqual([[], other]);
  });

  it('does not wait where its day is used up, or has a reply for it', async () => {
    const limits = { tokensPerDay: 900, usdPerDay: 0 };
    const size = { input: 0, cached: 0, reply: 500 };
    expect(replyOf(await wait().reserve({ ...call, limits, size }))).toBe(500);
    // Less than it wanted, and more than half of it.
    expect(replyOf(await wait().reserve({ ...call, limits, size }))).toBe(400);
    await database.db.update(usageDays).set({ reservedTokens: 0 });
    expect(await wait().reserve({ ...call, limits, size })).toMatchObject({ type: 'refused' });
    expect(notices).toEqual([]);
  });

  it('goes on with the next day when that begins while it waits', async () => {
    await clock.advance(24 * HOUR_MS - 10_000);
    await reserveAll();
    const { result, ms } = await passUntil(wait().reserve(call));
    expect(replyOf(result)).toBe(900);
    expect(ms).toBeLessThanOrEqual(11_000);
  });
});
