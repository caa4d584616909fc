import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { archiveEvents } from '../../../test/support/turn/archive-events.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import type { LogListener } from '../../events/event-log.js';
import { MemoryEventLog } from '../../events/memory-event-log.js';
import type { OnEvents, TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { turns } from '../../storage/schema.js';
import { MemorySignalBus } from '../queue/signal-bus.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { SilentWorkers } from './silent-workers.js';
import { EndPoller, TurnFollower, type FollowOptions } from './turn-follower.js';

describe('TurnFollower', () => {
  const database = useDatabase();

  let log: LossyLog;
  let turnId: string;
  let clock: ManualClock;
  let ends: EndPoller;
  let silent: SilentWorkers;
  beforeEach(async () => {
    clock = new ManualClock();
    log = new LossyLog(clock);
    const claims = new TurnClaims(database.db, { leaseMs: 1_000 });
    silent = new SilentWorkers(new MemorySignalBus(), claims, clock, silentLogger);
    ends = new EndPoller(database.db, clock, silentLogger, silent);
    turnId = await storeTurn(database.db);
  });

  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const stamp = (body: TurnEventBody, attempt: number, seq: number): TurnEvent => ({
    ...body,
    attempt,
    seq,
    at: '',
  });
  const delta = (attempt: number, seq: number): TurnEvent =>
    stamp({ type: 'text.delta', step: 1, text: `${attempt}.${seq}` }, attempt, seq);
  const end = (attempt: number, seq: number): TurnEvent =>
    stamp(
      {
        type: 'turn.ended',
        outcome: 'completed',
        exitCode: 0,
        reason: 'end_turn',
        text: '',
        usage,
        durationMs: 0,
      },
      attempt,
      seq,
    );

  const cursorsOf = (events: readonly TurnEvent[]): string[] =>
    events.map(({ attempt, seq }) => `${attempt}.${seq}`);

  async function collect(
    signal = new AbortController().signal,
    options?: FollowOptions,
  ): Promise<string[]> {
    const seen: TurnEvent[] = [];
    const follower = new TurnFollower(log, database.db, ends, silent);
    const take: OnEvents = (events) => {
      seen.push(...events);
      return false;
    };
    await follower.follow(turnId, signal, take, options);
    return cursorsOf(seen);
  }

  it('gives what was said before, then what is said, and ends at the end', async () => {
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1), delta(1, 2)]);
    const following = collect();
    await yieldToEventLoop();
    await log.append(turnId, 1, [delta(1, 3)]);
    await log.append(turnId, 1, [end(1, 4)]);
    expect(await following).toEqual(['1.1', '1.2', '1.3', '1.4']);
  });

  it('misses and repeats nothing that is said while it starts', async () => {
    await log.begin(turnId, 1);
    for (let lead = 0; lead < 6; lead += 1) {
      turnId = await storeTurn(database.db);
      const following = collect();
      for (let seq = 1; seq <= 20; seq += 1) {
        // A different number of turns of the loop for each run: every step of the start is hit.
        if (seq === lead) await yieldToEventLoop();
        await log.append(turnId, 1, [delta(1, seq)]);
        await Promise.resolve();
      }
      await log.append(turnId, 1, [end(1, 21)]);
      expect(await following).toEqual(Array.from({ length: 21 }, (_, i) => `1.${i + 1}`));
    }
  });

  it('reads a turn that ended long ago from the archive alone', async () => {
    await archiveEvents(database.db, turnId, [delta(1, 1), delta(1, 2)]);
    await archiveEvents(database.db, turnId, [end(1, 3)]);
    expect(await collect()).toEqual(['1.1', '1.2', '1.3']);
  });

  it.each<[string, FollowOptions]>([
    ['the log', {}],
    ['the archive', { stage: 'ended' }],
  ])(
    'gives readers that come together what %s has in pieces of the event loop',
    async (_what, options) => {
      await log.begin(turnId, 1);
      await log.append(turnId, 1, [delta(1, 1), end(1, 2)]);
      await archiveEvents(database.db, turnId, [delta(1, 1), end(1, 2)]);
      const follower = new TurnFollower(log, database.db, ends, silent);
      let [given, most] = [0, 0];
      const take = () => {
        if (given === 0) setImmediate(() => (given = 0));
        given += 1;
        most = Math.max(most, given);
        return true;
      };
      const signal = new AbortController().signal;
      await Promise.all(
        Array.from({ length: 40 }, () => follower.follow(turnId, signal, take, options)),
      );
      expect(most).toBeLessThanOrEqual(8);
    },
  );

  it('reads a turn that is known to have ended from the archive, whatever the log has of it', async () => {
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1)]);
    await archiveEvents(database.db, turnId, [delta(1, 1), end(1, 2)]);
    const sources: string[] = [];
    const seen = await collect(undefined, {
      stage: 'ended',
      onBackfilled: (source) => sources.push(source),
    });
    expect([seen, sources]).toEqual([['1.1', '1.2'], ['archive']]);
  });

  it('goes from the archive of an earlier attempt to the live one', async () => {
    await archiveEvents(database.db, turnId, [delta(1, 1), delta(1, 2)]);
    await log.begin(turnId, 2);
    await log.append(turnId, 2, [delta(2, 1)]);
    const following = collect();
    await yieldToEventLoop();
    await log.append(turnId, 2, [delta(2, 2), end(2, 3)]);
    expect(await following).toEqual(['1.1', '1.2', '2.1', '2.2', '2.3']);
  });

  it('does not repeat what both the archive and the log have', async () => {
    await archiveEvents(database.db, turnId, [delta(1, 1)]);
    await archiveEvents(database.db, turnId, [delta(2, 1), delta(2, 2)]);
    await log.begin(turnId, 2);
    await log.append(turnId, 2, [delta(2, 1), delta(2, 2), delta(2, 3), end(2, 4)]);
    expect(await collect()).toEqual(['1.1', '2.1', '2.2', '2.3', '2.4']);
  });

  it('begins with what was said while the turn waited', async () => {
    await log.append(turnId, 0, [stamp({ type: 'turn.queued', position: 1 }, 0, 1)]);
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1), end(1, 2)]);
    expect(await collect()).toEqual(['0.1', '1.1', '1.2']);
  });

  it('stops when its reader is gone, and leaves no listener', async () => {
    const gone = new AbortController();
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1)]);
    const following = collect(gone.signal);
    await yieldToEventLoop();
    gone.abort();
    expect(await following).toEqual(['1.1']);
  });

  it('reads again what a log that was away may have said meanwhile', async () => {
    await log.begin(turnId, 1);
    const following = collect();
    await yieldToEventLoop();
    await log.append(turnId, 1, [delta(1, 1)]);
    await yieldToEventLoop();
    log.missNext = true;
    await log.append(turnId, 1, [delta(1, 2)]);
    await log.append(turnId, 1, [end(1, 3)]);
    expect(await following).toEqual(['1.1', '1.2', '1.3']);
  });

  it('finds an end that was stored and never said', async () => {
    await log.begin(turnId, 1);
    const following = collect();
    await log.append(turnId, 1, [delta(1, 1)]);
    await archiveEvents(database.db, turnId, [delta(1, 1), end(1, 2)]);
    await database.db.update(turns).set({ status: 'completed' }).where(eq(turns.id, turnId));
    await clock.advance(5_000);
    expect(await following).toEqual(['1.1', '1.2']);
  });

  it('ends when the turn was deleted', async () => {
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1)]);
    const following = collect();
    await yieldToEventLoop();
    await database.db.delete(turns).where(eq(turns.id, turnId));
    await clock.advance(5_000);
    expect(await following).toEqual(['1.1']);
  });

  /** A reader that has no room after its first batch until it goes on. */
  function readSlowly() {
    const seen: TurnEvent[] = [];
    let goOn = (): void => undefined;
    let note = (): void => undefined;
    const isFull = new Promise<void>((resolve) => (note = resolve));
    const follower = new TurnFollower(log, database.db, ends, silent);
    const reading = follower.follow(turnId, new AbortController().signal, (events) => {
      const isFirst = seen.length === 0;
      seen.push(...events);
      if (!isFirst) return false;
      note();
      return new Promise<boolean>((resolve) => (goOn = () => resolve(false)));
    });
    const readRest = async (): Promise<string[]> => {
      goOn();
      await reading;
      return cursorsOf(seen);
    };
    return { isFull, readRest };
  }

  it('gives nothing again of a log that is restored while it is read', async () => {
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1)]);
    const { isFull, readRest } = readSlowly();
    await isFull;
    const rest = [delta(1, 2), delta(1, 3)];
    await log.append(turnId, 1, rest);
    log.repeat([delta(1, 1), ...rest]);
    await log.append(turnId, 1, [end(1, 4)]);
    expect(await readRest()).toEqual(['1.1', '1.2', '1.3', '1.4']);
  });

  it('keeps a bounded number of events for a reader that takes none, and skips none', async () => {
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1)]);
    const { isFull, readRest } = readSlowly();
    await isFull;
    for (let seq = 2; seq <= 5_000; seq += 1) await log.append(turnId, 1, [delta(1, seq)]);
    await log.append(turnId, 1, [end(1, 5_001)]);
    expect(await readRest()).toEqual(Array.from({ length: 5_001 }, (_, i) => `1.${i + 1}`));
  });

  it.each([true, Promise.resolve(true)])(
    'gives no more after events that were enough',
    async (isEnough) => {
      await log.begin(turnId, 1);
      await log.append(turnId, 1, [delta(1, 1)]);
      const seen: TurnEvent[] = [];
      const follower = new TurnFollower(log, database.db, ends, silent);
      await follower.follow(turnId, new AbortController().signal, (events) => {
        seen.push(...events);
        return isEnough;
      });
      await log.append(turnId, 1, [delta(1, 2)]);
      expect([cursorsOf(seen), log.listeners]).toEqual([['1.1'], 0]);
    },
  );

  it('leaves, and fails, with a reader that fails', async () => {
    await log.begin(turnId, 1);
    await log.append(turnId, 1, [delta(1, 1)]);
    const fault = new Error('no');
    const follower = new TurnFollower(log, database.db, ends, silent);
    const fail = (): boolean => {
      throw fault;
    };
    const reading = follower.follow(turnId, new AbortController().signal, fail);
    await expect(reading).rejects.toBe(fault);
    expect(log.listeners).toBe(0);
  });
});

/** A log that counts its followers, who miss an append, or get it twice. */
class LossyLog extends MemoryEventLog {
  missNext = false;
  listeners = 0;
  #listener: LogListener | undefined;

  /** Publishes events again, as a log does that was lost and restored. */
  repeat(events: readonly TurnEvent[]): void {
    this.#listener?.onEvents(events);
  }

  override async subscribe(turnId: string, listener: LogListener): Promise<() => void> {
    this.#listener = listener;
    this.listeners += 1;
    const unsubscribe = await super.subscribe(turnId, {
      onEvents: (events) => {
        if (!this.missNext) listener.onEvents(events);
        this.missNext = false;
      },
      onMissed: () => listener.onMissed(),
    });
    return () => {
      this.listeners -= 1;
      unsubscribe();
    };
  }
}
