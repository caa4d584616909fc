import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import type { Aside } from '../../http/streams/aside.js';
import { turns } from '../../storage/schema.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { SilentWorkers } from './silent-workers.js';

const leaseUntil = new Date('2126-01-01T00:00:30Z');

describe('readers of turns whose workers do not answer', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let told: Aside[];
  /** Whether hints pass between processes. */
  let isBusUp: boolean;
  /** For so long this process stood still. */
  let skippedMs: number;
  let turnId: string;
  let workers: SilentWorkers;
  let say: (name: string) => void;

  beforeEach(async () => {
    clock = new ManualClock();
    told = [];
    isBusUp = true;
    skippedMs = 0;
    turnId = await storeTurn(database.db);
    await database.db
      .update(turns)
      .set({ status: 'running', attempt: 1, worker: '1:worker_a', leaseUntil })
      .where(eq(turns.id, turnId));
    const listeners = new Set<(name: string) => void>();
    say = (name) => {
      if (isBusUp) for (const listener of listeners) listener(name);
    };
    const bus = {
      workerId: 'worker_own',
      publishAlive: async (name: string) => say(name),
      onAlive: async (listener: (name: string) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const claims = new TurnClaims(database.db, { leaseMs: 30_000 });
    const after = clock.after.bind(clock);
    const shifted = { now: () => clock.now() + skippedMs, after };
    workers = new SilentWorkers(bus, claims, shifted, silentLogger);
    workers.watch(turnId, (aside) => told.push(aside));
  });

  /** Seconds in which these workers give their signs. */
  async function pass(seconds: number, ...living: string[]): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      for (const worker of living) say(worker);
      await clock.advance(1_000);
      // The look may have asked the database.
      await database.db.select({ id: turns.id }).from(turns);
      await clock.advance(0);
    }
  }

  it('are told once after five seconds, and again when it was heard meanwhile', async () => {
    await pass(10, 'worker_a');
    expect(told).toEqual([]);
    await pass(3);
    expect(told).toEqual([]);
    await pass(5);
    const data = { silentMs: 5_000, leaseUntil: leaseUntil.toISOString() };
    expect(told).toEqual([{ name: 'turn:stalled', data }]);
    await pass(2, 'worker_a');
    await pass(6);
    expect(told).toHaveLength(2);
  });

  it('are not told again after hints did not pass for a while, if it was not heard since', async () => {
    await pass(2, 'worker_a');
    await pass(6);
    expect(told).toHaveLength(1);
    isBusUp = false;
    await pass(5);
    isBusUp = true;
    await pass(20);
    expect(told).toHaveLength(1);
  });

  it('are told nothing of a worker that was never heard, or that has other turns', async () => {
    await pass(10);
    expect(told).toEqual([]);
    await pass(3, 'worker_b');
    await pass(10);
    expect(told).toEqual([]);
    await pass(3, 'worker_a');
    await database.db.update(turns).set({ attempt: 2, worker: '2:worker_b' });
    await pass(10);
    expect(told).toEqual([]);
  });

  it('are told of a worker that was never heard, once their turn was found with it', async () => {
    await pass(5);
    workers.expect('worker_a');
    await pass(4);
    expect(told).toEqual([]);
    await pass(1);
    expect(told).toHaveLength(1);
  });

  it('are told nothing while hints do not pass, and nothing when this process stood still', async () => {
    await pass(3, 'worker_a');
    isBusUp = false;
    await pass(20, 'worker_a');
    isBusUp = true;
    await pass(2);
    await pass(4, 'worker_a');
    expect(told).toEqual([]);
    skippedMs = 60_000;
    await pass(4, 'worker_a');
    expect(told).toEqual([]);
  });
});
