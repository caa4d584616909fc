import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../test/support/database.js';
import { storeSession, storeTurn } from '../../test/support/store-turn.js';
import type { OpenedDatabase } from './connection.js';
import { violatedConstraint } from './constraint.js';

describe('violatedConstraint', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const failureOf = (statement: Promise<unknown>): Promise<unknown> =>
    statement.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('names a unique index, a foreign key and a check as the migrations do', async () => {
    const { db } = database;
    const sessionId = await storeSession(db);
    await storeTurn(db, { sessionId, idempotencyKey: 'k', status: 'completed' });
    const broken = [
      storeTurn(db, { sessionId, idempotencyKey: 'k', status: 'completed' }),
      storeTurn(db, { sessionId: 'sess_none' }),
      db.execute(`insert into turns (id, session_id, status, request, request_hash, options, created_at)
                  values ('t', '${sessionId}', 'lost', '{}', '', '{}', now())`),
    ];
    const names: unknown[] = [];
    for (const statement of broken) names.push(violatedConstraint(await failureOf(statement)));
    expect(names).toEqual(['turns_idempotency', 'turns_session_id_fkey', 'turns_status_check']);
  });

  it('is undefined for any other failure', async () => {
    expect(violatedConstraint(await failureOf(database.db.execute('select nothing')))).toBe(
      undefined,
    );
    expect(violatedConstraint(new Error('no'))).toBeUndefined();
    expect(violatedConstraint('no')).toBeUndefined();
  });

  it('does not follow a chain of causes for ever', () => {
    const error = new Error('round');
    error.cause = error;
    expect(violatedConstraint(error)).toBeUndefined();
  });
});
