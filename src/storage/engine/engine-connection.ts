import { Duplex } from 'node:stream';
import type { ToEngine } from './engine-messages.js';

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
