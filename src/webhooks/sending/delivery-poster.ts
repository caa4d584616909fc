import type { LookupFunction } from 'node:net';
import { linkAbort } from '../../platform/async/abort.js';
import { refusedHost } from '../../platform/net/address-refused.js';
import { publicFetch } from '../../platform/net/public-fetch.js';
import { retryAfterMs } from '../../platform/net/retry-after.js';
import { packageVersion } from '../../platform/process/package-root.js';
import type { Clock } from '../../platform/clock.js';
import { errorCode } from '../../platform/error-code.js';
import { compact } from '../../platform/compact.js';
import { storableText } from '../../storage/storable.js';
import { judgeUrl, privateHostsOf } from '../endpoints/judge-url.js';
import type { TryResult } from './decide-outcome.js';
import { deliveryBody, type DeliveryEvent } from './delivery-body.js';
import { signDelivery } from './sign-delivery.js';

/** Longest time of a request, its answer included. */
const TIMEOUT_MS = 15_000;

/** Bytes of an answer's body that are read: with more, the connection is closed. */
const MOST_READ = 16_384;

/** Bytes of it that are kept for the list of deliveries. */
const MOST_KEPT = 1_024;

export interface PosterOptions {
  /** Hosts that may have private addresses, and http. */
  privateHosts: readonly string[];
  clock: Clock;
  /** Default: 15 s. */
  timeoutMs?: number;
  /** Resolves names to addresses. Default: the system's resolver. */
  lookup?: LookupFunction;
}

/** A delivery, and where it goes. */
export interface SendableDelivery extends DeliveryEvent {
  url: string;
  secret: string;
  /** Secrets that sign beside it. */
  previousSecrets: readonly string[];
}

/** Posts deliveries to their endpoints: public addresses alone, no redirects, and bounded in time and size. */
export class DeliveryPoster {
  readonly #fetch: typeof fetch;

  constructor(private readonly options: PosterOptions) {
    const { privateHosts, lookup } = options;
    this.#fetch = publicFetch(compact({ privateHosts: privateHostsOf(privateHosts), lookup }));
  }

  /** @param stop ends the request when the process stops. @throws the reason of `stop`, and nothing else. */
  async post(delivery: SendableDelivery, stop: AbortSignal): Promise<TryResult> {
    const { privateHosts, clock, timeoutMs = TIMEOUT_MS } = this.options;
    const verdict = judgeUrl(delivery.url, privateHosts);
    if (!verdict.ok)
      return { type: 'failed', reason: `nothing was sent: its URL ${verdict.problem}` };
    const request = new AbortController();
    const unlink = linkAbort(stop, request);
    const late = new Error(`no answer within ${timeoutMs / 1_000} s`);
    const cancelTimer = clock.after(timeoutMs, () => request.abort(late));
    try {
      const init = { ...this.#request(delivery), signal: request.signal };
      const response = await this.#fetch(verdict.url, init);
      const { status, headers } = response;
      const body = await readStart(response);
      return { type: 'answered', status, retryAfterMs: retryAfterMs(headers, clock.now()), body };
    } catch (error) {
      stop.throwIfAborted();
      return {
        type: 'failed',
        reason: request.signal.aborted ? late.message : describeFault(error),
      };
    } finally {
      cancelTimer();
      unlink();
    }
  }

  #request(delivery: SendableDelivery): RequestInit {
    const { id, secret, previousSecrets } = delivery;
    const body = deliveryBody(delivery);
    const timestamp = Math.floor(this.options.clock.now() / 1_000);
    return {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': `turnpike/${packageVersion}`,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signDelivery({ id, timestamp, body }, [secret, ...previousSecrets]),
      },
    };
  }
}

/** The beginning of a body. What cuts it short does not undo the status, which has come. */
async function readStart({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  try {
    while (bytes < MOST_READ) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // The status has come: an answer that breaks off, or takes too long, is one all the same.
  }
  // Ends the connection where more would come; of a body that is over, nothing.
  reader.cancel().catch(() => undefined);
  return storableText(Buffer.concat(chunks).subarray(0, MOST_KEPT).toString('utf8'));
}

/** A failed connection, for the owner of the endpoint: no address, which would tell of the network inside. */
function describeFault(error: unknown): string {
  const host = refusedHost(error);
  if (host !== undefined) return `nothing was sent: ${host} is at an address that is not public`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = errorCode(cause) ?? errorCode(error);
  return code === undefined ? 'the connection failed' : `the connection failed: ${code}`;
}
