import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import { newDatabase } from '../../test/support/database/new-database.js';
import { openServerDatabase } from '../../test/support/database/both-databases.js';
import { openTestDatabase, useDatabase } from '../../test/support/database/database.js';
import { openPostgres } from './postgres-database.js';
import { batchPool } from './statements.js';
import type { Database } from './connection.js';

describe('the connections for statements of batches', () => {
  const server = useDatabase(openServerDatabase);

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

it('a start that is given one connection and no other fails, and does not hang', async () => {
  const { url, drop } = await newDatabase();
  const role = `narrow_${process.pid}`;
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query(`create role ${role} login connection limit 1`);
  await owner.query(`grant usage on schema drizzle to ${role}`);
  await owner.query(`grant select on all tables in schema public, drizzle to ${role}`);
  const narrow = new URL(url);
  narrow.username = role;
  const opening = openPostgres({ url: narrow.href, connections: 8, onError: () => undefined });
  await expect(opening).rejects.toThrow('too many connections for role');
  await owner.query(`drop owned by ${role}`);
  await owner.query(`drop role ${role}`);
  await owner.end();
  await drop();
});
