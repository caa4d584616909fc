import type { IncomingMessage } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import { untilAborted } from '../platform/async/deadlines.js';
import type { Clock } from '../platform/clock.js';
import { plainNumbers } from '../platform/exact-json.js';
import { isPlainObject } from '../platform/json.js';
import type { JsonLimits } from '../platform/text/json-text.js';
import {
  bodyConsumed,
  requestTimeout,
  requestTooLarge,
  unsupportedEncoding,
} from './body-errors.js';
import { chunkShare } from './streams/write-stream.js';

export interface BodyLimits {
  maxRequestBytes: number;
  /** Milliseconds without a byte after which the request is refused. */
  idleMs: number;
  /** Codings of `Content-Encoding` that the caller decodes itself; absent: none. */
  encodings?: readonly string[];
  /** Makes the error for a body over the limit. Default: `requestTooLarge`. */
  tooLarge?(): Error;
}

/** The body of a request as a stream: counted, timed, and refused at most once. */
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

  /** The Content-Length; undefined when the client sent none. */
  get announcedBytes(): number | undefined {
    const announced = this.#request.headers['content-length'];
    return announced === undefined ? undefined : Number(announced);
  }

  /** The Content-Encoding; `identity` when the client sent none. */
  get encoding(): string {
    return this.#request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  }

  /** Aborts with the refusal as its reason. */
  get signal(): AbortSignal {
    return this.#refusal.signal;
  }

  /** Refuses the body and ends every wait for it. The first reason stays. */
  readonly refuse = (reason: unknown): void => this.#refusal.abort(reason);

  /**
   * The chunks of the body; called once.
   * @throws the refusal, also during a wait. Any error becomes the refusal.
   */
  async *read(): AsyncGenerator<Buffer> {
    // A short body comes with its head, and is there in the next turn: iterator, timer and signal cost more.
    await yieldToEventLoop();
    if (this.#request.readableDidRead) throw bodyConsumed();
    const { complete, destroyed } = this.#request;
    if (!complete || destroyed) return yield* this.#readOn();
    const body = this.#request.read() as Buffer | null;
    if (body === null) return;
    this.#checkSize(body.length);
    await chunkShare.next();
    yield body;
  }

  async *#readOn(): AsyncGenerator<Buffer> {
    const chunks = this.#request.iterator({ destroyOnReturn: false });
    let size = 0;
    try {
      for (;;) {
        const next = (await this.#whileItComes(chunks.next())) as IteratorResult<Buffer>;
        if (next.done === true) return;
        size += next.value.length;
        this.#checkSize(size);
        // A socket with more data gives all of it in one turn of the event loop: others must have
        // theirs.
        await chunkShare.next();
        yield next.value;
      }
    } catch (error) {
      this.refuse(error);
      throw error;
    } finally {
      // The return is not awaited, as a pending read may never settle. Later data is discarded.
      void chunks.return?.().then(() => this.#request.resume());
    }
  }

  /** Runs `read` over the body. @throws the first refusal, whatever ended the read. */
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
    const { encodings = [] } = this.#limits;
    this.#checkSize(this.announcedBytes ?? 0);
    if (this.encoding === 'identity' || encodings.includes(this.encoding)) return;
    throw unsupportedEncoding(this.encoding, encodings);
  }

  #checkSize(bytes: number): void {
    const { tooLarge, maxRequestBytes } = this.#limits;
    if (bytes > maxRequestBytes) throw tooLarge?.() ?? requestTooLarge(maxRequestBytes);
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

/** Bodies as they came, by their plain ones, where the two differ. */
const exactBodies = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** The body that routes get: with plain numbers. `exactFields` has those of tools as they came. */
export function plainBody(exact: unknown): unknown {
  const body = plainNumbers(exact);
  if (body !== exact && isPlainObject(body) && isPlainObject(exact)) exactBodies.set(body, exact);
  return body;
}

/** A body whose fields `names` have exact numbers (`exact-json.ts`), as they are of tools. */
export function exactFields(body: unknown, ...names: string[]): unknown {
  const exact = isPlainObject(body) ? exactBodies.get(body) : undefined;
  if (!isPlainObject(body) || exact === undefined) return body;
  const given = names.filter((name) => Object.hasOwn(exact, name));
  return { ...body, ...Object.fromEntries(given.map((name) => [name, exact[name]])) };
}

/** The fields of a request's body that have exact numbers, by their names. */
export const ExactFields = createParamDecorator((names: string[], context: ExecutionContext) => {
  const { body } = context.switchToHttp().getRequest<Request>();
  const exact = exactFields(body, ...names);
  return isPlainObject(exact) ? Object.fromEntries(names.map((name) => [name, exact[name]])) : {};
});

/** The body as it came, with fields that its class drops. */
export const SentBody = createParamDecorator(
  (_data: unknown, context: ExecutionContext): unknown =>
    context.switchToHttp().getRequest<Request>().body,
);

/** Time that a client may go on sending a discarded body, in ms. */
const LINGER_MS = 10_000;

/**
 * Discards the rest of a refused request. A connection that is closed while its client sends is reset,
 * and the client loses the response: so the client may send on for a while, and read the response
 * first. Then the request is destroyed.
 */
export function discardRest(request: IncomingMessage, clock: Clock): void {
  const { socket } = request;
  if (request.destroyed || request.readableEnded || socket.destroyed) return;
  // An error of a request that was refused is of no interest.
  request.on('error', () => undefined);
  const cancelTimer = clock.after(LINGER_MS, () => request.destroy());
  const isOver = (): void => {
    cancelTimer();
    request.off('close', isOver);
    socket.off('close', isOver);
  };
  // A request that was answered before its end emits no `close` when its connection closes.
  request.once('close', isOver);
  socket.once('close', isOver);
  request.resume();
}

/**
 * The limits of a route's body. `plain`: those of most routes. `conversation`: those for clients that
 * send the whole conversation each time. `unread`: the route reads its body itself, by its own limits.
 */
export type BodyKind = 'plain' | 'conversation' | 'unread';

export const BODY_KIND = 'turnpike:body-kind';

/** The limits of a handler's body, where they are not those of most routes. */
export const BodyLimit = (kind: BodyKind) => SetMetadata(BODY_KIND, kind);

/** Limits of a route's body, with the variable that the size comes from. */
export interface BodyRules {
  maxBytes: number;
  /** Name of the environment variable that `maxBytes` is from. */
  variable: string;
  limits: JsonLimits;
}

/** The client closed the connection before its request was complete; there is nobody to answer. */
class ClientGoneError extends Error {
  override readonly name = 'AbortError';

  constructor(cause: unknown) {
    super('The client closed the connection before its request was complete', { cause });
  }
}
