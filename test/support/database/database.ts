import { subscribe } from 'node:diagnostics_channel';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import type { OpenedDatabase } from '../../../src/storage/connection.js';
import { addNamed } from '../../../src/storage/pooled-database.js';
import * as schema from '../../../src/storage/schema.js';
import { useShared } from '../suite.js';
import { newDataFolder } from './database-folder.js';

interface Engine {
  client: PGlite;
  /** Names of the tables to empty, as a list in SQL. */
  tables: string;
  /** State of the catalogue, which DDL changes. */
  definitions: string;
  close(): Promise<void>;
}

/**
 * Emptied engines. Opening an engine takes longer than most suites do, so a worker's suites share them. An open one
 * keeps its process alive for ten seconds after a statement: PostgreSQL's timer for statistics.
 */
const unused: Engine[] = [];
subscribe('turnpike:no-more-tests', () => {
  for (const engine of unused.splice(0)) void engine.close();
});

/** A migrated, empty database of the embedded engine. Once it is closed, it takes no more statements. */
export async function openTestDatabase(): Promise<OpenedDatabase> {
  const engine = unused.pop() ?? (await openEngine());
  const closing = new AbortController();
  const client = lend(engine.client, closing.signal);
  const db = addNamed(drizzle(client, { schema }), ({ text, values }) =>
    client.query(text, values),
  );
  return {
    db,
    ping: async () => {
      await db.execute('select 1');
    },
    close: async () => {
      if (closing.signal.aborted) return;
      closing.abort(new Error('The database is closed'));
      if (await isEmptied(engine)) unused.push(engine);
      else await engine.close();
    },
  };
}

/** Opens a database before the tests of a suite and closes it after them. Its fields are there within tests and hooks. */
export function useDatabase(open = openTestDatabase): OpenedDatabase {
  return useShared(open);
}

async function openEngine(): Promise<Engine> {
  const folder = await newDataFolder();
  const client = await PGlite.create({ dataDir: path.join(folder, 'db') });
  const { rows } = await client.query<{ tables: string }>(
    `select string_agg(oid::regclass::text, ', ') as tables from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'session_counts'`,
  );
  return {
    client,
    tables: rows[0]?.tables ?? '',
    definitions: await readDefinitions(client),
    close: async () => {
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The engine for one suite: what the suite leaves running cannot write into the next one's database. */
function lend(client: PGlite, closed: AbortSignal): PGlite {
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        closed.throwIfAborted();
        return Reflect.apply(value, target, given);
      };
    },
  });
}

/** Waits for running statements. @returns whether the schema is as it was when it was opened. */
async function isEmptied({ client, tables, definitions }: Engine): Promise<boolean> {
  await client.exec('discard all');
  await client.exec(`truncate ${tables} restart identity`);
  // Its trigger does not see a truncation.
  await client.exec('update session_counts set sessions = 0');
  return (await readDefinitions(client)) === definitions;
}

async function readDefinitions(client: PGlite): Promise<string> {
  const { rows } = await client.query(
    `select (select count(*) from pg_proc) as functions, (select count(*) from pg_trigger) as triggers,
       (select count(*) from pg_namespace) as schemas,
       (select md5(string_agg(relname || relnatts, ',' order by oid)) from pg_class) as relations`,
  );
  return JSON.stringify(rows);
}
