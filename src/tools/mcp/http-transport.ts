import {
  extractWWWAuthenticateParams,
  isJSONRPCRequest,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { printExact } from '../../platform/exact-json.js';
import { isPlainObject } from '../../platform/json.js';
import type { PublicFetch, PublicResponse } from '../../platform/net/public-fetch.js';
import { withTimeout } from '../../platform/async/deadlines.js';
import { Answers } from './answers.js';
import type { HttpDefinition } from './definitions.js';
import { lostAnswer } from './faults.js';
import { hasOwnReading, MAX_MESSAGE_BYTES, MessageTooLongError, readMessage } from './messages.js';
import { unwrapAnswer } from './asked-params.js';

/** Time limit for the request that ends a session, in ms. */
const farewellMs = 1_000;
/** Time that the SDK may take to resume a response that broke off, in ms. */
const resumeMs = 5_000;
/** Since this version of the protocol no response is resumed. */
const NO_RESUMPTION = '2026-07-28';

/**
 * Streamable HTTP to one server, or HTTP with SSE, which it replaced. The SDK follows redirects within the origin only,
 * each through `fetchBy` again. A message is bounded as on a pipe. A request whose connection ended before its answer
 * is answered with an error here: the SDK would wait for ever.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Whether a request is cancelled by the end of its own response, where the version of the protocol says so. */
  readonly hasPerRequestStream: boolean;
  readonly #sdk: StreamableHTTPClientTransport | SSEClientTransport;
  readonly #clock: Clock;
  readonly #answers = new Answers();
  #resumeMs = resumeMs;
  readonly #hasAuth: boolean;

  /** @param auth absent: no token is sent. */
  constructor(
    definition: Pick<HttpDefinition, 'transport' | 'url' | 'headers'>,
    {
      fetchBy,
      clock,
      auth,
    }: { fetchBy: PublicFetch; clock: Clock; auth?: AuthProvider | undefined },
  ) {
    this.#clock = clock;
    this.#hasAuth = auth !== undefined;
    const isSse = definition.transport === 'sse';
    const options = {
      requestInit: { headers: { ...definition.headers } },
      fetch: (url: string | URL, init?: RequestInit) =>
        isSse ? this.#fetchSse(fetchBy, url, init) : this.#fetch(fetchBy, url, init),
    };
    const url = new URL(definition.url);
    const withAuth = { ...options, ...compact({ authProvider: auth }) };
    this.hasPerRequestStream = !isSse;
    this.#sdk = isSse
      ? new SSEClientTransport(url, withAuth)
      : new StreamableHTTPClientTransport(url, withAuth);
  }

  async start(): Promise<void> {
    const hooks: Pick<Transport, 'onclose' | 'onerror' | 'onmessage'> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message) => this.onmessage?.(this.#answers.wrap(message)),
    };
    Object.assign(this.#sdk, hooks);
    await this.#sdk.start();
  }

  async send(given: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const message = unwrapAnswer(given);
    this.#answers.asked(message);
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    const forget = (): void => {
      if (id !== undefined) this.#answers.forget(id);
    };
    // The signal is of this request alone.
    options?.requestSignal?.addEventListener('abort', forget);
    try {
      if (this.#sdk instanceof StreamableHTTPClientTransport)
        await this.#sdk.send(message, compact(options ?? {}));
      else await this.#sdk.send(message);
    } catch (error) {
      forget();
      throw error;
    }
  }

  setProtocolVersion(version: string): void {
    if (version >= NO_RESUMPTION) this.#resumeMs = 0;
    this.#sdk.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    this.#answers.clear();
    if (this.#sdk instanceof StreamableHTTPClientTransport) {
      // A server that misses the request ends the session by itself.
      await withTimeout(
        farewellMs,
        this.#sdk.terminateSession().catch(() => undefined),
      );
    }
    await this.#sdk.close();
  }

  async #fetch(fetchBy: PublicFetch, url: string | URL, init: RequestInit = {}): Promise<Response> {
    const body = typeof init.body === 'string' ? printExact(init.body) : null;
    const response = await fetchBy(url, { ...init, body });
    return boundedResponse(response, MAX_MESSAGE_BYTES, (error) => this.#ended(body, error));
  }

  /** The stream of answers is the connection: the SDK would open another, which knows of no request before it. */
  async #fetchSse(
    fetchBy: PublicFetch,
    url: string | URL,
    init: RequestInit = {},
  ): Promise<Response> {
    const isPost = init.method === 'POST';
    const body = typeof init.body === 'string' ? printExact(init.body) : null;
    const response = await fetchBy(url, { ...init, body });
    const bounded = boundedResponse(response, MAX_MESSAGE_BYTES, (cause) => {
      if (isPost || response.status >= 400) return;
      if (cause instanceof MessageTooLongError) this.onerror?.(cause);
      this.close().catch(() => undefined);
    });
    // The SDK asks for tokens, and for more scopes.
    if (!isPost || bounded.ok || (this.#hasAuth && isAboutAuth(bounded))) return bounded;
    const { status, statusText } = bounded;
    const text = await bounded.text();
    const data = { status, statusText, text };
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'the post was refused', data);
  }

  #ended(body: string | null, error: unknown): void {
    const id = requestIdOf(body);
    if (id === undefined || !this.#answers.isAwaited(id)) return;
    const isTooLong = error instanceof MessageTooLongError;
    if (isTooLong) this.onerror?.(error);
    // An answer that is too long would be so again.
    this.#clock.after(isTooLong ? 0 : this.#resumeMs, () => {
      if (this.#answers.forget(id)) this.onmessage?.({ jsonrpc: '2.0', id, error: lostAnswer });
    });
  }
}

function isAboutAuth(response: Response): boolean {
  if (response.status === 401) return true;
  const { error } = extractWWWAuthenticateParams(response);
  return response.status === 403 && error === 'insufficient_scope';
}

/** The id of a JSON-RPC request; undefined for any other body. */
function requestIdOf(body: string | null): RequestId | undefined {
  if (body === null) return undefined;
  const message: unknown = JSON.parse(body);
  const id = isPlainObject(message) && 'method' in message ? message['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Statuses whose responses have no body; 101 answers no `fetch`. */
const bodiless = [204, 205, 304];

/**
 * Bounds a response: its body fails once it is larger than `most` bytes. In a stream of events each event
 * may be that large, and the stream is endless. Its messages are as `readMessage` reads them.
 *
 * @param onEnd called when the body ended or failed, with what it failed by.
 */
export function boundedResponse(
  response: PublicResponse,
  most: number,
  onEnd: (error?: unknown) => void,
): Response {
  const { body, status, statusText, headers } = response;
  const head = { status, statusText, headers: [...headers] };
  if (body === null || bodiless.includes(status)) {
    onEnd();
    return new Response(null, head);
  }
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const pieces = new Pieces(isStream, most);
  const reader = body.getReader();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        const whole = done ? pieces.end() : pieces.add(value);
        for (const piece of whole) controller.enqueue(piece);
        if (done) {
          controller.close();
          return onEnd();
        }
        if (whole.length > 0) return;
      }
    } catch (error) {
      controller.error(error);
      // The body failed already, or is too large.
      reader.cancel().catch(() => undefined);
      onEnd(error);
    }
  };
  const cancel = (reason: unknown): Promise<void> => {
    onEnd();
    return reader.cancel(reason);
  };
  const bounded = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
  return new Response(bounded, head);
}

/** Cuts a body into events, each with the empty line that ends it, or takes it as one. */
class Pieces {
  #open: Uint8Array[] = [];
  #bytes = 0;
  #isLineEmpty = true;

  constructor(
    private readonly isStream: boolean,
    private readonly most: number,
  ) {}

  /** @returns the pieces that are whole. @throws MessageTooLongError. */
  add(chunk: Uint8Array): Uint8Array[] {
    const whole: Uint8Array[] = [];
    let from = 0;
    for (const end of this.isStream ? this.#endsIn(chunk) : []) {
      this.#keep(chunk.subarray(from, end));
      whole.push(this.#take());
      from = end;
    }
    this.#keep(chunk.subarray(from));
    return whole;
  }

  end(): Uint8Array[] {
    return this.#bytes === 0 ? [] : [this.#take()];
  }

  *#endsIn(chunk: Uint8Array): Generator<number> {
    for (const [at, byte] of chunk.entries()) {
      if (byte === newline) {
        if (this.#isLineEmpty) yield at + 1;
        this.#isLineEmpty = true;
      } else if (byte !== carriageReturn) this.#isLineEmpty = false;
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength;
    if (this.#bytes > this.most) throw new MessageTooLongError(this.most);
    this.#open.push(bytes);
  }

  #take(): Uint8Array {
    const piece = Buffer.concat(this.#open);
    this.#open = [];
    this.#bytes = 0;
    if (!hasOwnReading(piece)) return piece;
    return Buffer.from(this.isStream ? readEvent(piece.toString()) : readJson(piece.toString()));
  }
}

/** An event with its data in one line. */
function readEvent(event: string): string {
  const lines = event.split(/\r?\n/);
  const isData = (line: string): boolean => line.startsWith('data:');
  if (!lines.some(isData)) return event;
  const data = lines.filter(isData).map((line) => line.slice('data:'.length));
  return [`data: ${readJson(data.join(''))}`, ...lines.filter((line) => !isData(line))].join('\n');
}

/** The JSON of messages, printed so that `JSON.parse` reads them as `readMessage` does. What is no JSON stays as it is. */
function readJson(text: string): string {
  try {
    return JSON.stringify(readMessage(text));
  } catch {
    return text;
  }
}
