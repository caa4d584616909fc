import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { bothDatabases } from '../../test/support/database/both-databases.js';
import type { OpenedDatabase } from './connection.js';
import { KnownStatements } from './statements.js';

describe.each(bothDatabases)('a statement whose text is known, on %s', (_name, open) => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  it('is built once, and answers for the parameters of each time', async () => {
    const statements = new KnownStatements();
    let built = 0;
    const add = async (key: 'plus' | 'minus', a: number, b: number): Promise<unknown> => {
      const statement = statements.of(key, [a, b], () => {
        built += 1;
        return sql`select ${0}::integer ${sql.raw(key === 'plus' ? '+' : '-')} ${0}::integer as n`;
      });
      return (await database.db.execute(statement)).rows;
    };
    expect(await add('plus', 1, 2)).toEqual([{ n: 3 }]);
    expect(await add('plus', 3, 4)).toEqual([{ n: 7 }]);
    expect(await add('minus', 3, 4)).toEqual([{ n: -1 }]);
    expect(
      await database.db.transaction((tx) => tx.execute(statements.of('plus', [5, 6], () => sql``))),
    ).toMatchObject({
      rows: [{ n: 11 }],
    });
    expect(built).toBe(2);
  });

  it('is refused where it has another number of parameters than was given', () => {
    const build = () => sql`select ${1}::integer`;
    expect(() => new KnownStatements().of('one', [1, 2], build)).toThrow(
      "Statement 'one' has 1 parameters, not 2",
    );
  });
});
