import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { openTestServices, type TestServices } from '../../../test/support/turn/turn-services.js';
import { turns } from '../../storage/schema.js';

describe('a session that is closed', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let test: TestServices;
  let sessionId: string;
  beforeEach(async () => {
    clock = new ManualClock();
    test = await openTestServices(database, [], { clock });
    sessionId = await storeSession(database.db);
  });
  afterEach(() => test.close());

  const turnOf = async (turnId: string) => {
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    return turn;
  };

  it('deletes a session without an active turn at once, with its turns', async () => {
    const turnId = await storeTurn(database.db, { sessionId, status: 'completed' });
    await test.services.canceller.closeSession(sessionId, { id: 'local' });
    expect(await turnOf(turnId)).toBeUndefined();
    await expect(
      test.services.canceller.closeSession(sessionId, { id: 'local' }),
    ).rejects.toMatchObject({
      type: 'SESSION_NOT_FOUND',
    });
  });

  it('ends a turn that lost its worker, and waits for no other', async () => {
    const turnId = await storeTurn(database.db, { sessionId });
    await test.services.canceller.closeSession(sessionId, { id: 'local' });
    expect(await turnOf(turnId)).toBeUndefined();
  });

  it('asks the turn to end, and refuses when it has not in ten seconds', async () => {
    const leaseUntil = new Date(Date.now() + 600_000);
    const turnId = await storeTurn(database.db, { sessionId, leaseUntil });
    const closing = test.services.canceller.closeSession(sessionId, { id: 'local' });
    const refused = expect(closing).rejects.toMatchObject({
      type: 'TURN_IN_PROGRESS',
      status: 409,
      details: { sessionId },
    });
    while (clock.pending === 0) await yieldToEventLoop();
    expect(await turnOf(turnId)).toMatchObject({ cancelReason: 'session-deleted' });
    let isOver = false;
    const over = refused.finally(() => (isOver = true));
    await clock.advance(9_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await over;
    expect(await turnOf(turnId)).toMatchObject({ status: 'running' });
  });
});
