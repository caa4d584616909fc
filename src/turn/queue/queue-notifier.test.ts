import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { someOptions, storeTurn } from '../../../test/support/turn/store-turn.js';
import { loadArchive } from '../../events/archive.js';
import { MemoryEventLog } from '../../events/memory-event-log.js';
import { systemClock } from '../../platform/clock.js';
import { sessions, turns } from '../../storage/schema.js';
import { QueueNotifier } from './queue-notifier.js';
import { PREFERENCE_MS } from './choose-fairly.js';
import { MemorySignalBus, type SignalBus } from './signal-bus.js';
import { MemoryTurnQueue } from './turn-queue.js';
import { UnansweredDatabase } from '../../../test/support/database/unanswered-database.js';
import { useDatabase } from '../../../test/support/database/database.js';

describe.each(bothDatabases)(
  'the position of a turn that waits for a slot, on %s',
  (_name, open) => {
    const database = useDatabase(open);
    beforeEach(async () => {
      await database.db.delete(sessions);
    });

    const log = new MemoryEventLog(systemClock);
    const queue = new MemoryTurnQueue(() => undefined);
    const openNotifier = () =>
      new QueueNotifier(database.db, queue, new MemorySignalBus(), log, systemClock, silentLogger);
    const store = (second: number, more: Parameters<typeof storeTurn>[1] = {}): Promise<string> =>
      storeTurn(database.db, {
        status: 'queued',
        attempt: 0,
        createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
        ...more,
      });
    const positionOf = async (turnId: string): Promise<unknown> => {
      await openNotifier().publishQueued(turnId);
      return (await log.read(turnId)).map((event) => 'position' in event && event.position);
    };

    it('counts those before it, the background last, whatever their number', async () => {
      const priority = { options: { ...someOptions.options, priority: 'background' as const } };
      const quiet = await store(1, { options: { ...someOptions, ...priority } });
      const [second, first] = [await store(3), await store(2)];
      await store(0, { status: 'running', attempt: 1 });
      expect(await Promise.all([first, second, quiet].map(positionOf))).toEqual([[1], [2], [3]]);
    });

    it('is told of all turns of a moment at once, and again with the next number', async () => {
      const positions = openNotifier();
      const ids = [await store(1), await store(2), await store(3)];
      await Promise.all(ids.map((id) => positions.publishQueued(id)));
      await database.db.delete(turns).where(eq(turns.id, ids[0] ?? ''));
      await Promise.all(ids.map((id) => positions.publishQueued(id)));
      const logs = await Promise.all(ids.map((id) => log.read(id)));
      const numbers = logs.map((events) =>
        events.map((event) => [event.seq, 'position' in event && event.position]),
      );
      expect(numbers).toEqual([
        [[1, 1]],
        [
          [1, 2],
          [2, 1],
        ],
        [
          [1, 3],
          [2, 2],
        ],
      ]);
      expect(await loadArchive(database.db, ids[2] ?? '')).toEqual(logs[2]);
    });

    it('is the later one where a turn is asked for twice in a moment', async () => {
      const positions = openNotifier();
      const turnId = await store(1, { status: 'held' });
      await Promise.all([2, 1].map((position) => positions.publishPosition(turnId, position)));
      expect(
        (await log.read(turnId)).map((event) => 'position' in event && event.position),
      ).toEqual([1]);
    });

    it('is not told of a turn that a worker has, or that is over', async () => {
      for (const status of ['running', 'completed'] as const) {
        expect(await positionOf(await store(1, { status, attempt: 1 }))).toEqual([]);
      }
    });
  },
);

describe('a turn that no worker can be told of', () => {
  const database = useDatabase();

  async function openScene(wake: () => Promise<void>, isAway = false) {
    const clock = new ManualClock();
    const queue = Object.assign(new MemoryTurnQueue(() => undefined), { wake });
    // The log is where the queue is.
    const log = Object.assign(new MemoryEventLog(clock), { append: wake });
    const { db } = database;
    const bus = new MemorySignalBus();
    const own = Object.assign(new UnansweredDatabase(db), { isAway });
    const notifier = new QueueNotifier(own.db, queue, bus, log, clock, silentLogger);
    const turnId = await storeTurn(db, { status: 'queued', attempt: 0 });
    const waking = notifier.wakeWorker(turnId);
    let stuck = 0;
    waking.onStuck(() => (stuck += 1));
    const wait = async (ms = 3_000): Promise<void> => {
      await clock.advance(ms);
      await own.settled();
    };
    const reasons = async (): Promise<unknown[]> =>
      (await loadArchive(db, turnId)).map((event) => 'reason' in event && event.reason);
    return { clock, notifier, turnId, waking, wait, reasons, stuck: () => stuck };
  }

  const refuses = async (): Promise<never> => {
    throw new Error('OOM command not allowed');
  };

  it.each<[string, () => Promise<void>]>([
    ['refuses tokens', refuses],
    ['does not answer', () => new Promise(() => undefined)],
  ])('says so after three seconds, where the queue %s', async (_name, wake) => {
    const { waking, wait, reasons, stuck } = await openScene(wake);
    await wait(2_999);
    expect(stuck()).toBe(0);
    await wait(1);
    expect(stuck()).toBe(1);
    expect(await reasons()).toEqual([false, 'queue-unavailable']);
    let late = 0;
    waking.onStuck(() => (late += 1));
    expect(late).toBe(1);
  });

  it('says so once, and earlier, where the database takes nothing', async () => {
    const { wait, stuck } = await openScene(async () => undefined, true);
    await wait(250);
    expect(stuck()).toBe(1);
    await wait();
    expect(stuck()).toBe(1);
  });

  it('says nothing where a worker has it all the same, or was told', async () => {
    const begun = await openScene(refuses);
    begun.waking.onBegun();
    await begun.wait();
    expect([begun.stuck(), await begun.reasons(), begun.clock.pending]).toEqual([0, [], 0]);
    const claimed = await openScene(refuses);
    await database.db
      .update(turns)
      .set({ status: 'running', attempt: 1 })
      .where(eq(turns.id, claimed.turnId));
    await claimed.wait();
    expect([claimed.stuck(), await claimed.reasons()]).toEqual([0, []]);
    const told = await openScene(async () => undefined);
    await told.wait();
    // It waits for a slot.
    expect([told.stuck(), await told.reasons()]).toEqual([0, [false]]);
  });
});

describe('the wake for a turn that prefers a worker', () => {
  const database = useDatabase();

  function openScene() {
    const clock = new ManualClock();
    const queue = new MemoryTurnQueue(() => undefined);
    const hinted: string[] = [];
    const bus: SignalBus = Object.assign(new MemorySignalBus(), {
      publishTurn: async (workerId: string) => void hinted.push(workerId),
    });
    const log = new MemoryEventLog(clock);
    const notifier = new QueueNotifier(database.db, queue, bus, log, clock, silentLogger);
    return { clock, queue, hinted, notifier };
  }

  it('goes to that worker, and to all once others may have the turn', async () => {
    const { clock, queue, hinted, notifier } = openScene();
    notifier.wakeWorker('turn_1', 'worker_1');
    await clock.advance(PREFERENCE_MS);
    expect([hinted, await queue.depth()]).toEqual([['worker_1'], 0]);
    await clock.advance(1);
    expect(await queue.depth()).toBe(1);
  });

  it('goes to nobody else once the turn has begun', async () => {
    const { clock, queue, notifier } = openScene();
    const { onBegun } = notifier.wakeWorker('turn_1', 'worker_1');
    onBegun();
    await clock.advance(10 * PREFERENCE_MS);
    expect([clock.pending, await queue.depth()]).toEqual([0, 0]);
  });

  it('goes to all at once for a turn that prefers none', async () => {
    const { queue, hinted, notifier } = openScene();
    notifier.wakeWorker('turn_1');
    expect([hinted, await queue.depth()]).toEqual([[], 1]);
  });
});
