import { once } from 'node:events';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { explainUnusable } from '../folder/make-data-folder.js';
import { packageRoot } from '../../platform/process/package-root.js';
import { EngineConnection } from './engine-connection.js';
import type { EngineTask, FromEngine, ToEngine } from './engine-messages.js';

/** The entry is always built code: tests, which run the sources, take it from the build too. */
const engineEntry = path.join(packageRoot, 'dist/run-engine.js');

/** The embedded PostgreSQL in a thread of its own: its statements do not hold the event loop. */
export class EngineThread {
  #connections = 0;
  #connection: EngineConnection | undefined;
  #isOver = false;

  private constructor(private readonly worker: Worker) {
    const end = (): void => {
      this.#isOver = true;
      this.#connection?.fail();
    };
    // The error itself is in the event of the thread's end for whoever waits for it.
    worker.on('error', end);
    worker.on('exit', end);
    worker.on('message', (message: FromEngine) => {
      if (message.type === 'answer') this.#connection?.receive(message.connection, message.bytes);
    });
  }

  /**
   * Starts the engine on a folder, which is made when it is missing.
   *
   * @throws DataFolderUnusableError, or Error, when the folder cannot be made or opened.
   */
  static async start(folder: string): Promise<EngineThread> {
    const workerData: EngineTask = { folder };
    // Without the options of this process: a profile or a limit is for its own thread.
    const worker = new Worker(engineEntry, { workerData, execArgv: [] });
    const thread = new EngineThread(worker);
    await untilReady(worker, folder);
    return thread;
  }

  /** Opens a connection, which takes the place of the one before. */
  connect(): Duplex {
    this.#connections += 1;
    const id = this.#connections;
    this.#connection = new EngineConnection(id, (message) => this.#post(message));
    if (this.#isOver) this.#connection.fail();
    return this.#connection;
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    const exited = once(this.worker, 'exit');
    this.#post({ type: 'close' });
    await exited;
  }

  #post(message: ToEngine): void {
    // Moved, not copied.
    this.worker.postMessage(message, message.type === 'send' ? [message.bytes.buffer] : []);
  }
}

/** @throws what the thread says that it failed with. */
async function untilReady(worker: Worker, folder: string): Promise<void> {
  const [answer] = (await once(worker, 'message')) as [FromEngine];
  if (answer.type !== 'failed') return;
  const { message, code } = answer;
  throw explainUnusable(folder, Object.assign(new Error(message), { code }));
}
