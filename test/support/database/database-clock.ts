import { sql } from 'drizzle-orm';
import type { Database } from '../../../src/storage/connection.js';

/**
 * Gives `now()` of an embedded database a time that the test sets: no statement waits for real
 * time.
 */
export async function stopDatabaseClock(db: Database): Promise<void> {
  await db.execute(sql`create schema if not exists stopped_clock`);
  await db.execute(sql`
    create or replace function stopped_clock.now() returns timestamptz language sql stable
    as $$ select current_setting('stopped_clock.now')::timestamptz $$`);
  // The schema comes before `pg_catalog`, whose `now()` it hides.
  await db.execute(sql`set search_path to stopped_clock, public, pg_catalog`);
}

/** @param now milliseconds since the epoch. */
export async function setDatabaseClock(db: Database, now: number): Promise<void> {
  const at = new Date(now).toISOString();
  await db.execute(sql`select set_config('stopped_clock.now', ${at}, false)`);
}
