import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.js';
import type { StreamState } from '../request-record.js';

const KEEPALIVE_MS = 15_000;

/** Sent when nothing else was, so that no proxy takes the stream for dead. */
const keepalive = ': keepalive\n\n';

/**
 * The delay before an `EventSource` comes back, in ms, from the least to twice as long more: the readers of a server
 * that stops come back to others one by one.
 */
const MIN_RETRY_MS = 1_000;

/** The end of a frame. */
const END = '\n\n';

/** Longest line with a cursor, in characters. */
const MAX_ID_CHARS = 200;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  // nginx buffers a response without this header.
  'X-Accel-Buffering': 'no',
};

export interface SseWriterDeps {
  clock: Clock;
  /** Milliseconds without progress after which a client is dropped. */
  timeoutMs: number;
}

export interface SseOptions {
  opensAtOnce: boolean;
  /** Called when the head is sent. */
  onHead?: (() => void) | undefined;
}

/** Writes one response as Server-Sent Events, at its reader's pace. */
export class SseWriter implements StreamState {
  readonly #clock: Clock;
  #lastWriteAt: number;
  /** Whether the client was dropped for taking nothing. */
  isTooSlow = false;
  /** Whether what was to be written failed. */
  isBroken = false;
  frames = 0;
  /** The text that was written last. */
  #last = '';
  #isOpen = false;
  #cancelTimer = (): void => undefined;
  readonly #opening: NodeJS.Immediate | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly deps: SseWriterDeps,
    private readonly options: SseOptions = { opensAtOnce: true },
  ) {
    this.#clock = deps.clock;
    this.#lastWriteAt = deps.clock.now();
    // Deferred, so that an immediate failure is still answered with its own status.
    this.#opening = options.opensAtOnce ? setImmediate(() => this.#open()) : undefined;
    this.#watchSilence();
  }

  /**
   * Writes, and calls back once the client can take more: mostly at once. A client without progress until
   * the deadline is dropped.
   */
  write(text: string, onDrained: () => void): void {
    this.#lastWriteAt = this.#clock.now();
    this.#open();
    for (let at = text.indexOf(END); at !== -1; at = text.indexOf(END, at + END.length)) {
      this.frames += 1;
    }
    if (text !== '') this.#last = text;
    const full = writeChunk(this.response, text);
    if (full === undefined) onDrained();
    else this.#drainOrDrop(full, onDrained);
  }

  /** Writes a frame that is no event of the stream: its cursor stays. */
  tell(frame: string): void {
    this.#lastWriteAt = this.#clock.now();
    this.#open();
    writeChunk(this.response, frame);
  }

  get cursor(): string | undefined {
    const at = this.#last.lastIndexOf('\nid: ');
    const from = at === -1 && this.#last.startsWith('id: ') ? 0 : at + 1;
    if (at === -1 && from !== 0) return undefined;
    return /^id: (.*)/.exec(this.#last.slice(from, from + MAX_ID_CHARS))?.[1];
  }

  get brokenBy(): 'slow' | 'error' | undefined {
    if (this.isTooSlow) return 'slow';
    return this.isBroken ? 'error' : undefined;
  }

  /** Ends the response, with 204 where nothing was written and an empty answer is allowed. */
  end(): void {
    const { response, options } = this;
    const isEmpty = !options.opensAtOnce && !response.headersSent && response.req.method !== 'HEAD';
    if (isEmpty) response.writeHead(204, { 'Cache-Control': 'no-cache' });
    else this.#open();
    response.end();
  }

  /** Releases the timers. Must be called once, after any end. */
  stop(): void {
    clearImmediate(this.#opening);
    this.#cancelTimer();
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    if (!this.response.headersSent) this.response.writeHead(200, headers);
    // On their way before any chunk: see `writeChunk`.
    this.response.flushHeaders();
    this.options.onHead?.();
    // An `EventSource` sends GET alone.
    if (this.response.req.method !== 'GET') return;
    const retryMs = Math.round(MIN_RETRY_MS * (1 + 2 * Math.random()));
    writeChunk(this.response, `retry: ${retryMs}\n\n`);
  }

  /**
   * A single timer for each reader, set anew when it fires: a frame costs a timestamp, not a timer.
   */
  #watchSilence(): void {
    const clock = this.#clock;
    if (clock.now() - this.#lastWriteAt >= KEEPALIVE_MS) {
      this.#lastWriteAt = clock.now();
      this.#open();
      writeChunk(this.response, keepalive);
    }
    const leftMs = KEEPALIVE_MS - (clock.now() - this.#lastWriteAt);
    this.#cancelTimer = clock.after(leftMs, () => this.#watchSilence());
  }

  /** @param full says when it has drained. */
  #drainOrDrop(full: EventEmitter, onDrained: () => void): void {
    const { response } = this;
    if (response.destroyed) return onDrained();
    // A process that was busy for so long has not polled its sockets: drop after one more turn of
    // the event loop.
    let last: NodeJS.Immediate | undefined;
    const cancelTimer = this.#clock.after(this.deps.timeoutMs, () => {
      last = setImmediate(() => {
        this.isTooSlow = true;
        response.destroy();
      });
    });
    const settle = (): void => {
      cancelTimer();
      clearImmediate(last);
      full.off('drain', settle);
      response.off('close', settle);
      onDrained();
    };
    full.once('drain', settle);
    response.once('close', settle);
  }
}

/**
 * Writes a chunk of a response whose headers are on their way, in one piece to the connection: the response itself
 * would write the chunk's length, text and end separately, which costs twice as much. All chunks but the last are
 * written this way, because Node 26 keeps the response's own chunks until the end of the tick.
 *
 * @returns the stream that is full, if the next chunk must wait for it.
 */
function writeChunk(response: ServerResponse, text: string): EventEmitter | undefined {
  const { socket, chunkedEncoding } = response;
  // The connection is gone, or another response's still; or the client knows no chunks. An empty chunk would be the last.
  if (socket === null || !socket.writable || !chunkedEncoding || text === '') {
    return response.write(text) ? undefined : response;
  }
  const bytes = Buffer.byteLength(text);
  const chunk = `${bytes.toString(16)}\r\n${text}\r\n`;
  // A text of ASCII alone, as most are, needs no encoding.
  return socket.write(chunk, bytes === text.length ? 'latin1' : 'utf8') ? undefined : socket;
}
