/** The entry of the engine's thread: the embedded PostgreSQL in `workerData.folder`, behind its wire protocol. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { packageRoot } from '../../platform/package-root.js';
import type { EngineTask, FromEngine, ToEngine } from './engine-messages.js';

/** Image of an empty database, which the build makes; without it a new folder takes longer. */
const builtImage = path.join(packageRoot, 'dist/empty-database.tar.gz');

/**
 * Settings of the engine, in the file that it reads last. Its buffers are memory from the start, and the
 * system's cache is behind them.
 */
const SETTINGS = "shared_buffers = '32MB'\n";

/**
 * Time after which statements are planned anew, in ms: the engine has no autovacuum, whose statistics
 * would end a plan that was made when tables were small.
 */
const PLANS_LAST_MS = 60_000;

/** First byte of the message that ends a connection: the engine's session outlives each of them. */
const TERMINATE = 'X'.charCodeAt(0);

const port = parentPort;
if (port === null) throw new Error('This file is the entry of a thread');
const tell = (message: FromEngine): void => port.postMessage(message);

const { folder, task } = workerData as EngineTask;
try {
  if (task === 'make') await makeFolder();
  else serve(await openEngine());
  tell({ type: 'ready' });
  if (task === 'make') port.close();
} catch (error) {
  tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  port.close();
}

async function makeFolder(): Promise<void> {
  const start = existsSync(builtImage)
    ? { loadDataDir: new Blob([await readFile(builtImage)]) }
    : {};
  // Made under another name: a process that dies half-way leaves nothing that looks whole.
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await (await PGlite.create({ dataDir: draft, ...start })).close();
  await rename(draft, folder);
}

async function openEngine(): Promise<PGlite> {
  await writeFile(path.join(folder, 'postgresql.auto.conf'), SETTINGS);
  return PGlite.create({ dataDir: folder });
}

/** Answers messages one by one, in order. An error of the engine itself ends the thread. */
function serve(engine: PGlite): void {
  let plannedAt = performance.now();
  const handle = async (message: ToEngine): Promise<void> => {
    if (message.type === 'close') {
      await engine.close();
      port?.close();
      return;
    }
    const { connection } = message;
    if (message.type === 'open') {
      // Whatever an earlier connection left: a server would have ended it with that connection.
      await engine.exec('rollback');
      await engine.exec('deallocate all');
    } else if (message.bytes[0] !== TERMINATE) {
      const bytes = await engine.execProtocolRaw(message.bytes);
      tell({ type: 'answer', connection, bytes });
      if (performance.now() - plannedAt < PLANS_LAST_MS) return;
      plannedAt = performance.now();
      await engine.exec('discard plans');
    }
  };
  let handled = Promise.resolve();
  port?.on('message', (message: ToEngine) => {
    handled = handled.then(() => handle(message));
  });
}
