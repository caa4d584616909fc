import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { openTestDatabase } from '../../test/support/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { storeApproval } from '../../test/support/store-approval.js';
import { someOptions, storeTurn } from '../../test/support/store-turn.js';
import { silentLogger } from '../platform/logger.js';
import type { OpenedDatabase } from '../storage/connection.js';
import { turnReaders, turns } from '../storage/schema.js';
import { AbandonedTurns } from './abandoned-turns.js';
import { MemorySignalBus } from './memory-signal-bus.js';
import { Presence, RENEW_MS, READER_LEASE_MS } from './presence.js';

/** Times are the database's: the tests let them pass by moving what is stored into the past. */
describe('who reads a turn', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const GRACE_MS = 5_000;
  let clock: ManualClock;
  let here: Presence;
  let there: Presence;
  let turnId: string;
  let hinted: string[];
  let sweep: () => Promise<void>;
  beforeEach(async () => {
    await database.db.delete(turnReaders);
    await database.db.delete(turns);
    clock = new ManualClock();
    const deps = { db: database.db, clock, logger: silentLogger, graceMs: GRACE_MS };
    here = new Presence(deps);
    there = new Presence(deps);
    turnId = await storeTurn(database.db, { options: untilReadersLeave });
    hinted = [];
    const bus = new MemorySignalBus();
    await bus.onCancel((id) => hinted.push(id));
    const abandoned = new AbandonedTurns({ ...deps, bus });
    sweep = () => abandoned.cancel();
    await sweep();
  });

  const untilReadersLeave = {
    ...someOptions,
    options: { ...someOptions.options, onDisconnect: 'cancel' as const },
  };
  const pass = async (ms: number): Promise<void> => {
    const by = sql`${`${ms} milliseconds`}::interval`;
    await database.db.update(turnReaders).set({ until: sql`${turnReaders.until} - ${by}` });
    await database.db.update(turns).set({ createdAt: sql`${turns.createdAt} - ${by}` });
    await clock.advance(ms);
  };
  const isCancelled = async (): Promise<boolean> => {
    await sweep();
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    return turn?.cancelReason === 'disconnect';
  };
  /** What `join` and `leave` write on their own is written. */
  const rows = async (count: number): Promise<void> => {
    while ((await database.db.select().from(turnReaders)).length < count);
  };

  it('is nobody for the grace after the last one left', async () => {
    here.join(turnId, true)();
    await rows(1);
    await pass(GRACE_MS - 500);
    expect(await isCancelled()).toBe(false);
    await pass(1_000);
    expect(await isCancelled()).toBe(true);
    expect(hinted).toEqual([turnId]);
  });

  it('is somebody as long as another process has one', async () => {
    const leave = here.join(turnId, true);
    there.join(turnId, true);
    await rows(2);
    leave();
    await pass(GRACE_MS + 500);
    expect(await isCancelled()).toBe(false);
  });

  it('is somebody again when one comes back within the grace, wherever', async () => {
    here.join(turnId, true)();
    await rows(1);
    await pass(GRACE_MS - 500);
    there.join(turnId, true);
    await rows(2);
    await pass(1_000);
    expect(await isCancelled()).toBe(false);
  });

  it('is renewed while somebody reads, and lapses with a process that died', async () => {
    there.join(turnId, true);
    await rows(1);
    there.start();
    for (let ms = 0; ms < 3 * READER_LEASE_MS; ms += RENEW_MS) {
      await pass(RENEW_MS);
      expect(await isCancelled()).toBe(false);
    }
    there.close();
    await pass(READER_LEASE_MS + RENEW_MS);
    expect(await isCancelled()).toBe(true);
  });

  it('is nobody when none came, by a sweeper that has looked on long enough to know', async () => {
    await pass(READER_LEASE_MS - 1);
    expect(await isCancelled()).toBe(false);
    await pass(1);
    expect(await isCancelled()).toBe(true);
  });

  it('does not matter to a turn that goes on without, or has ended', async () => {
    const goesOn = await storeTurn(database.db);
    const ended = await storeTurn(database.db, { status: 'completed', options: untilReadersLeave });
    await pass(60_000);
    await sweep();
    const marked = await database.db.select().from(turns);
    const reasons = new Map(marked.map((turn) => [turn.id, turn.cancelReason]));
    expect([reasons.get(goesOn), reasons.get(ended)]).toEqual([null, null]);
  });

  it.each(['of its own', 'of a subagent'])(
    'does not matter to a turn that people were asked about: a question %s',
    async (whose) => {
      const asking =
        whose === 'of its own'
          ? turnId
          : await storeTurn(database.db, { parentTurnId: turnId, options: untilReadersLeave });
      await storeApproval(database.db, asking);
      await pass(60_000);
      expect(await isCancelled()).toBe(false);
    },
  );

  it('keeps nothing of a turn that has ended, also when a reader leaves late', async () => {
    const leave = here.join(turnId, false);
    here.forget(turnId);
    leave();
    here.start();
    await clock.advance(RENEW_MS);
    expect(await database.db.select().from(turnReaders)).toEqual([]);
  });
});
