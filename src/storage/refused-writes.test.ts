import { describe, expect, it } from '@jest/globals';
import { DrizzleQueryError, sql } from 'drizzle-orm';
import { bothDatabases } from '../../test/support/database/both-databases.js';
import { useDatabase } from '../../test/support/database/database.js';
import { expectSoon } from '../../test/support/expect-soon.js';
import { TypedError } from '../errors/typed-error.js';
import { isDatabaseDown, isServiceAway } from './database-errors.js';
import { refusedWrite, writeRefusal } from './refused-writes.js';
import { tryDatabaseWrite } from './try-database-write.js';

const coded = (code: string, message = 'no'): Error => Object.assign(new Error(message), { code });
const statement = (cause: Error): Error => new DrizzleQueryError('insert into notes', [], cause);

describe('refusedWrite', () => {
  it.each<[string, Error, string, number]>([
    ['the database, whose disk is full', statement(coded('53100')), 'STORAGE_FULL', 507],
    ['a disk', coded('ENOSPC'), 'STORAGE_FULL', 507],
    ['a quota', coded('EDQUOT'), 'STORAGE_FULL', 507],
    [
      'the embedded database',
      statement(new Error('could not extend file "base/5/1": No space left on device')),
      'STORAGE_FULL',
      507,
    ],
    [
      'Redis',
      new Error("OOM command not allowed when used memory > 'maxmemory'."),
      'STORAGE_FULL',
      507,
    ],
    [
      'a new connection to such a database',
      statement(coded('XX000', 'could not write init file')),
      'STORAGE_FULL',
      507,
    ],
    ['a standby', statement(coded('25006')), 'STORAGE_READ_ONLY', 503],
    ['a disk that was mounted anew', coded('EROFS'), 'STORAGE_READ_ONLY', 503],
    [
      'a replica',
      new Error("READONLY You can't write against a read only replica."),
      'STORAGE_READ_ONLY',
      503,
    ],
    [
      'a Redis without a disk',
      new Error('MISCONF Redis is configured to save RDB snapshots'),
      'STORAGE_READ_ONLY',
      503,
    ],
  ])('is typed, and to be tried again: %s', (_name, error, type, status) => {
    for (const thrown of [error, new Error('it failed', { cause: error })]) {
      const refused = refusedWrite(thrown);
      expect(refused).toMatchObject({ type, status, retryable: true });
      expect(refused?.headers['Retry-After']).toMatch(/^\d+$/);
    }
  });

  it.each<[string, unknown]>([
    ['a fault of a statement', statement(coded('23505'))],
    ['a missing file', coded('ENOENT')],
    [
      'an error that has its type',
      new TypedError('INVALID_REQUEST', { message: 'No space left on device' }),
    ],
    ['nothing', undefined],
    [
      'a text that somebody wrote',
      new DrizzleQueryError('insert into notes', ['No space left on device'], coded('22021')),
    ],
  ])('is undefined for %s', (_name, error) => {
    expect(refusedWrite(error)).toBeUndefined();
  });

  it('is a reason to try a statement again, and one for a line about an outage', () => {
    for (const code of ['53100', '25006']) {
      expect([
        isDatabaseDown(statement(coded(code))),
        isServiceAway(statement(coded(code))),
      ]).toEqual([true, true]);
    }
    expect(isServiceAway(new Error('OOM command not allowed'))).toBe(true);
    expect(isDatabaseDown(coded('ENOSPC'))).toBe(false);
  });
});

describe.each(bothDatabases)('a try of a write, on %s', (_name, open) => {
  const database = useDatabase(open);

  it('leaves nothing, and is refused where the database is read-only', async () => {
    const { db } = database;
    const size = async (): Promise<unknown> =>
      (await db.execute(sql`select pg_database_size(current_database()) as size`)).rows;
    await tryDatabaseWrite(db);
    const before = await size();
    for (let count = 0; count < 20; count += 1) await tryDatabaseWrite(db);
    expect(await size()).toEqual(before);
    expect((await db.execute(sql`show work_mem`)).rows).not.toEqual([{ work_mem: '64kB' }]);
    const spilled = sql`select temp_files > 0 as spills from pg_stat_database where datname = current_database()`;
    const work = db.transaction(async (tx) => {
      await tx.execute(sql`set transaction read only`);
      await tryDatabaseWrite(tx);
    });
    const refused = await work.catch((error: unknown) => error);
    expect(writeRefusal(refused)).toBe('read-only');
    // Its rows went to a file, or a full disk would not be seen.
    await expectSoon(async () =>
      expect((await db.execute(spilled)).rows).toEqual([{ spills: true }]),
    );
  });
});
