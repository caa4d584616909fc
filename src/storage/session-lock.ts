import { Client } from 'pg';
import { untilAborted } from '../platform/async/deadlines.js';
import { pause, type Clock } from '../platform/clock.js';

/**
 * First key of the advisory locks that show that a process lives; the second is the hash of its name. Of migrations' own
 * lock, which has one key, the server tells them apart.
 */
export const LIFE_LOCK = 0x74757277;

/** Milliseconds between two looks at the lock. */
const LOOK_MS = 1_000;
/** Milliseconds until the next try to have it again. */
const RETRY_MS = 250;
/** Longest time of a statement and of a connection, in ms: a longer one waits for a network that is gone. */
const TIMEOUT_MS = 2_000;

/** SQL that is true where the lock of a name is held. @param name SQL of the name. */
export const isHeld = (name: string): string => `exists (
  select from pg_locks held where held.locktype = 'advisory' and held.granted and held.objsubid = 2
    and held.database = (select oid from pg_database where datname = current_database())
    and held.classid = ${LIFE_LOCK} and held.objid::bigint = (hashtext(${name})::bigint & 4294967295))`;

/** SQL of the number of processes that hold such a lock. */
export const countLives = `(select count(distinct held.objid) from pg_locks held
  where held.locktype = 'advisory' and held.granted and held.objsubid = 2 and held.classid = ${LIFE_LOCK}
    and held.database = (select oid from pg_database where datname = current_database()))`;

export interface SessionLockOptions {
  url: string;
  clock: Clock;
  /** Called where the lock is lost, once until it is there again. */
  onLost(error: unknown): void;
}

export interface SessionLock {
  /** Gives the lock up. */
  close(): Promise<void>;
}

async function connect(name: string, url: string): Promise<Client> {
  const opened = new Client({
    connectionString: url,
    application_name: 'turnpike life',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
  });
  // A statement fails with the connection, or the next look does.
  opened.on('error', () => undefined);
  try {
    await opened.connect();
    await opened.query(`select pg_advisory_lock_shared(${LIFE_LOCK}, hashtext($1))`, [name]);
  } catch (error) {
    void opened.end().catch(() => undefined);
    throw error;
  }
  return opened;
}

/**
 * Holds a lock on a connection of its own for as long as the process lives: the kernel closes the connection of a process
 * that dies, whatever killed it, and leaves that of one that is stopped or busy. A lost lock is taken again.
 *
 * @returns once the lock is held for the first time, or the first try has failed.
 */
export async function holdLock(
  name: string,
  { url, clock, onLost }: SessionLockOptions,
): Promise<SessionLock> {
  const closing = new AbortController();
  let client: Client | undefined;
  let isReported = false;
  const open = async (): Promise<void> => {
    client = await connect(name, url);
    isReported = false;
  };
  /** A pool in front of the server may have given the connection of the lock to somebody else, or closed it. */
  const look = async (): Promise<void> => {
    const found = await client?.query<{ held: boolean }>(`select ${isHeld('$1')} as held`, [name]);
    if (found?.rows[0]?.held !== true) throw new Error('The lock is not held any more');
  };
  const wait = (ms: number): Promise<void> => untilAborted(pause(clock, ms), closing.signal);
  const keep = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await (client === undefined ? open() : look());
        await wait(LOOK_MS);
      } catch (error) {
        if (closing.signal.aborted) return;
        const lost = client;
        client = undefined;
        void lost?.end().catch(() => undefined);
        if (!isReported) onLost(error);
        isReported = true;
        await wait(RETRY_MS).catch(() => undefined);
      }
    }
  };
  await open().catch((error: unknown) => {
    isReported = true;
    onLost(error);
  });
  const kept = keep();
  return {
    close: async () => {
      closing.abort();
      await kept;
      await client?.end().catch(() => undefined);
    },
  };
}
