import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '../../../platform/clock.js';
import { printExact } from '../../../platform/exact-json.js';
import { isPlainObject } from '../../../platform/json.js';
import type { PublicFetch } from '../../../platform/net/public-fetch.js';
import { settlesWithin } from '../../../platform/async/settles-within.js';
import { boundedResponse } from './bounded-response.js';
import type { HttpDefinition } from '../../mcp-server.js';
import { largestMessage, MessageTooLongError } from './messages.js';

/** Time limit for the request that ends a session, in ms. */
const farewellMs = 1_000;
/** Time that the SDK may take to resume a response that broke off, in ms. */
const resumeMs = 5_000;

/**
 * Streamable HTTP to one server. The SDK follows redirects within the origin only, each through `fetchBy`
 * again. A message is bounded as on a pipe. A request whose connection ended before its answer is
 * answered with an error here: the SDK would wait for ever.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #sdk: StreamableHTTPClientTransport;
  readonly #clock: Clock;
  readonly #unanswered = new Set<RequestId>();

  constructor(definition: HttpDefinition, fetchBy: PublicFetch, clock: Clock) {
    this.#clock = clock;
    this.#sdk = new StreamableHTTPClientTransport(new URL(definition.url), {
      requestInit: { headers: { ...definition.headers } },
      fetch: (url, init) => this.#fetch(fetchBy, url, init),
    });
  }

  async start(): Promise<void> {
    const hooks: Pick<Transport, 'onclose' | 'onerror' | 'onmessage'> = {
      onclose: () => this.onclose?.(),
      onerror: (error) => this.onerror?.(error),
      onmessage: (message) => {
        if (!('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
        this.onmessage?.(message);
      },
    };
    Object.assign(this.#sdk, hooks);
    await this.#sdk.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id);
    await this.#sdk.send(message);
  }

  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version);
  }

  async close(): Promise<void> {
    this.#unanswered.clear();
    // A server that misses the request ends the session by itself.
    await settlesWithin(
      farewellMs,
      this.#sdk.terminateSession().catch(() => undefined),
    );
    await this.#sdk.close();
  }

  async #fetch(fetchBy: PublicFetch, url: string | URL, init: RequestInit = {}): Promise<Response> {
    const body = typeof init.body === 'string' ? printExact(init.body) : null;
    const response = await fetchBy(url, { ...init, body });
    return boundedResponse(response, largestMessage, (error) => this.#ended(body, error));
  }

  #ended(body: string | null, error: unknown): void {
    const id = requestIdOf(body);
    if (id === undefined || !this.#unanswered.has(id)) return;
    const isTooLong = error instanceof MessageTooLongError;
    if (isTooLong) this.onerror?.(error);
    // An answer that is too long would be so again.
    this.#clock.after(isTooLong ? 0 : resumeMs, () => {
      if (!this.#unanswered.delete(id)) return;
      const lost = { code: ErrorCode.ConnectionClosed, message: 'no answer came' };
      this.onmessage?.({ jsonrpc: '2.0', id, error: lost });
    });
  }
}

/** The id of a JSON-RPC request; undefined for any other body. */
function requestIdOf(body: string | null): RequestId | undefined {
  if (body === null) return undefined;
  const message: unknown = JSON.parse(body);
  const id = isPlainObject(message) && 'method' in message ? message['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
