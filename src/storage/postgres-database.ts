import { drizzle } from 'drizzle-orm/node-postgres';
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { errorCode } from '../platform/error-code.js';
import { setBatchPool } from './statements.js';
import { type OpenedDatabase, openCopyOut } from './connection.js';
import { driverError, hostOf, UnreachableError } from './database-errors.js';
import {
  applyMigrations,
  checkMigrations,
  type SchemaReport,
  type MigrateMode,
  SchemaError,
} from './migrate-database.js';
import { systemClock } from '../platform/clock.js';
import { holdLock } from './session-lock.js';
import { tryDatabaseWrite } from './try-database-write.js';
import { openPooled, poolState } from './pooled-database.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Connections for the statements of batches, of which each purpose has one under way. */
const BATCH_CONNECTIONS = 3;
/** Connections from which a process can spare those. */
const MIN_CONNECTIONS_WITH_BATCH_POOL = 6;
/** SQLSTATE of a setting that a pool in front of the server does not pass on. */
const PROTOCOL_VIOLATION = '08P01';

/** SQLSTATEs of a prepared statement that another client has made, and of one that is not there. */
const statementsLost = ['42P05', '26000'];
const pooled = 'behind a pool of transactions, set TURNPIKE_PREPARED_STATEMENTS=false';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and its files as libpq has them. */
  url: string;
  /** Most connections of this process. */
  connections: number;
  /** Whether the server keeps statements prepared; default: yes. */
  preparedStatements?: boolean;
  /** Checks for missing migrations or applies them; default: `check`. */
  migrate?: MigrateMode | undefined;
  /** Called when an idle connection has broken, which the pool replaces. */
  onError(error: Error): void;
}

/**
 * Opens a pool of connections to a database whose schema this program can use.
 *
 * @throws UnreachableError when the server cannot be reached or refuses; SchemaError.
 */
export async function openPostgres(
  options: PostgresOptions,
): Promise<OpenedDatabase & { schema: SchemaReport }> {
  const { url, connections, migrate = 'check', preparedStatements = true, onError } = options;
  const applied = migrate === 'apply' ? await migratePostgres(url) : undefined;
  const hasBatchPool = preparedStatements && connections >= MIN_CONNECTIONS_WITH_BATCH_POOL;
  const open = (max: number, config?: PoolConfig): Pool =>
    openPool({ connectionString: likeLibpq(url), max, ...config }, onError);
  const pools = [open(hasBatchPool ? connections - BATCH_CONNECTIONS : connections)];
  const close = async (): Promise<void> => {
    await Promise.all(pools.map((pool) => pool.end()));
  };
  const [pool] = pools as [Pool];
  const db = openPooled(pool, { isNamed: preparedStatements });
  try {
    const schema = applied ?? (await checkMigrations(drizzle(pool)));
    if (preparedStatements && connections > 1) await checkNames(pool);
    if (hasBatchPool) {
      const batchPool = await openBatchPool((config) => open(BATCH_CONNECTIONS, config));
      pools.push(batchPool);
      setBatchPool(db, openPooled(batchPool, { isNamed: true }));
    }
    return {
      db,
      schema,
      copyOut: openCopyOut(pool),
      pool: () => poolState(pools),
      hold: (name, onLost) => holdLock(name, { url: likeLibpq(url), clock: systemClock, onLost }),
      ping: () => tryDatabaseWrite(db),
      close,
    };
  } catch (error) {
    await close();
    throw startError(url, error);
  }
}

function openPool(config: PoolConfig, onError: (error: Error) => void): Pool {
  const pool = new Pool({
    ...config,
    application_name: 'turnpike',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    // A statement takes milliseconds: a longer statement waits for a network that is gone.
    query_timeout: 15_000,
    keepAlive: true,
  });
  pool.on('error', onError);
  // The pool listens to idle connections only; a connection in use fails its statement and this.
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/**
 * Names a statement on two connections. A pool of transactions in front of the server gives both the same
 * connection of the server, which refuses the second.
 */
async function checkNames(pool: Pool): Promise<void> {
  const statement = { name: 'turnpike_start', text: 'select 1' };
  const clients: PoolClient[] = [];
  try {
    while (clients.length < 2) {
      const client = await pool.connect();
      clients.push(client);
      await client.query(statement);
    }
  } finally {
    // This releases the first connection also if the server refuses a second: the end of a pool waits for connections
    // in use.
    for (const client of clients) client.release();
  }
}

/**
 * Settings for statements of batches. Their plans are for any parameters, and read no table as a whole, however small it
 * is when they are made. Their scans of an index mark the entries of rows that have ended, which a bitmap of an index
 * does not: each claim read all rows that had run since the last vacuum. The price of a scan that is switched off would
 * have a plan compiled, where no index serves.
 */
const BATCH_SETTINGS = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Opens the connections for statements of batches. A pool of connections in front of the server may refuse the
 * settings: each connection plans a statement six times then.
 */
async function openBatchPool(open: (config?: PoolConfig) => Pool): Promise<Pool> {
  const pool = open({ options: BATCH_SETTINGS });
  try {
    await pool.query('select 1');
    return pool;
  } catch (error) {
    await pool.end();
    if (errorCode(error) !== PROTOCOL_VIOLATION) throw error;
    return open();
  }
}

/** A connection of its own has no limit on a statement's time: an index on a large table takes minutes. */
async function migratePostgres(url: string): Promise<SchemaReport> {
  const client = new Client({
    connectionString: likeLibpq(url),
    application_name: 'turnpike migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // The statement that runs fails with the connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await applyMigrations(drizzle(client));
  } catch (error) {
    throw startError(url, error);
  } finally {
    await client.end();
  }
}

/** Gives the words of `sslmode` the meaning that they have for every other client of PostgreSQL. */
function likeLibpq(url: string): string {
  if (!URL.canParse(url)) return url;
  const own = new URL(url);
  own.searchParams.set('uselibpqcompat', 'true');
  return own.href;
}

function startError(url: string, error: unknown): Error {
  if (error instanceof SchemaError) return error;
  const cause = driverError(error);
  const isPooled = statementsLost.includes(errorCode(cause) ?? '');
  const reason =
    isPooled && cause instanceof Error ? new Error(`${cause.message} (${pooled})`) : cause;
  return new UnreachableError('DATABASE_URL', hostOf(url), reason);
}
