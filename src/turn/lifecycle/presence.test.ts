import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import {
  CONFIRMED_MS,
  GRACE_MS,
  ReaderScene,
  untilReadersLeave,
} from '../../../test/support/turn/reader-scene.js';
import { storeApproval } from '../../../test/support/turn/store-approval.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { readerProcesses, turnReaders, turns } from '../../storage/schema.js';
import type { UnansweredDatabase } from '../../../test/support/database/unanswered-database.js';
import { RENEW_MS, READER_LEASE_MS } from './presence.js';

describe('who reads a turn', () => {
  const database = useDatabase();

  let scene: ReaderScene;
  let turnId: string;
  beforeEach(async () => {
    scene = await ReaderScene.start(database.db);
    turnId = await scene.storeTurn();
  });

  it('is nobody for the grace after the last one left', async () => {
    const leave = await scene.join(scene.here, turnId);
    await leave();
    await scene.pass(GRACE_MS - 500);
    expect(await scene.isCancelled(turnId)).toBe(false);
    await scene.pass(CONFIRMED_MS);
    expect(await scene.isCancelled(turnId)).toBe(true);
    expect(scene.hinted).toEqual([turnId]);
  });

  it('is somebody as long as another process has one', async () => {
    const leave = await scene.join(scene.here, turnId);
    await scene.join(scene.there, turnId);
    await leave();
    await scene.pass(3 * READER_LEASE_MS);
    expect(await scene.isCancelled(turnId)).toBe(false);
  });

  it('is somebody again when one comes back within the grace, wherever', async () => {
    const leave = await scene.join(scene.here, turnId);
    await leave();
    await scene.pass(GRACE_MS - 500);
    await scene.join(scene.there, turnId);
    await scene.pass(3 * READER_LEASE_MS);
    expect(await scene.isCancelled(turnId)).toBe(false);
  });

  it('is somebody when one comes back while the leaving is stored', async () => {
    const leave = scene.here.presence.join(turnId);
    leave();
    await scene.join(scene.here, turnId);
    await scene.pass(READER_LEASE_MS);
    expect(await scene.isCancelled(turnId)).toBe(false);
  });

  it('is the reader that came with the turn, before anything was renewed', async () => {
    const accepted = await scene.accept(scene.here);
    const [row] = await database.db.select().from(turnReaders);
    expect(row).toMatchObject({
      turnId: accepted,
      processId: scene.here.presence.processId,
      hasLeft: false,
    });
    await scene.join(scene.here, accepted);
    await scene.pass(3 * READER_LEASE_MS);
    expect(await scene.isCancelled(accepted)).toBe(false);
  });

  it('is nobody when the one that came with the turn left at once, after the grace', async () => {
    const accepted = await scene.accept(scene.here);
    const leave = await scene.join(scene.here, accepted);
    await leave();
    await scene.pass(GRACE_MS + CONFIRMED_MS);
    expect(await scene.isCancelled(accepted)).toBe(true);
  });

  it('is nobody when whoever sent the turn never reads it', async () => {
    const accepted = await scene.accept(scene.here);
    await scene.pass(GRACE_MS);
    expect(await scene.isCancelled(accepted)).toBe(false);
    await scene.pass(GRACE_MS + CONFIRMED_MS);
    expect(await scene.isCancelled(accepted)).toBe(true);
  });

  it('lapses with a process that stopped, after its lease', async () => {
    await scene.join(scene.there, turnId);
    await scene.there.presence.close();
    await scene.pass(READER_LEASE_MS - 500);
    expect(await scene.isCancelled(turnId)).toBe(false);
    await scene.pass(CONFIRMED_MS);
    expect(await scene.isCancelled(turnId)).toBe(true);
  });

  it('lapses with a process that died, when it could have readers no longer', async () => {
    await scene.join(scene.there, turnId);
    scene.there.database.isAway = true;
    await scene.pass(2 * READER_LEASE_MS - RENEW_MS);
    expect(await scene.isCancelled(turnId)).toBe(false);
    await scene.pass(RENEW_MS + CONFIRMED_MS);
    expect(await scene.isCancelled(turnId)).toBe(true);
  });

  it('is nobody when no row has any, after a lease', async () => {
    await scene.pass(READER_LEASE_MS - 500);
    expect(await scene.isCancelled(turnId)).toBe(false);
    await scene.pass(CONFIRMED_MS);
    expect(await scene.isCancelled(turnId)).toBe(true);
  });

  it('is asked with the next renewal where the hint is lost', async () => {
    const leave = await scene.join(scene.here, turnId);
    await leave();
    await scene.bus.close();
    await scene.pass(GRACE_MS + RENEW_MS + CONFIRMED_MS);
    expect(await scene.isCancelled(turnId)).toBe(true);
  });

  it('does not matter to a turn that goes on without, or has ended', async () => {
    const goesOn = await storeTurn(database.db);
    const ended = await storeTurn(database.db, { status: 'completed', options: untilReadersLeave });
    await scene.pass(2 * READER_LEASE_MS);
    expect(await scene.isCancelled(turnId)).toBe(true);
    expect([await scene.isCancelled(goesOn), await scene.isCancelled(ended)]).toEqual([
      false,
      false,
    ]);
  });

  it.each(['of its own', 'of a subagent'])(
    'does not matter to a turn that people were asked about: a question %s',
    async (whose) => {
      const asking =
        whose === 'of its own'
          ? turnId
          : await storeTurn(database.db, { parentTurnId: turnId, options: untilReadersLeave });
      await storeApproval(database.db, asking);
      await scene.pass(2 * READER_LEASE_MS);
      expect(await scene.isCancelled(turnId)).toBe(false);
    },
  );

  it('keeps nothing of a turn that has ended, also when a reader leaves late', async () => {
    const accepted = await scene.accept(scene.here);
    const leave = await scene.join(scene.here, accepted);
    await database.db.update(turns).set({ status: 'completed' }).where(eq(turns.id, accepted));
    scene.here.presence.forget(accepted);
    await leave();
    await scene.pass(3 * READER_LEASE_MS + RENEW_MS);
    expect(await database.db.select().from(turnReaders)).toEqual([]);
  });

  it('is no question to a process that has stopped', async () => {
    await scene.here.presence.close();
    await scene.there.presence.close();
    expect(await database.db.select().from(readerProcesses)).toEqual([]);
  });
});

const ONCE_MS = 500;
const LONG_MS = 16_000;

/** Whom the database does not answer. */
type Whom = 'all' | 'the process of the reader' | 'the sweeper';

const outages: [Whom, number][] = [
  ['all', ONCE_MS],
  ['all', LONG_MS],
  ['the process of the reader', ONCE_MS],
  ['the process of the reader', LONG_MS],
];
const seenByAny: [Whom, number][] = [
  ...outages,
  ['the sweeper', ONCE_MS],
  ['the sweeper', LONG_MS],
];

describe('a database that does not answer', () => {
  const database = useDatabase();

  /** Away from now on, until what it returns is called. */
  function begin(scene: ReaderScene, whom: Whom): () => void {
    const databases = databasesOf(scene)[whom];
    for (const one of databases) one.isAway = true;
    return () => {
      for (const one of databases) one.isAway = false;
    };
  }

  it.each(outages)(
    'to %s for %i ms takes no reader from a turn that was accepted with it',
    async (whom, ms) => {
      const scene = await ReaderScene.start(database.db);
      const turnId = await scene.accept(scene.there);
      await scene.join(scene.there, turnId);
      // The first renewal of all falls into it.
      await scene.pass(RENEW_MS - ONCE_MS);
      const end = begin(scene, whom);
      await scene.pass(ms);
      end();
      await scene.pass(3 * READER_LEASE_MS);
      expect(await scene.isCancelled(turnId)).toBe(false);
    },
  );

  it.each(outages)(
    'to %s for %i ms takes no reader that left one process and came back to another meanwhile',
    async (whom, ms) => {
      const scene = await ReaderScene.start(database.db);
      const turnId = await scene.storeTurn();
      const leave = await scene.join(scene.here, turnId);
      await leave();
      await scene.pass(1_500);
      const end = begin(scene, whom);
      await scene.pass(500);
      await scene.join(scene.there, turnId);
      await scene.pass(ms - 500);
      end();
      await scene.pass(3 * READER_LEASE_MS);
      expect(await scene.isCancelled(turnId)).toBe(false);
    },
  );

  it('learns of a reader within a second of its return, not with the next renewal', async () => {
    const scene = await ReaderScene.start(database.db);
    const turnId = await scene.storeTurn();
    const leave = await scene.join(scene.here, turnId);
    await leave();
    const end = begin(scene, 'the process of the reader');
    await scene.join(scene.there, turnId);
    await scene.pass(GRACE_MS - 1_500);
    end();
    await scene.pass(1_000);
    await scene.there.presence.close();
    await scene.pass(GRACE_MS);
    expect(await scene.isCancelled(turnId)).toBe(false);
  });

  it.each(seenByAny)(
    'to %s for %i ms gives readers a lease to come back, whatever was stored before',
    async (whom, ms) => {
      const scene = await ReaderScene.start(database.db);
      const turns = [await scene.storeTurn(), await scene.storeTurn()];
      for (const turnId of turns) {
        const leave = await scene.join(scene.here, turnId);
        await leave();
      }
      const end = begin(scene, whom);
      // A client was refused there, and tries again later than the grace.
      if (whom !== 'the sweeper') scene.there.presence.noteAway();
      await scene.pass(ms);
      end();
      await scene.pass(READER_LEASE_MS - 1_000);
      const [comesBack = '', staysAway = ''] = turns;
      await scene.join(scene.there, comesBack);
      expect(await scene.isCancelled(staysAway)).toBe(false);
      await scene.pass(1_000 + CONFIRMED_MS);
      expect(await scene.isCancelled(staysAway)).toBe(true);
      expect(await scene.isCancelled(comesBack)).toBe(false);
    },
  );

  it.each(outages)(
    'to %s for %i ms does not delay the end of what is left after it',
    async (whom, ms) => {
      const scene = await ReaderScene.start(database.db);
      const turnId = await scene.storeTurn();
      const leave = await scene.join(scene.here, turnId);
      const end = begin(scene, whom);
      scene.there.presence.noteAway();
      await scene.pass(ms);
      end();
      await scene.pass(2_000);
      await leave();
      await scene.pass(GRACE_MS + CONFIRMED_MS);
      expect(await scene.isCancelled(turnId)).toBe(true);
    },
  );

  it('is what a sweeper takes the time before its start for', async () => {
    const scene = await ReaderScene.start(database.db, 0);
    const [early, late] = [await scene.storeTurn(), await scene.storeTurn()];
    const leaveEarly = await scene.join(scene.here, early);
    const leaveLate = await scene.join(scene.here, late);
    await leaveEarly();
    await scene.pass(1_000);
    await leaveLate();
    await scene.pass(GRACE_MS + CONFIRMED_MS);
    expect([await scene.isCancelled(early), await scene.isCancelled(late)]).toEqual([false, true]);
    await scene.pass(READER_LEASE_MS - GRACE_MS);
    expect(await scene.isCancelled(early)).toBe(true);
  });
});

function databasesOf({ here, there, sweeper }: ReaderScene): Record<Whom, UnansweredDatabase[]> {
  return {
    all: [here.database, there.database, sweeper],
    'the process of the reader': [there.database],
    'the sweeper': [sweeper],
  };
}
