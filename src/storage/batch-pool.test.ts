import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { openServerDatabase } from '../../test/support/database/both-databases.js';
import { openTestDatabase } from '../../test/support/database/database.js';
import { batchPool } from './statements.js';
import type { Database, OpenedDatabase } from './connection.js';

describe('the connections for statements of batches', () => {
  let server: OpenedDatabase;
  beforeAll(async () => {
    server = await openServerDatabase();
  });
  afterAll(() => server.close());

  const plansOn = async (db: Database): Promise<unknown> => {
    const statement = { name: 'turn_by_id', text: 'select from turns where id = $1' };
    for (const id of ['a', 'b', 'c']) await db.runNamed({ ...statement, values: [id] });
    const { rows } = await db.execute(sql`select custom_plans::integer as custom,
      generic_plans::integer as generic from pg_prepared_statements
      where statement like 'select from turns%'`);
    return rows;
  };

  it('plan a statement for any parameters at once; others try five times for those given', async () => {
    expect(await plansOn(batchPool(server.db))).toEqual([{ custom: 0, generic: 3 }]);
    expect(await plansOn(server.db)).toEqual([{ custom: 3, generic: 0 }]);
  });

  it('are free while all others have a transaction under way', async () => {
    const holds: (() => void)[] = [];
    let isOver = false;
    const hold = async (): Promise<void> => {
      if (!isOver) await new Promise<void>((resolve) => holds.push(resolve));
    };
    const transactions = Array.from({ length: 8 }, () => server.db.transaction(hold));
    const { rows } = await batchPool(server.db).execute(sql`select 1 as one`);
    expect(rows).toEqual([{ one: 1 }]);
    expect(server.pool?.()).toMatchObject({ active: 5, waiting: 3 });
    const ended = Promise.all(transactions);
    isOver = true;
    for (const end of holds.splice(0)) end();
    await ended;
  });

  it('are those of the database where it has one connection', async () => {
    const embedded = await openTestDatabase();
    expect(batchPool(embedded.db)).toBe(embedded.db);
    await embedded.close();
  });
});
