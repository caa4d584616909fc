import { systemClientClock, type ClientClock } from './receive-frames.js';
import { TokenSource, type GivenToken } from './token-source.js';
import { ConnectionLostError, TurnpikeError, parseRefusal } from './client-errors.js';

export interface Retrying {
  /** The number of the try since the last success, from 1. */
  attempt: number;
  delayMs: number;
  cause: unknown;
}

export interface ClientOptions {
  /** The server's address, `http://127.0.0.1:4400`; in the server's own page `''`. */
  url: string;
  /** An API key, sent with every request. */
  key?: string | undefined;
  /**
   * In place of a key: the token of now, or the answer of your backend to a request for one. It is called before the
   * first request, shortly before a token ends, and once where the server refuses one. A stream that is open goes on
   * with the next token. What it throws, and a refusal of your backend, is thrown by the call that needed the token.
   */
  token?: (() => GivenToken | Promise<GivenToken>) | undefined;
  /** Default: the platform's. */
  fetch?: typeof fetch;
  /** Sent with every request, beside the client's own. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Milliseconds without a byte after which a connection is made anew. The server sends a comment
   * every 15 s. Default: 45,000.
   */
  stallMs?: number;
  /** Milliseconds of silence after which a turn's stream is given up. Default: 300,000. */
  maxSilenceMs?: number;
  /**
   * Ends the client for good: what it waits for and every later call reject with the signal's reason, and nothing is
   * tried again.
   */
  closed?: AbortSignal | undefined;
  /** Called before each wait for the next try of a turn's request or stream. */
  onRetry?(retrying: Retrying): void;
  clock?: ClientClock;
  /** From 0 up to 1, as `Math.random`. */
  random?(): number;
}

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From `/api` on, encoded. */
  path: string;
  /** Undefined values are left out. */
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/** Sends requests to one server, with its key and headers. */
export class Transport {
  readonly url: string;
  readonly clock: ClientClock;
  readonly stallMs: number;
  readonly maxSilenceMs: number;
  readonly random: () => number;
  readonly onRetry: (retrying: Retrying) => void;
  readonly closed: AbortSignal | undefined;
  /** Whether requests go out by the platform's own `fetch`. */
  readonly isPlatformFetch: boolean;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tokens: TokenSource | undefined;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '');
    this.clock = options.clock ?? systemClientClock;
    this.stallMs = options.stallMs ?? 45_000;
    this.maxSilenceMs = options.maxSilenceMs ?? 300_000;
    this.random = options.random ?? Math.random;
    this.onRetry = (retrying) => options.onRetry?.(retrying);
    this.closed = options.closed;
    this.isPlatformFetch = options.fetch === undefined;
    this.#tokens = options.token && new TokenSource(options.token, this.clock);
    this.#headers = {
      ...options.headers,
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    };
    // `fetch` is looked up at each call, and called without an object: browsers insist on the latter.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** Sends a request. @returns any status. @throws ConnectionLostError; the signal's reason. */
  async send(path: string, init: RequestInit): Promise<Response> {
    const headers = await this.headers();
    const response = await this.#send(path, init, headers);
    const isStream = init.body instanceof ReadableStream;
    if (this.#tokens === undefined || response.status !== 401) return response;
    this.#tokens.drop((headers['authorization'] ?? '').replace('Bearer ', ''));
    // What was streamed cannot be sent again; the next request has another token.
    if (isStream) return response;
    await response.body?.cancel();
    return this.#send(path, init, await this.headers());
  }

  /** The headers of every request, with the token of now. @throws what the application's `token` throws. */
  async headers(): Promise<Readonly<Record<string, string>>> {
    if (this.#tokens === undefined) return this.#headers;
    return { ...this.#headers, authorization: `Bearer ${await this.#tokens.current()}` };
  }

  async #send(
    path: string,
    init: RequestInit,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    init.signal?.throwIfAborted();
    this.closed?.throwIfAborted();
    try {
      return await this.#fetch(this.url + path, {
        ...init,
        headers: { ...headers, ...(init.headers as Record<string, string> | undefined) },
      });
    } catch (error) {
      init.signal?.throwIfAborted();
      this.closed?.throwIfAborted();
      throw this.lost(error);
    }
  }

  /** Sends a request. @returns a 2xx. @throws TurnpikeError for any other; ConnectionLostError. */
  async open(call: Call): Promise<Response> {
    const { method = 'GET', path, query = {}, body, headers, signal } = call;
    const response = await this.send(path + queryOf(query), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.ok) return response;
    throw await parseRefusal(response, this.clock.now());
  }

  /** Sends a request and parses its answer. @throws TurnpikeError; ConnectionLostError. */
  async json<Answer>(call: Call): Promise<Answer> {
    const response = await this.open(call);
    const text = await response.text().catch((error: unknown) => {
      call.signal?.throwIfAborted();
      this.closed?.throwIfAborted();
      throw this.lost(error);
    });
    return parseJson(text, response.status) as Answer;
  }

  /** As `json`. @returns one field of the answer. */
  async field<Value>(name: string, path: string, call: Omit<Call, 'path'> = {}): Promise<Value> {
    const answer = await this.json<Readonly<Record<string, Value>>>({ ...call, path });
    // As with `json`, nothing checks the answer against its type.
    return answer[name] as Value;
  }

  lost(cause: unknown): ConnectionLostError {
    return new ConnectionLostError(
      `The server at ${this.url} cannot be reached, or the connection broke. Check the address and that the server runs.`,
      { url: this.url, cause },
    );
  }
}

/** @throws TurnpikeError UNREADABLE_ANSWER. */
export function parseJson(text: string, status: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unreadableAnswer(status, 'The answer is not JSON');
  }
}

/** @param what is wrong with the answer. */
export function unreadableAnswer(status: number, what: string): TurnpikeError {
  return new TurnpikeError('UNREADABLE_ANSWER', {
    status,
    message: `${what}: check that the address is that of a Turnpike server.`,
    retryable: false,
  });
}

/** A path whose values are encoded: route`/api/harness/turns/${turnId}`. */
export function route(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}

function queryOf(query: NonNullable<Call['query']>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  const text = given.toString();
  return text === '' ? '' : `?${text}`;
}

/** A random idempotency key. Not `randomUUID`: pages over plain http do not have it. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
