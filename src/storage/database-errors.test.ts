import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../test/support/turn/store-turn.js';
import { isDatabaseDown, isStatementRefused, violatedConstraint } from './database-errors.js';

describe('violatedConstraint', () => {
  const database = useDatabase();

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

const failed = (code: string): Error =>
  new Error('Failed query', { cause: Object.assign(new Error('no'), { code }) });

describe('isStatementRefused', () => {
  it.each(['22021', '23505', '54000'])('is for good with %s', (code) => {
    expect(isStatementRefused(failed(code))).toBe(true);
  });

  it.each(['08006', '40001', '42P01', '40P01', '53300', '57P01', 'ECONNRESET'])(
    'may pass another time with %s',
    (code) => {
      expect(isStatementRefused(failed(code))).toBe(false);
    },
  );

  it('is not for an error without a code', () => {
    expect(isStatementRefused(new Error('x'))).toBe(false);
    expect(isStatementRefused(undefined)).toBe(false);
  });
});

describe('isDatabaseDown', () => {
  it.each(['ECONNREFUSED', 'EPIPE', '08006', '53300', '57P01'])(
    'is where the code is %s',
    (code) => {
      expect(isDatabaseDown(failed(code))).toBe(true);
    },
  );

  it.each(['23505', '40001', '42P01', 'ENOENT'])('is not where the code is %s', (code) => {
    expect(isDatabaseDown(failed(code))).toBe(false);
  });

  it.each([
    ['FATAL', true],
    ['PANIC', true],
    ['ERROR', false],
  ])('is by its severity where no code says it: %s', (severity, expected) => {
    const said = { code: 'XX000', severity };
    const cause = Object.assign(new Error('could not write init file'), said);
    expect(isDatabaseDown(new Error('Failed query', { cause }))).toBe(expected);
  });

  it('is where the driver says so without a code', () => {
    const cause = new Error('Connection terminated unexpectedly');
    expect(isDatabaseDown(new Error('Failed query', { cause }))).toBe(true);
    expect(isDatabaseDown(new Error('Failed query'))).toBe(false);
    expect(isDatabaseDown(undefined)).toBe(false);
  });
});
