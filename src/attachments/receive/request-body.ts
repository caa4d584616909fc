import type { IncomingMessage } from 'node:http';
import { untilAborted } from '../../platform/abort.js';
import type { Clock } from '../../platform/clock.js';
import { chunkShare } from './chunk-share.js';
import { discardRest } from './discard-rest.js';
import {
  bodyTooLarge,
  ClientGoneError,
  requestTimeout,
  unsupportedEncoding,
} from './receive-errors.js';
import type { ReceiveLimits } from './receive-options.js';

export interface BodyLimits extends Pick<ReceiveLimits, 'maxRequestBytes' | 'idleMs'> {
  /** Codings of `Content-Encoding` that the reader undoes itself; none when absent. */
  encodings?: readonly string[];
  /** Makes what is thrown for a body over the limit. */
  tooLarge?(): Error;
}

/** The body of a request while it comes: counted, timed, and refused once. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #clock: Clock;
  readonly #refusal = new AbortController();

  constructor(request: IncomingMessage, limits: BodyLimits, clock: Clock) {
    this.#request = request;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Bytes the client announced; undefined when it did not say. */
  get announcedBytes(): number | undefined {
    const announced = this.#request.headers['content-length'];
    return announced === undefined ? undefined : Number(announced);
  }

  /** What the bytes are coded in, as the client says; `identity` when it says nothing. */
  get encoding(): string {
    return this.#request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  }

  /** Aborted with the refusal. */
  get signal(): AbortSignal {
    return this.#refusal.signal;
  }

  /** Ends the reading, whoever waits for what. The first reason is the one. */
  readonly refuse = (reason: unknown): void => this.#refusal.abort(reason);

  /** Once. @throws the refusal, also in the middle of a wait; what it throws is one. */
  async *read(): AsyncGenerator<Buffer> {
    const chunks = this.#request.iterator({ destroyOnReturn: false });
    let size = 0;
    try {
      for (;;) {
        const next = (await this.#whileItComes(chunks.next())) as IteratorResult<Buffer>;
        if (next.done === true) return;
        size += next.value.length;
        if (size > this.#limits.maxRequestBytes) throw this.#tooLarge();
        // A socket that has more gives all of it in one turn of the loop, and nobody else has any.
        await chunkShare.next();
        yield next.value;
      }
    } catch (error) {
      this.refuse(error);
      throw error;
    } finally {
      // Not awaited: what waits for data that never comes returns never. What does come is discarded.
      void chunks.return?.().then(() => this.#request.resume());
    }
  }

  /** Reads the body with `read`. Whatever ends it, the first refusal is what is thrown. */
  async receive<T>(read: (body: this) => Promise<T>): Promise<T> {
    try {
      this.#checkHead();
      return await read(this);
    } catch (error) {
      this.refuse(error);
      discardRest(this.#request, this.#clock);
      throw this.signal.reason;
    }
  }

  #checkHead(): void {
    const { maxRequestBytes, encodings = [] } = this.#limits;
    if ((this.announcedBytes ?? 0) > maxRequestBytes) throw this.#tooLarge();
    if (this.encoding === 'identity' || encodings.includes(this.encoding)) return;
    throw unsupportedEncoding(this.encoding, encodings);
  }

  #tooLarge(): Error {
    const { tooLarge, maxRequestBytes } = this.#limits;
    return tooLarge?.() ?? bodyTooLarge(maxRequestBytes);
  }

  async #whileItComes<T>(chunk: Promise<T>): Promise<T> {
    const { idleMs } = this.#limits;
    const stopTimer = this.#clock.after(idleMs, () => this.refuse(requestTimeout(idleMs)));
    const coming = chunk.catch((error: unknown) => {
      throw new ClientGoneError(error);
    });
    try {
      return await untilAborted(coming, this.signal);
    } finally {
      stopTimer();
    }
  }
}
