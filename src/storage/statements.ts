import { SQL, StringChunk, sql, type GetColumnData } from 'drizzle-orm';
import { type PgColumn, PgDialect } from 'drizzle-orm/pg-core';
import type { Database, NamedStatement, Queryable } from './connection.js';

/** Columns of input rows by name; they encode the values. */
export type InputColumns = Record<string, PgColumn>;

export type InputRow<C extends InputColumns> = {
  [K in keyof C]: GetColumnData<C[K]> | null | undefined;
};

/** The values of a row by its columns, as the driver takes them; null for what is missing. */
export function encodeRow<C extends InputColumns>(
  columns: C,
  row: Partial<InputRow<C>>,
): unknown[] {
  return Object.entries<PgColumn>(columns).map(([name, column]) => {
    const value: unknown = row[name];
    // Column encoders do not take NULL.
    return value === null || value === undefined ? null : column.mapToDriverValue(value);
  });
}

/** PostgreSQL's types of columns, by their names. */
export function typesOf(columns: InputColumns): Record<string, string> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, column.getSQLType()]),
  );
}

/**
 * The literal of an array of JSON texts, in which only quotes and backslashes are to be escaped: a JSON text has no
 * other character that a string in JSON escapes. The driver's own escape makes three copies of each text.
 */
function jsonArray(texts: readonly unknown[]): string {
  return `{${texts.map((text) => (text === null ? 'NULL' : JSON.stringify(text))).join()}}`;
}

/** The parameters of `unnest`: the values of each column as one array. */
export function inputParams(
  types: Readonly<Record<string, string>>,
  rows: readonly (readonly unknown[])[],
): unknown[] {
  return Object.values(types).map((type, index) => {
    const values = rows.map((row) => row[index]);
    return type === 'json' ? jsonArray(values) : values;
  });
}

/**
 * Builds `unnest(…) input (…)`: rows as one parameter a column. The text is the same for any number of
 * rows, so that a statement is prepared once. The server sees the parameters through subqueries: it would plan
 * the statement each time for the number of rows that it has.
 *
 * @param rows values of each row in the order of `types`; none where the text alone is wanted.
 */
export function unnest(
  types: Readonly<Record<string, string>>,
  rows: readonly (readonly unknown[])[] = [],
): SQL {
  const params = inputParams(types, rows);
  const chunks: SQL['queryChunks'] = [];
  let before = 'unnest((select ';
  for (const [index, type] of Object.values(types).entries()) {
    chunks.push(new StringChunk(before), sql.param(params[index]));
    before = `::${type}[]), (select `;
  }
  const names = Object.keys(types).map((name) => `"${name}"`);
  chunks.push(
    new StringChunk(`${before.slice(0, before.lastIndexOf(','))}) input (${names.join(', ')})`),
  );
  return new SQL(chunks);
}

const dialect = new PgDialect();

/**
 * Statements that differ in their parameters alone. The query builder takes longer to build a statement of many
 * parameters than the driver to send it: each is built once.
 */
export class NamedStatements {
  readonly #known = new Map<string, { name: string; text: string }>();

  /** @param prefix of the statements' names, which no other statements have. */
  constructor(private readonly prefix: string) {}

  /**
   * @param key tells the statements apart.
   * @param values of the statement's parameters, in the order of its text.
   * @param build builds the statement of the key, for any values; called once.
   * @throws Error where the statement that was built has another number of parameters.
   */
  of(key: string, values: unknown[], build: () => SQL): NamedStatement {
    return { ...(this.#known.get(key) ?? this.#build(key, values, build)), values };
  }

  #build(key: string, { length }: unknown[], build: () => SQL): { name: string; text: string } {
    const built = dialect.sqlToQuery(build());
    if (built.params.length !== length) {
      throw new Error(`Statement '${key}' has ${built.params.length} parameters, not ${length}`);
    }
    const statement = { name: `${this.prefix}_${this.#known.size}`, text: built.sql };
    this.#known.set(key, statement);
    return statement;
  }
}

const unnamed = new WeakSet<Database>();

/** Has the statements of a database be prepared without a name, so that no connection keeps them. */
export function leaveUnnamed(db: Database): void {
  unnamed.add(db);
}

/**
 * Declares a frequent query, or a batcher of one. Each database has its own, built when it is first used;
 * a query has `sql.placeholder`s for the parameters, and is prepared once on each connection.
 *
 * @param name of the query on the server, which no other has.
 * @example const findTurn = prepared('find_turn', (db, name) => db.select()….prepare(name));
 * await findTurn(db).execute({ turnId });
 */
export function prepared<Query>(
  name: string,
  build: (db: Database, name: string) => Query,
): (db: Database) => Query {
  return ofDatabase((db) => build(db, unnamed.has(db) ? '' : name));
}

/** Calls `build` once for each database, at its first use, and keeps the result. */
export function ofDatabase<Made>(build: (db: Database) => Made): (db: Database) => Made {
  const made = new WeakMap<Database, Made>();
  return (db) => {
    const known = made.get(db);
    if (known !== undefined) return known;
    const one = build(db);
    made.set(db, one);
    return one;
  };
}

const batchPools = new WeakMap<Database, Database>();

/** Gives a database connections of their own for the statements of batches. */
export function setBatchPool(db: Database, pool: Database): void {
  batchPools.set(db, pool);
}

/**
 * The connections for the statements of batches; those of the database where it has no others. A statement must
 * have a good plan for any parameters: it is planned once a connection, without them. Few connections plan it few
 * times, and slow statements of other requests do not make turns wait.
 */
export function batchPool(db: Database): Database {
  return batchPools.get(db) ?? db;
}

/** Deployment-wide locks, each of one transaction at a time. */
const locks = { 'accept-turn': 1, 'create-session': 2, 'first-key': 3 } as const;

/** Locks of a key, each of one transaction at a time. They are taken before the locks above. */
const keyedLocks = { session: 0x74757270, principal: 0x74757271, feedback: 0x74757272 } as const;

/** Waits for a lock, which the transaction's end releases. */
export async function lockFor(tx: Queryable, what: keyof typeof locks): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x7475726e}, ${locks[what]})`);
}

/** Waits for the lock of a session, a principal or a turn's feedback. Two keys may share a lock, which costs time only. */
export async function lockKey(
  tx: Queryable,
  what: keyof typeof keyedLocks,
  key: string,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyedLocks[what]}, hashtext(${key}))`);
}
