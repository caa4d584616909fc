import { once } from 'node:events';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { Pool } from 'pg';
import { explainUnusable } from '../folder/data-folder.js';
import { packageRoot } from '../../platform/process/package-root.js';

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
    // Callers that wait for the thread get the error from its end event.
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

/** A connection to the engine's thread, as the driver expects a socket. */
export class EngineConnection extends Duplex {
  constructor(
    private readonly id: number,
    private readonly post: (message: ToEngine) => void,
  ) {
    super();
  }

  /** Bytes of an answer. Those of an earlier connection are nobody's. */
  receive(id: number, bytes: Uint8Array): void {
    if (id === this.id) this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  /** The thread is over: in the words of the driver for a server that went away. */
  fail(): void {
    this.destroy(new Error('Connection terminated: the embedded database has stopped'));
  }

  connect(): this {
    this.post({ type: 'open', connection: this.id });
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send(chunk, done);
  }

  /** The messages of a statement, which the driver writes together, are one message to the thread. */
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  /** The driver has ended the connection: nothing is under way, as with a server that hangs up. */
  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _read(): void {
    // Answers come by themselves.
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  #send(bytes: Buffer, done: () => void): void {
    // A copy: the driver writes its next message into the same memory.
    this.post({ type: 'send', connection: this.id, bytes: Uint8Array.from(bytes) });
    done();
  }
}

/** A pool of one connection to the engine, which has one session. */
export function openEnginePool(engine: EngineThread): Pool {
  return new Pool({
    user: 'postgres',
    database: 'postgres',
    stream: () => engine.connect(),
    max: 1,
    idleTimeoutMillis: 0,
  });
}

/** The work of the engine's thread: to serve the database in a folder. */
export interface EngineTask {
  folder: string;
}

/** A message to the engine's thread. Connections come one after another: the engine has one session. */
export type ToEngine =
  | { type: 'open'; connection: number }
  /** Whole messages of PostgreSQL's wire protocol. */
  | { type: 'send'; connection: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'close' };

/** A message of the engine's thread. */
export type FromEngine =
  | { type: 'ready' }
  /** The folder could not be opened; with the system's code, where it has one. */
  | { type: 'failed'; message: string; code?: string | undefined }
  | { type: 'answer'; connection: number; bytes: Uint8Array };
