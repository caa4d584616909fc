import type { LookupFunction } from 'node:net';
import { createHmac, randomBytes } from 'node:crypto';
import { linkAbort } from '../../platform/async/deadlines.js';
import type { Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { errorCode } from '../../platform/error-code.js';
import { refusedHost } from '../../platform/net/addresses.js';
import {
  publicFetch,
  type PublicFetch,
  type PublicResponse,
} from '../../platform/net/public-fetch.js';
import { packageVersion } from '../../platform/process/package-root.js';
import { judgeUrl, type InsideHosts } from './judge-url.js';

/** Bytes of an answer's body that are read: with more, the connection is closed. */
const MAX_READ_BYTES = 16_384;

export interface SignedPosterOptions {
  inside: InsideHosts;
  clock: Clock;
  /** Longest time of a request, its answer included, in ms. */
  timeoutMs: number;
  /** Resolves names to addresses. Default: the system's resolver. */
  lookup?: LookupFunction;
}

/** A request as Standard Webhooks has it. */
export interface SignedRequest {
  url: string;
  /** The `webhook-id`. */
  id: string;
  /** JSON. */
  body: string;
  /** Each signs. */
  secrets: readonly string[];
}

export type SignedAnswer =
  | {
      type: 'answered';
      status: number;
      headers: PublicResponse['headers'];
      body: Buffer;
      /** Whether that is all of the body: it did not break off, and was not too long. */
      isWhole: boolean;
      /** Whether it is from a host inside the network. */
      isInside: boolean;
    }
  | { type: 'failed'; reason: string };

/** Posts signed requests: to public addresses alone, without redirects, and bounded in time and size. */
export class SignedPoster {
  readonly #fetch: PublicFetch;

  constructor(private readonly options: SignedPosterOptions) {
    const { inside, lookup } = options;
    const privateHosts = { anywhere: inside.listed, loopback: [] };
    this.#fetch = publicFetch(compact({ privateHosts, lookup }));
  }

  /** @param stop ends the request. @throws the reason of `stop`, and nothing else. */
  async post(request: SignedRequest, stop: AbortSignal): Promise<SignedAnswer> {
    const { inside, clock, timeoutMs } = this.options;
    const verdict = judgeUrl(request.url, inside);
    if (!verdict.ok)
      return { type: 'failed', reason: `nothing was sent: its URL ${verdict.problem}` };
    const ending = new AbortController();
    const unlink = linkAbort(stop, ending);
    const late = new Error(`no answer within ${timeoutMs / 1_000} s`);
    const cancelTimer = clock.after(timeoutMs, () => ending.abort(late));
    try {
      const init = { ...this.#initOf(request), signal: ending.signal };
      const response = await this.#fetch(verdict.url, init);
      const { status, headers } = response;
      const { isInside } = verdict;
      return { type: 'answered', status, headers, isInside, ...(await readStart(response)) };
    } catch (error) {
      stop.throwIfAborted();
      return {
        type: 'failed',
        reason: ending.signal.aborted ? late.message : describeFault(error, inside),
      };
    } finally {
      cancelTimer();
      unlink();
    }
  }

  #initOf({ id, body, secrets }: SignedRequest): RequestInit {
    const timestamp = Math.floor(this.options.clock.now() / 1_000);
    return {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': `turnpike/${packageVersion}`,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signDelivery({ id, timestamp, body }, secrets),
      },
    };
  }
}

/** The beginning of a body. What cuts it short does not undo the status, which has come. */
async function readStart({ body }: PublicResponse): Promise<{ body: Buffer; isWhole: boolean }> {
  if (body === null) return { body: Buffer.alloc(0), isWhole: true };
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isWhole = false;
  const reader = body.getReader();
  try {
    while (bytes < MAX_READ_BYTES && !isWhole) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (value === undefined) continue;
      chunks.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // The status has come: an answer that breaks off, or takes too long, is one all the same.
  }
  // Ends the connection where more would come; of a body that is over, nothing.
  reader.cancel().catch(() => undefined);
  return { body: Buffer.concat(chunks), isWhole };
}

/** A failed connection, for those who may not see inside: no address, which would tell of the network. */
function describeFault(error: unknown, { variable }: InsideHosts): string {
  const host = refusedHost(error);
  if (host !== undefined) {
    return `nothing was sent: ${host} is at an address that is not public, and not in ${variable} with its port`;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = errorCode(cause) ?? errorCode(error);
  return code === undefined ? 'the connection failed' : `the connection failed: ${code}`;
}

/** The signed parts of a request. */
export interface SignedContent {
  /** The `webhook-id`. */
  id: string;
  /** The `webhook-timestamp`: seconds since the epoch, of this try. */
  timestamp: number;
  body: string;
}

/** The `webhook-signature`: one signature for each secret, separated by a space. Pure. */
export function signDelivery(
  { id, timestamp, body }: SignedContent,
  secrets: readonly string[],
): string {
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', secretBytes(secret));
      return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

/** Bytes of a secret; Standard Webhooks takes 24 to 64. */
const SECRET_BYTES = 32;
const prefix = 'whsec_';

/** A new secret, as the libraries of receivers take it: `whsec_` and its bytes in base64. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64');
}

/** The bytes that sign. */
function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
