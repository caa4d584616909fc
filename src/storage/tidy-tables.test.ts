import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { openEnginePool, EngineThread } from './engine/engine-thread.js';
import { tidy } from './embedded-database.js';
import { newFolder } from '../../test/support/suite.js';

const ROWS = 5_000;

describe('the tables of the embedded engine', () => {
  let engine: EngineThread;
  let pool: Pool;
  const folder = newFolder();
  beforeAll(async () => {
    engine = await EngineThread.start(path.join(folder, 'db'));
    pool = openEnginePool(engine);
  });
  afterAll(async () => {
    await pool.end();
    await engine.close();
  });
  beforeEach(async () => {
    await pool.query('drop table if exists notes');
    await pool.query('create table notes (id integer primary key, is_open boolean not null)');
  });

  const grow = (from = 1, to = ROWS) =>
    pool.query(`insert into notes select id, true from generate_series(${from}, ${to}) id`);

  it('are read by their indexes, also by plans that were made when they were small', async () => {
    await grow(1, 2);
    const look = { name: 'look', text: 'select id from notes where id = $1', values: [1] };
    // The engine keeps a plan from the sixth time on.
    for (let time = 0; time < 6; time += 1) await pool.query(look);
    expect(JSON.stringify((await pool.query('explain execute look(1)')).rows)).toContain(
      'Index Only Scan using notes_pkey',
    );
  });

  it('have no dead rows for long, and statistics', async () => {
    await grow();
    await pool.query('update notes set is_open = false');
    const state = async () => {
      await pool.query('select pg_stat_force_next_flush()');
      const { rows } =
        await pool.query(`select n_dead_tup::integer as dead, reltuples::integer as known
        from pg_stat_user_tables join pg_class on oid = relid where pg_class.relname = 'notes'`);
      return rows;
    };
    expect(await state()).toEqual([{ dead: ROWS, known: -1 }]);
    await tidy(pool);
    expect(await state()).toEqual([{ dead: 0, known: ROWS }]);
  });

  it('are left alone while little has changed', async () => {
    await grow();
    await tidy(pool);
    await pool.query('update notes set is_open = false where id <= 400');
    await tidy(pool);
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      "select vacuum_count::integer as times from pg_stat_user_tables where relname = 'notes'",
    );
    expect(rows).toEqual([{ times: 1 }]);
  });
});
