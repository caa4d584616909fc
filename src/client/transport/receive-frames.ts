import { createParser } from 'eventsource-parser';

export interface ReceivedFrame {
  /** Blank where the frame has none. */
  id: string;
  event: string | undefined;
  data: string;
}

/**
 * The frames of one connection, those of one chunk together; a chunk with comments alone gives an empty
 * list. The next chunk is received when the caller asks for more.
 *
 * @throws the error that broke the connection.
 */
export async function* receiveFrames(
  body: ReadableStream<Uint8Array>,
  stallSignal: StallSignal,
): AsyncGenerator<ReceivedFrame[], void, undefined> {
  let frames: ReceivedFrame[] = [];
  const parser = createParser({
    onEvent: ({ id = '', event, data }) => void frames.push({ id, event, data }),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await stallSignal.guard(reader.read());
    // The rest in the parser is half a frame: the next connection sends it whole.
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
    const received = frames;
    frames = [];
    yield received;
  }
}

/** A connection's signal: aborts with the caller's, and when a guarded wait takes `stallMs`. */
export class StallSignal {
  readonly #controller = new AbortController();
  readonly #follow: () => void;

  constructor(
    private readonly clock: ClientClock,
    private readonly stallMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.#follow = () => this.#controller.abort(this.outer?.reason);
    if (outer?.aborted === true) this.#follow();
    // `close` removes the listener: the caller's signal may outlive a thousand connections.
    outer?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts when `coming` takes longer than `stallMs`. Time between two calls does not count. */
  async guard<T>(coming: Promise<T>): Promise<T> {
    const cancel = this.clock.after(this.stallMs, () => {
      this.#controller.abort(new Error(`Nothing came for ${this.stallMs} ms`));
    });
    try {
      return await coming;
    } finally {
      cancel();
    }
  }

  /** Ends the connection. */
  close(): void {
    this.outer?.removeEventListener('abort', this.#follow);
    this.#controller.abort();
  }
}

/** The client's source of time; tests move theirs by hand. */
export interface ClientClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs` milliseconds; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClientClock: ClientClock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds. @throws the signal's reason once it is aborted. */
export function pause(clock: ClientClock, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
}
