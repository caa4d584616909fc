import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { Pool } from 'pg';
import { expectSoon } from '../../test/support/expect-soon.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { OpenedDatabase } from './connection.js';
import { isDatabaseDown, isStatementRefused, violatedConstraint } from './database-errors.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import { startEngine } from './folder/open-folder.js';
import { EngineConnection } from './engine/engine-thread.js';
import { newFolder } from '../../test/support/suite.js';

describe('the embedded database', () => {
  const folder = newFolder();
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openEmbeddedDatabase(startEngine(folder));
    await database.db.execute(sql`create table notes (id integer primary key, text json)`);
  });
  afterAll(() => database.close());

  const store = (id: number, text: string) =>
    database.db.execute(sql`insert into notes values (${id}, ${text}::json) returning id`);
  const stored = async (): Promise<unknown[]> =>
    (await database.db.execute(sql`select id from notes order by id`)).rows;

  it('goes on after statements that it refused, with those that are prepared', async () => {
    for (const id of [1, 2, 3]) expect((await store(id, '1')).rows).toEqual([{ id }]);
    const repeated = await store(3, '1').catch((error: unknown) => error);
    expect([violatedConstraint(repeated), isDatabaseDown(repeated)]).toEqual(['notes_pkey', false]);
    const malformed = await store(4, '{').catch((error: unknown) => error);
    expect(isStatementRefused(malformed)).toBe(true);
    expect((await store(5, '1')).rows).toEqual([{ id: 5 }]);
    expect(await stored()).toEqual([1, 2, 3, 5].map((id) => ({ id })));
  });

  it('answers what waits for its connection when it is closed', async () => {
    const other = newFolder();
    const { db, close } = await openEmbeddedDatabase(startEngine(other));
    const answers = Promise.all([1, 2, 3].map((n) => db.execute(sql`select ${n}::integer as n`)));
    await yieldToEventLoop();
    await close();
    expect((await answers).map(({ rows }) => rows)).toEqual([1, 2, 3].map((n) => [{ n }]));
  });

  it('ends in order while statements come, and fails those that it does not answer', async () => {
    const other = newFolder();
    const engine = await startEngine(other);
    const { db } = await openEmbeddedDatabase(Promise.resolve(engine));
    const first = db.execute(sql`select 1`).catch(isDatabaseDown);
    const closed = engine.close();
    // The driver sends the next one while the engine closes.
    const rest = [1, 2, 3].map(() => db.execute(sql`select 1`).catch(isDatabaseDown));
    await expect(closed).resolves.toBeUndefined();
    expect(await Promise.all([first, ...rest])).toContain(true);
  });

  it('removes dead rows beside, until it is closed', async () => {
    const other = newFolder();
    const clock = new ManualClock();
    const { db, close } = await openEmbeddedDatabase(startEngine(other), 'apply', { clock });
    try {
      await db.execute(sql`create table notes as select n from generate_series(1, 2000) n`);
      await db.execute(sql`update notes set n = n + 1`);
      await clock.advance(10_000);
      await expectSoon(async () => {
        const { rows } = await db.execute(
          sql`select vacuum_count::integer as times from pg_stat_user_tables where relname = 'notes'`,
        );
        expect(rows).toEqual([{ times: 1 }]);
      });
    } finally {
      await close();
    }
    expect(clock.pending).toBe(0);
  });

  it('stores nothing of a transaction that failed, and lets nobody into one', async () => {
    const failing = database.db.transaction(async (tx) => {
      await tx.execute(sql`insert into notes values (6, '1')`);
      throw new Error('no');
    });
    const beside = store(7, '1');
    await expect(failing).rejects.toThrow('no');
    await beside;
    expect(await stored()).not.toContainEqual({ id: 6 });
    expect(await stored()).toContainEqual({ id: 7 });
  });

  it('keeps its one connection where a transaction could not begin', async () => {
    const isolationLevel = 'none at all' as 'serializable';
    const failed = database.db.transaction(async () => undefined, { isolationLevel });
    await expect(failed).rejects.toThrow();
    expect(await stored()).toContainEqual({ id: 1 });
  });

  it('leaves the event loop to others while a statement runs', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    await database.db.execute(sql`select count(*) from generate_series(1, 200000)`);
    isOver = true;
    expect(turns).toBeGreaterThan(10);
  });

  it('takes a value of many megabytes', async () => {
    const value = 'x'.repeat(8 * 1024 * 1024);
    const { rows } = await database.db.execute(sql`select ${value}::text as value`);
    expect((rows[0] as { value: string }).value).toHaveLength(value.length);
  });

  it('has what was stored when it is opened again', async () => {
    const before = await stored();
    await database.close();
    await expect(stored()).rejects.toThrow();
    database = await openEmbeddedDatabase(startEngine(folder));
    expect(await stored()).toEqual(before);
  });

  it('is made whole where an earlier process made a part of it', async () => {
    const other = newFolder();
    await mkdir(path.join(other, 'db.new/base'), { recursive: true });
    await writeFile(path.join(other, 'db.new/base/1'), 'a file in place of a folder');
    const { schema, close } = await openEmbeddedDatabase(startEngine(other));
    await close();
    expect([schema.applied, await readdir(other)]).toEqual([[], ['db']]);
  });

  it('cannot be opened where its folder is a file', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await expect(openEmbeddedDatabase(startEngine(file))).rejects.toThrow(
      /a part of its path is not a folder/,
    );
  });

  it('is down when its thread has ended', async () => {
    const pool = new Pool({
      stream: () => {
        const connection = new EngineConnection(1, () => undefined);
        setImmediate(() => connection.fail());
        return connection;
      },
    });
    const error = await pool.query('select 1').catch((thrown: unknown) => thrown);
    expect(isDatabaseDown(error)).toBe(true);
    await pool.end();
  });
});
