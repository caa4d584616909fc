import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { extract } from 'tar';
import { errorCode } from '../../platform/error-code.js';
import { packageRoot } from '../../platform/process/package-root.js';
import type { EngineTask, FromEngine, ToEngine } from './engine-thread.js';

/** The entry of the engine's thread: the embedded PostgreSQL in `workerData.folder`, behind its wire protocol. */

/**
 * Settings of the engine, in the file that it reads last. Its buffers are memory from the start, and the
 * system's cache is behind them. Statistics are of 3,000 rows of a table, in place of 30,000: collecting them holds
 * up every statement. Tables are read by their indexes however small they are when a statement is planned: the
 * plan is kept while they grow.
 */
const SETTINGS = "shared_buffers = '32MB'\ndefault_statistics_target = 10\nenable_seqscan = off\n";

/** Image of an empty, migrated database, which the build makes: the engine takes seconds to make one. */
const image = path.join(packageRoot, 'dist/empty-database.tar.gz');

/** First byte of the message that ends a connection: the engine's session outlives each of them. */
const TERMINATE = 'X'.charCodeAt(0);

const port = parentPort;
if (port === null) throw new Error('This file is the entry of a thread');
const tell = (message: FromEngine): void => port.postMessage(message);

const { folder } = workerData as EngineTask;
try {
  serve(await openEngine());
  tell({ type: 'ready' });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  tell({ type: 'failed', message, code: errorCode(error) });
  port.close();
}

async function openEngine(): Promise<PGlite> {
  if (!existsSync(folder)) unpackDatabase(folder);
  await writeFile(path.join(folder, 'postgresql.auto.conf'), SETTINGS);
  return PGlite.create({ dataDir: folder });
}

/**
 * Answers messages one by one, in order. An error of the engine itself ends the thread. Statements that come after
 * the close get no answer: the thread's end fails their connection.
 */
function serve(engine: PGlite): void {
  let isClosed = false;
  const handle = async (message: ToEngine): Promise<void> => {
    if (isClosed) return;
    if (message.type === 'close') {
      isClosed = true;
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
    }
  };
  let handled = Promise.resolve();
  port?.on('message', (message: ToEngine) => {
    handled = handled.then(() => handle(message));
  });
}

/**
 * Makes the embedded PostgreSQL's files. Blocks its thread: a thousand small files take three times as long one by one
 * through the pool of threads.
 *
 * @throws the system's error; what looks whole is whole.
 */
function unpackDatabase(folder: string): void {
  if (!existsSync(image)) {
    throw new Error(
      `The build is not whole: ${image} is missing. Build it again (npm run build), or install the package again`,
    );
  }
  // Made under another name: a process that dies half-way leaves nothing that looks whole.
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  // Strict: a file that cannot be written, as on a full disk, is only warned of otherwise.
  extract({ file: image, cwd: draft, sync: true, strict: true });
  renameSync(draft, folder);
}
