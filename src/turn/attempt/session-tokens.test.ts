import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { noUsage } from '../../events/turn-event.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { compactions } from '../../storage/schema.js';
import { findSessionTokens } from './open-attempt.js';

describe('findSessionTokens', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it('takes what other turns and requested summaries used, and no automatic one twice', async () => {
    const { db } = database;
    const sessionId = await storeSession(db);
    const used = (outputTokens: number) => ({ usage: { ...noUsage, outputTokens } });
    await storeTurn(db, { sessionId, status: 'completed', ...used(100) });
    const createdAt = new Date();
    const row = { sessionId, throughTurnId: 'turn_1', summary: 'Short.', createdAt };
    await db.insert(compactions).values([
      { ...row, id: 'cmp_1', reason: 'automatic', ...used(40) },
      { ...row, id: 'cmp_2', reason: 'requested', ...used(7) },
    ]);
    const id = await storeTurn(db, { sessionId });
    const found = (sessionTokens: number, hasHistory = true) =>
      findSessionTokens(db, { id, sessionId, hasHistory }, sessionTokens);
    expect(await found(1_000)).toEqual({ usedTokens: 107, limitTokens: 1_000 });
    expect(await found(0)).toBeUndefined();
    expect(await found(1_000, false)).toEqual({ usedTokens: 0, limitTokens: 1_000 });
  });
});
