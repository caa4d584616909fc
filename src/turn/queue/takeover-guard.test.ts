import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { claimOne } from '../../../test/support/turn/claim-one.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { TurnCommits } from '../../events/turn-commits.js';
import type { StoreWrite } from '../../storage/write-kind.js';
import { noUsage } from '../../events/turn-event.js';
import { insertStep } from '../state/stored-turn.js';
import { turns } from '../../storage/schema.js';
import { claimToolCall, endToolCall } from '../../tools/ledger.js';
import type { Claim } from '../state/attempt.js';
import { TurnClaims } from './turn-claims.js';
import { TakeoverGuard } from './takeover-guard.js';

describe('attempts in vain', () => {
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(turns);
  });

  const now = new Date();
  const claims = () => new TurnClaims(database.db, { leaseMs: 30_000 });
  const queued = () => storeTurn(database.db, { status: 'queued', attempt: 0, startedAt: null });

  /** The claim after the process of the one before died. */
  async function claim(turnId: string): Promise<Claim> {
    await database.db
      .update(turns)
      .set({ leaseUntil: new Date(0) })
      .where(eq(turns.id, turnId));
    const claimed = await claimOne(claims(), now);
    if (claimed === undefined) throw new Error('not claimed');
    return claimed;
  }

  const store = ({ id: turnId, attempt }: Claim, ...writes: StoreWrite[]) =>
    new TurnCommits(database.db).store({ turnId, attempt, writes, events: [], isRepeat: false });

  const call = ({ id: turnId, attempt }: Claim) => ({
    turnId,
    attempt,
    callId: 'call_1',
    step: 1,
    name: 'glob',
    input: {},
  });

  it('are counted', async () => {
    const turnId = await queued();
    const counts = [];
    for (const _attempt of [1, 2, 3]) counts.push((await claim(turnId)).attemptsInVain);
    expect(counts).toEqual([1, 2, 3]);
  });

  it.each<[string, (claimed: Claim) => StoreWrite]>([
    [
      'a step',
      ({ id: turnId, attempt }) =>
        insertStep({
          turnId,
          attempt,
          step: 1,
          parts: [],
          stopReason: 'end_turn',
          usage: noUsage,
          sent: null,
          startedAt: now,
          endedAt: now,
        }),
    ],
    ['a call', (claimed) => claimToolCall(call(claimed), now)],
    [
      'a call that was answered without being run',
      (claimed) => endToolCall(call(claimed), { status: 'denied', output: '', durationMs: 0 }, now),
    ],
  ])('are counted anew after one that stored %s', async (_what, fact) => {
    const turnId = await queued();
    await claim(turnId);
    const second = await claim(turnId);
    await store(second, fact(second));
    const counts = [second.attemptsInVain];
    for (const _attempt of [3, 4]) counts.push((await claim(turnId)).attemptsInVain);
    expect(counts).toEqual([2, 1, 2]);
  });

  it('are counted anew after one that stored the end of an earlier one’s call', async () => {
    const turnId = await queued();
    const first = await claim(turnId);
    await store(first, claimToolCall(call(first), now));
    await claim(turnId);
    const third = await claim(turnId);
    await store(
      third,
      endToolCall(call(third), { status: 'success', output: '', durationMs: 1 }, now),
    );
    expect([third.attemptsInVain, (await claim(turnId)).attemptsInVain]).toEqual([2, 1]);
  });

  it('are none of a turn that was handed back in order', async () => {
    const turnId = await queued();
    await claim(turnId);
    await claims().release(await claim(turnId));
    expect((await claim(turnId)).attemptsInVain).toBe(1);
  });

  it('are none of a turn that waited for people', async () => {
    const turnId = await queued();
    await claim(turnId);
    const { attempt } = await claim(turnId);
    const parked = { status: 'waiting', parkedAttempt: attempt, waitingSince: now } as const;
    await database.db
      .update(turns)
      .set({ ...parked, leaseUntil: null })
      .where(eq(turns.id, turnId));
    await claims().wake([turnId]);
    expect((await claim(turnId)).attemptsInVain).toBe(1);
  });

  it('are none of a turn that waits for a subagent, until that has ended', async () => {
    const turnId = await queued();
    await claim(turnId);
    const child = await storeTurn(database.db, { parentTurnId: turnId, parentCallId: 'call_1' });
    const before = [await claim(turnId), await claim(turnId)];
    await database.db.update(turns).set({ endedAt: now }).where(eq(turns.id, child));
    const after = [await claim(turnId), await claim(turnId)];
    expect(before.map((one) => one.attemptsInVain)).toEqual([1, 1]);
    expect(after.map((one) => one.attemptsInVain)).toEqual([2, 3]);
  });
});

describe('TakeoverGuard', () => {
  const turn = (attempt: number, attemptsInVain: number) => ({
    attempt,
    attemptsInVain,
    parkedAttempt: null,
  });

  it('run side by side after a crash', () => {
    const guard = new TakeoverGuard(3);
    for (const one of [turn(2, 1), turn(2, 2), turn(7, 2)]) {
      expect(guard.begin(one)).toBeDefined();
    }
  });

  it('leave one on its last attempt alone until it has stored something', () => {
    const guard = new TakeoverGuard(3);
    const proven = guard.begin(turn(3, 3));
    expect(proven).toBeDefined();
    expect(guard.begin(turn(3, 3))).toBeUndefined();
    expect(guard.begin(turn(2, 1))).toBeUndefined();
    proven?.();
    expect(guard.begin(turn(2, 1))).toBeDefined();
  });

  it('make one on its last attempt wait until all others have stored something', () => {
    const guard = new TakeoverGuard(3);
    const others = [guard.begin(turn(2, 1)), guard.begin(turn(2, 2))];
    expect(guard.begin(turn(3, 3))).toBeUndefined();
    others[0]?.();
    expect(guard.begin(turn(3, 3))).toBeUndefined();
    others[1]?.();
    others[1]?.();
    expect(guard.begin(turn(3, 3))).toBeDefined();
  });

  it('are none of a first attempt, of one after a question to people, and of one that is only ended', () => {
    const guard = new TakeoverGuard(3);
    guard.begin(turn(3, 3));
    expect(guard.begin(turn(1, 1))).toBeDefined();
    expect(guard.begin({ attempt: 4, attemptsInVain: 1, parkedAttempt: 3 })).toBeDefined();
    expect(guard.begin(turn(4, 4))).toBeDefined();
  });

  it('run side by side where every attempt is the last', () => {
    const guard = new TakeoverGuard(1);
    expect(guard.begin(turn(2, 1))).toBeDefined();
    expect(guard.begin(turn(2, 1))).toBeDefined();
  });
});
