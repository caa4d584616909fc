import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { bothDatabases } from '../../test/support/database/both-databases.js';
import { NamedStatements } from './statements.js';
import { useDatabase } from '../../test/support/database/database.js';

describe.each(bothDatabases)('a named statement, on %s', (_name, open) => {
  const database = useDatabase(open);

  it('is built once, and answers for the parameters of each time', async () => {
    const statements = new NamedStatements('test');
    let built = 0;
    const add = async (key: 'plus' | 'minus', a: number, b: number): Promise<unknown> => {
      const statement = statements.of(key, [a, b], () => {
        built += 1;
        return sql`select ${0}::integer ${sql.raw(key === 'plus' ? '+' : '-')} ${0}::integer as n`;
      });
      return database.db.runNamed(statement);
    };
    expect(await add('plus', 1, 2)).toEqual([{ n: 3 }]);
    expect(await add('plus', 3, 4)).toEqual([{ n: 7 }]);
    expect(await add('minus', 3, 4)).toEqual([{ n: -1 }]);
    expect(built).toBe(2);
  });

  it('is refused where it has another number of parameters than was given', () => {
    const build = () => sql`select ${1}::integer`;
    expect(() => new NamedStatements('test').of('one', [1, 2], build)).toThrow(
      "Statement 'one' has 1 parameters, not 2",
    );
  });
});
