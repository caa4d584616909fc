import { mkdir, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from '../config/config.js';
import { TypedError } from '../errors/typed-error.js';
import type { EventLog } from '../events/event-log.js';
import { withTimeout } from '../platform/async/deadlines.js';
import type { Clock } from '../platform/clock.js';
import { errorCode } from '../platform/error-code.js';
import { closing } from '../platform/files/folder-handle.js';
import { newId } from '../platform/ids.js';
import type { OpenedDatabase } from '../storage/connection.js';
import { driverError } from '../storage/database-errors.js';
import { writeRefusal } from '../storage/refused-writes.js';
import type { TurnQueue } from '../turn/face.js';
import type { ReadinessDto } from './health.dto.js';

/** A service that the server cannot work without. */
export interface Dependency {
  name: string;
  /** Its name for people. */
  label: string;
  /** Tries a write, which leaves nothing. Rejects when it takes none, or does not answer. */
  ping(): Promise<void>;
}

/** The stores that a process cannot work without. */
export interface Stores {
  database: Pick<OpenedDatabase, 'ping'>;
  queue: Pick<TurnQueue, 'ping'>;
  log: Pick<EventLog, 'ping'>;
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'blobDir' | 's3Url'>;
  clock: Clock;
}

/** The services that a process cannot work without, over its back end. All probes share what is asked of them. */
export function listDependencies({ database, queue, log, config, clock }: Stores): Dependency[] {
  const isEmbedded = config.databaseUrl === undefined;
  // A single process keeps its queue and its log in memory.
  const label = isEmbedded ? 'The memory of this process' : 'Redis';
  const folders = listFolders(config);
  const ofFolders = async (): Promise<void> => void (await Promise.all(folders.map(tryFileWrite)));
  const dependencies: Dependency[] = [
    {
      name: 'database',
      label: isEmbedded ? 'The embedded database' : 'PostgreSQL',
      ping: () => database.ping(),
    },
    { name: 'queue', label, ping: () => queue.ping() },
    { name: 'log', label, ping: () => log.ping() },
    ...(folders.length === 0 ? [] : [{ name: 'disk', label: 'The disk', ping: ofFolders }]),
  ];
  return dependencies.map((one) => ({ ...one, ping: sharedCheck(one.ping, clock) }));
}

/** The folders that a process writes to: of the embedded database, of files, and of those on their way to a bucket. */
function listFolders({ databaseUrl, dataDir, blobDir, s3Url }: Stores['config']): string[] {
  const folders = [
    databaseUrl === undefined ? dataDir : undefined,
    s3Url === undefined ? blobDir : tmpdir(),
  ];
  return folders.filter((folder) => folder !== undefined);
}

/** Time for which the result of a check counts, in ms. */
const SHARED_MS = 1_000;

/**
 * A check that any number of probes share: one is under way at a time, and its result counts for a second. So ten load
 * balancers that ask every second cost what one does, and a service that hangs is not asked again meanwhile.
 */
export function sharedCheck(check: () => Promise<void>, clock: Clock): () => Promise<void> {
  let last: Promise<void> | undefined;
  let endedAt: number | undefined;
  return () => {
    const isFresh = endedAt === undefined || clock.now() - endedAt < SHARED_MS;
    if (last !== undefined && isFresh) return last;
    endedAt = undefined;
    const end = (): void => void (endedAt = clock.now());
    last = check();
    last.then(end, end);
    return last;
  };
}

/** Bytes that a folder must have room for. */
const BYTES = 256 * 1024;

/**
 * Writes a file into a folder, which is made where it is missing. The file has no name any more while it is written: a
 * process that dies leaves no bytes, and processes that share the folder do not meet.
 *
 * @throws the system's error.
 */
async function tryFileWrite(folder: string): Promise<void> {
  const file = path.join(folder, newId('.turnpike-write-check'));
  // As the first file makes it.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(file, 'wx', 0o600);
  await closing(handle, async () => {
    await rm(file);
    await handle.writeFile(Buffer.alloc(BYTES));
  });
}

/** Pings every dependency, each for at most `timeoutMs` milliseconds. */
export async function checkReadiness(
  dependencies: readonly Dependency[],
  timeoutMs = 2_000,
): Promise<ReadinessDto> {
  const answers = await Promise.all(
    dependencies.map(async ({ name, label, ping }): Promise<[string, string]> => {
      try {
        const isAnswered = await withTimeout(timeoutMs, ping());
        return [name, isAnswered ? 'ok' : `${label} did not answer in ${timeoutMs} ms`];
      } catch (error) {
        return [name, describeFault(label, error)];
      }
    }),
  );
  return {
    ready: answers.every(([, answer]) => answer === 'ok'),
    checks: Object.fromEntries(answers),
  };
}

/** The fault of a service without its statement and its address, which probes of anybody would read. */
function describeFault(label: string, error: unknown): string {
  if (error instanceof TypedError) return error.message;
  const code = errorCode(driverError(error));
  const refusal = writeRefusal(error);
  if (refusal !== undefined) {
    return refusal === 'full' ? `${label} is full` : `${label} is read-only`;
  }
  return `${label} does not answer${code === undefined ? '' : ` (${code})`}`;
}
