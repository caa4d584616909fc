import type { CancelReason } from '../../storage/shapes/stored-turn.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { MemoryTurnQueue, type TurnQueue } from '../queue/turn-queue.js';
import type { TurnCanceller } from '../lifecycle/turn-canceller.js';
import { Sweeper } from './sweeper.js';

describe('Sweeper', () => {
  let clock: ManualClock;
  let taken: number;
  let queue: MemoryTurnQueue;
  /** Turns to be claimed, sweep by sweep; none after the last. */
  let found: (() => Promise<number>)[];
  let sweeper: Sweeper;
  beforeEach(() => {
    clock = new ManualClock();
    taken = 0;
    queue = new MemoryTurnQueue(() => undefined);
    found = [];
    waited = [];
    [woken, wakeable, unwanted, stuck, promoted, ended] = [[], [], [], [], [], []];
    orphans = [];
    expired = 0;
    [cancels, startedOver] = [0, 0];
    const abandoned = {
      cancel: async () => void (cancels += 1),
      startOver: () => void (startedOver += 1),
    };
    const claims = {
      wakeable: async () => wakeable.splice(0),
      wake: async (ids: readonly string[]) => (woken.push(...ids), [...ids]),
      unwanted: async () => unwanted.splice(0),
      stuckSessions: async () => stuck.splice(0),
      orphans: async () => orphans.splice(0),
    };
    const notifier = {
      promoteNext: async (sessionId: string): Promise<void> => {
        if (sessionId === 'broken') throw new Error('cannot be stored');
        promoted.push(sessionId);
      },
    };
    const canceller: Pick<TurnCanceller, 'cancel' | 'endIdle'> = {
      cancel: async (turnId, reason) => (ended.push([turnId, reason]), 'running'),
      endIdle: async (turnId, { reason }) => ended.push([turnId, reason]) > 0,
    };
    const approvals = { expire: async () => (expired += 1) };
    open = (find, tokens = queue) => {
      const claimable = (ms: number): Promise<number> => {
        waited.push(ms);
        return find();
      };
      return new Sweeper(
        { ...claims, claimable },
        tokens,
        approvals,
        abandoned,
        notifier,
        canceller,
        clock,
        silentLogger,
      );
    };
    sweeper = open(async () => (await found.shift()?.()) ?? 0);
  });
  let woken: string[];
  let wakeable: string[];
  let unwanted: { id: string; reason: CancelReason }[];
  let stuck: string[];
  let orphans: string[];
  let promoted: string[];
  let ended: [string, CancelReason][];
  let expired: number;
  let waited: number[];
  let cancels: number;
  let startedOver: number;
  let open: (find: () => Promise<number>, tokens?: Pick<TurnQueue, 'wake' | 'depth'>) => Sweeper;
  const consume = (): Promise<void> => queue.consume(async () => void (taken += 1));

  it('wakes workers for what an earlier process left before anything else', async () => {
    await consume();
    found = [async () => 2];
    await sweeper.start();
    await clock.advance(0);
    expect(taken).toBe(1);
  });

  it('adds a token where there is none, and nothing where no turn can be claimed', async () => {
    let added = 0;
    const tokens = { depth: async () => depth, wake: async () => void (added += 1) };
    sweeper = open(async () => (await found.shift()?.()) ?? 0, tokens);
    found = [async () => 0, async () => 2, async () => 2];
    let depth = 0;
    await sweeper.start();
    expect(added).toBe(0);
    await clock.advance(500);
    expect(added).toBe(1);
    depth = 1;
    await clock.advance(500);
    expect(added).toBe(1);
  });

  it('goes on after a sweep that failed, and takes nobody for gone that it did not see', async () => {
    await consume();
    const fail = async (): Promise<number> => {
      throw new Error('no database');
    };
    found = [async () => 0, fail, async () => 1];
    await sweeper.start();
    await clock.advance(500);
    expect(startedOver).toBe(1);
    await clock.advance(500);
    expect(taken).toBe(1);
    expect(startedOver).toBe(1);
  });

  it('fails to start when the database does not answer', async () => {
    found = [() => Promise.reject(new Error('no database'))];
    await expect(sweeper.start()).rejects.toThrow('no database');
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer once it is stopped, also in the middle of a sweep', async () => {
    await sweeper.start();
    expect(clock.pending).toBe(1);
    sweeper.stop();
    expect(clock.pending).toBe(0);

    let answer = (_turns: number): void => undefined;
    const slow = new Promise<number>((resolve) => (answer = resolve));
    const second = open(() => slow);
    const starting = second.start();
    second.stop();
    answer(0);
    await starting;
    expect(clock.pending).toBe(0);
  });

  it('counts queued turns at the start, and later only those whose token may be lost', async () => {
    await sweeper.start();
    await clock.advance(500);
    await clock.advance(500);
    expect(waited).toEqual([0, 1_000, 1_000]);
    // At the start, too: what readers leave from then on was seen.
    expect(cancels).toBe(3);
  });

  it('decides what people did not, and wakes what was answered, at each look', async () => {
    await sweeper.start();
    wakeable = ['a'];
    await clock.advance(500);
    expect(woken).toEqual(['a']);
    expect(expired).toBe(1);
    await clock.advance(500);
    expect(expired).toBe(2);
  });

  it('ends held turns that nobody wants, and lets go what is held behind nothing', async () => {
    await sweeper.start();
    unwanted = [{ id: 'a', reason: 'superseded' }];
    stuck = ['s'];
    orphans = ['o'];
    await clock.advance(500);
    expect(ended).toEqual([
      ['a', 'superseded'],
      ['o', 'parent-ended'],
    ]);
    expect(promoted).toEqual(['s']);
  });

  it('does everything else where a session cannot be let go, and takes readers as they are', async () => {
    await consume();
    await sweeper.start();
    stuck = ['broken', 'behind'];
    orphans = ['o'];
    found = [async () => 1];
    await clock.advance(500);
    expect(promoted).toEqual(['behind']);
    expect(ended).toEqual([['o', 'parent-ended']]);
    expect([taken, cancels, startedOver]).toEqual([1, 2, 0]);
  });
});
