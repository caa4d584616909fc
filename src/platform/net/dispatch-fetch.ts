import type { Dispatcher } from 'undici';
import { toHeaders } from './to-headers.js';

type Chunk = { done: true } | { done?: false; value: Uint8Array };

/** The chunks of a body, in order. */
export interface ChunkReader {
  /** @throws TypeError when the connection breaks; the signal's reason. */
  read(): Promise<Chunk>;
}

/**
 * An event stream: its `body` is null, and its chunks are read one by one. Whoever reads holds the whole answer:
 * the SDK stops listening to the signal of a request whose answer is garbage.
 */
export class StreamedResponse extends Response implements ChunkReader {
  readonly #chunks: ChunkReader;

  constructor(chunks: ChunkReader, init: ResponseInit) {
    super(null, init);
    this.#chunks = chunks;
  }

  read(): Promise<Chunk> {
    return this.#chunks.read();
  }
}

/** The part of an undici dispatcher that the fetch needs. undici takes iterables as bodies as well, which its types lack. */
export interface BodyDispatcher {
  dispatch(
    options: Omit<Dispatcher.DispatchOptions, 'body'> & {
      body?: Dispatcher.DispatchOptions['body'] | Iterable<Buffer>;
    },
    handler: Dispatcher.DispatchHandler,
  ): boolean;
}

/** Headers of an event stream that are read, the second by the SDK's log: others would be held while it is open. */
const streamHeaders: ReadonlySet<string> = new Set(['content-type', 'request-id']);

/** Unread chunks above which the connection is not read. */
const MOST_UNREAD = 16;

/**
 * A `fetch` over a dispatcher, for requests with a text as their body. Web streams cost a tenth of a
 * worker that streams: the chunks of an event stream are handed on as they come, as a
 * `StreamedResponse`. Any other answer is read whole. Redirects are not followed.
 *
 * @throws (the fetch) TypeError whose cause is the failure of the connection; the signal's reason.
 */
export function dispatchFetch(dispatcher: BodyDispatcher): typeof fetch {
  return (input, { method = 'GET', headers, body = null, signal } = {}) => {
    const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input);
    if (typeof body !== 'string' && body !== null) {
      return Promise.reject(new TypeError('The body of a request is a text'));
    }
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const bytes = body === null ? undefined : Buffer.from(body);
    const length = bytes === undefined ? {} : { 'content-length': `${bytes.length}` };
    return new Promise<Response>((resolve, reject) => {
      const exchange = new Exchange(signal ?? undefined, { resolve, reject });
      dispatcher.dispatch(
        {
          origin,
          path: pathname + search,
          method,
          headers: { ...Object.fromEntries(toHeaders(headers)), ...length },
          body: bytes === undefined ? null : sentOnce([bytes]),
        },
        exchange,
      );
    });
  };
}

/**
 * A body that nothing holds once it is sent: undici keeps a text, and the listeners to a stream, until the answer has
 * ended.
 */
function* sentOnce(chunks: Buffer[]): Iterable<Buffer> {
  for (let chunk = chunks.pop(); chunk !== undefined; chunk = chunks.pop()) yield chunk;
}

interface Settle {
  resolve(response: Response): void;
  reject(error: unknown): void;
}

/** A request and its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  #chunks: Chunks | undefined;
  #unlink = (): void => undefined;
  #head: ResponseInit = {};
  readonly #whole: Buffer[] = [];
  /** Undefined once a stream has begun, which would hold its head. */
  #answer: Settle | undefined;

  constructor(
    private readonly signal: AbortSignal | undefined,
    answer: Settle,
  ) {
    this.#answer = answer;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal } = this;
    if (signal === undefined) return;
    const abort = (): void => controller.abort(new Error('aborted', { cause: signal.reason }));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#unlink = () => signal.removeEventListener('abort', abort);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    given: Record<string, string | string[] | undefined>,
  ): void {
    // Informational: the answer comes after it.
    if (status < 200) return;
    const headers = new Headers();
    for (const [name, value] of Object.entries(given)) {
      for (const one of [value ?? []].flat()) headers.append(name, one);
    }
    // The head is read: as it came it would stay for as long as the stream is open.
    controller.rawHeaders = null;
    if (status === 200 && isEventStream(headers)) {
      this.#chunks = new Chunks(controller);
      const kept = [...headers].filter(([name]) => streamHeaders.has(name));
      this.#answer?.resolve(new StreamedResponse(this.#chunks, { status, headers: kept }));
      this.#answer = undefined;
    } else {
      this.#head = { status, headers };
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#chunks === undefined) this.#whole.push(chunk);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#unlink();
    if (this.#chunks !== undefined) return this.#chunks.end();
    const body = this.#whole.length === 0 ? null : Buffer.concat(this.#whole);
    this.#answer?.resolve(new Response(body, this.#head));
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#unlink();
    const isAborted = this.signal?.aborted === true;
    const failure = (what: string): unknown =>
      isAborted ? this.signal?.reason : new TypeError(what, { cause });
    if (isAborted) this.#chunks?.drop();
    this.#chunks?.fail(failure('terminated'));
    this.#answer?.reject(failure('fetch failed'));
  }
}

function isEventStream(headers: Headers): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;
}

/** Chunks that have come and were not read yet. */
class Chunks implements ChunkReader {
  #ready: Buffer[] = [];
  #reader: { resolve(chunk: Chunk): void; reject(error: unknown): void } | undefined;
  #end: { failure?: unknown } | undefined;

  constructor(
    private readonly connection: Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'paused'>,
  ) {}

  push(chunk: Buffer): void {
    this.#ready.push(chunk);
    if (this.#ready.length > MOST_UNREAD) this.connection.pause();
    this.#settle();
  }

  end(): void {
    this.#end = {};
    this.#settle();
  }

  /** Forgets what was not read: whoever aborts has no use for it. */
  drop(): void {
    this.#ready = [];
  }

  fail(failure: unknown): void {
    this.#end ??= { failure };
    this.#settle();
  }

  /** Reads all that has come. */
  read(): Promise<Chunk> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#settle();
    });
  }

  #settle(): void {
    const reader = this.#reader;
    if (reader === undefined || (this.#ready.length === 0 && this.#end === undefined)) return;
    // Before all else: a connection that resumes pushes at once.
    this.#reader = undefined;
    const [first, ...more] = this.#ready;
    this.#ready = [];
    if (first !== undefined) {
      reader.resolve({ value: more.length === 0 ? first : Buffer.concat([first, ...more]) });
      if (this.connection.paused) this.connection.resume();
    } else if (this.#end !== undefined && 'failure' in this.#end) {
      reader.reject(this.#end.failure);
    } else {
      reader.resolve({ done: true });
    }
  }
}
