import { openAsBlob } from 'node:fs';
import { PGlite, type Results, type Transaction } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import type { OpenedDatabase } from '../src/storage/connection.js';
import { addNamed } from '../src/storage/pooled-database.js';
import * as schema from '../src/storage/schema.js';
import type { Actor } from './actor.js';
import type { Services } from './services.js';
import { prepareStatements } from './prepare-statements.js';
import { watchRows } from './watched-rows.js';

/** The one database of a deployment, as each of its processes reaches it. */
export class SimulatedDatabase {
  /** The most tokens that a day had at any time, with those that were reserved. */
  peakTokens = 0;

  private constructor(
    private readonly client: PGlite,
    private readonly tables: string,
  ) {}

  /** @param image the file of an empty, migrated database. */
  static async open(image: string): Promise<SimulatedDatabase> {
    const client = await PGlite.create({ loadDataDir: await openAsBlob(image) });
    await client.exec(watchRows);
    prepareStatements(client);
    const { rows } = await client.query<{ tables: string }>(
      `select string_agg(oid::regclass::text, ', ') as tables from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace
         and relname <> 'session_counts'`,
    );
    return new SimulatedDatabase(client, rows[0]?.tables ?? '');
  }

  async empty(): Promise<void> {
    this.peakTokens = 0;
    await this.client.exec(`truncate ${this.tables} restart identity cascade`);
    // Its trigger does not see a truncation.
    await this.client.exec('update session_counts set sessions = 0');
  }

  /** Adds a key with roles that decide about calls: a rule that nobody can meet is refused. */
  async addApproverRoles(roles: readonly string[]): Promise<void> {
    const values = ['key', 'approver', 'approver', 'hash', '[]', '{}', JSON.stringify(roles)];
    await this.query(
      `insert into api_keys (id, principal_id, name, secret_hash, scopes, limits, approves, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, now())`,
      values,
    );
  }

  async query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.client.query<Record<string, unknown>>(sql, values)).rows;
  }

  async #notePeak(): Promise<void> {
    const [day] = await this.query('select max(tokens) as tokens from usage_days');
    this.peakTokens = Math.max(this.peakTokens, Number(day?.['tokens']));
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /**
   * The database over a process's own connections. A statement waits before it runs, and its answer
   * waits again; a transaction is one step: the engine has a single session, in which a frozen
   * transaction would stop everybody.
   */
  connect(actor: Actor, services: Services): OpenedDatabase {
    const { client } = this;
    const step = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      await services.reach(actor, 'database', what);
      const outcome = await run().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      await services.answer(actor, 'database', what);
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    };
    const lent = {
      query: <T>(...args: Parameters<PGlite['query']>): Promise<Results<T>> =>
        step(describe(args[0]), async () => {
          const results = await client.query<T>(...args);
          if (args[0].includes('insert into usage_days')) await this.#notePeak();
          return results;
        }),
      transaction: <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
        step('transaction', () => client.transaction(work)),
    };
    // Drizzle uses these two members of a client and no others.
    const db = addNamed(drizzle(lent as unknown as PGlite, { schema }), ({ text, values }) =>
      lent.query(text, values),
    );
    return {
      db,
      ping: async () => {
        await db.execute('select 1');
      },
      close: async () => undefined,
    };
  }
}

/** The first words of a statement, for the trace. */
function describe(statement: string): string {
  const words = statement.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim();
  return words.length > 90 ? `${words.slice(0, 90)}…` : words;
}
