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

/** The settings that all connections of a client share. */
interface ConnectionTerms {
  clock: ClientClock;
  stallMs: number;
  closed: AbortSignal | undefined;
}

/** A connection's signal: aborts with the caller's and the client's, and when a guarded wait takes `stallMs`. */
export class StallSignal {
  readonly #controller = new AbortController();
  readonly #outers: readonly (AbortSignal | undefined)[];

  constructor(
    private readonly terms: ConnectionTerms,
    outer: AbortSignal | undefined,
  ) {
    this.#outers = [outer, terms.closed];
    for (const one of this.#outers) {
      if (one?.aborted === true) this.#controller.abort(one.reason);
      // `close` removes the listener: these signals may outlive a thousand connections.
      one?.addEventListener('abort', this.#follow, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts when `coming` takes longer than `stallMs`. Time between two calls does not count. */
  async guard<T>(coming: Promise<T>): Promise<T> {
    const { clock, stallMs } = this.terms;
    const cancel = clock.after(stallMs, () => {
      this.#controller.abort(new Error(`Nothing came for ${stallMs} ms`));
    });
    try {
      return await coming;
    } finally {
      cancel();
    }
  }

  /** Ends the connection. */
  close(): void {
    for (const one of this.#outers) one?.removeEventListener('abort', this.#follow);
    this.#controller.abort();
  }

  readonly #follow = (event: Event): void => {
    this.#controller.abort((event.target as AbortSignal).reason);
  };
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

/** Resolves after `ms` milliseconds. @throws the reason of the first signal that is aborted. */
export function pause(
  clock: ClientClock,
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<void> {
  for (const signal of signals) signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      for (const signal of signals) signal?.removeEventListener('abort', leave);
    };
    const leave = (event: Event): void => {
      stop();
      reject((event.target as AbortSignal).reason);
    };
    const cancel = clock.after(ms, () => {
      stop();
      resolve();
    });
    for (const signal of signals) signal?.addEventListener('abort', leave, { once: true });
  });
}
