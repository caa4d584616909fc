import { compact, retryAfterMs } from '../../platform/face.js';
import { storableText } from '../../storage/connection.js';
import { SignedPoster, type SignedPosterOptions } from '../../http/face.js';
import type { DeliveryRow } from './webhook.dto.js';
import type { TryResult } from './decide-outcome.js';

const TIMEOUT_MS = 15_000;

/** Bytes of an answer's body that are kept for the list of deliveries. */
const MAX_KEPT_BYTES = 1_024;

/** Takes the place of an answer from a host inside the network. */
const NOT_SHOWN = '[not shown: the endpoint is inside the network]';

export type PosterOptions = Omit<SignedPosterOptions, 'timeoutMs'> & {
  /** Longest time of a request, its answer included. Default: 15 s. */
  timeoutMs?: number;
};

/** A delivery, and where it goes. */
export interface SendableDelivery extends DeliveryEvent, DeliverySecrets {
  url: string;
}

export interface DeliverySecrets {
  secret: string;
  /** Secrets that sign beside it. */
  previousSecrets: readonly string[];
}

/** Posts deliveries to their endpoints. */
export class DeliveryPoster {
  readonly #poster: SignedPoster;

  constructor(private readonly options: PosterOptions) {
    this.#poster = new SignedPoster({ timeoutMs: TIMEOUT_MS, ...options });
  }

  /** @param stop ends the request when the process stops. @throws the reason of `stop`, and nothing else. */
  async post(delivery: SendableDelivery, stop: AbortSignal): Promise<TryResult> {
    const { id, url, secret, previousSecrets } = delivery;
    const body = deliveryBody(delivery);
    const request = { id, url, body, secrets: [secret, ...previousSecrets] };
    const answer = await this.#poster.post(request, stop);
    if (answer.type === 'failed') return answer;
    return {
      type: 'answered',
      status: answer.status,
      retryAfterMs: retryAfterMs(answer.headers, this.options.clock.now()),
      body: shownBody(answer),
    };
  }
}

/**
 * The beginning of an answer's body, for the list of deliveries. The owner of a webhook may not read what services
 * inside the network answer.
 */
export function shownBody({ body, isInside }: { body: Buffer; isInside: boolean }): string {
  return isInside ? NOT_SHOWN : storableText(body.subarray(0, MAX_KEPT_BYTES).toString('utf8'));
}

export type DeliveryEvent = Pick<
  DeliveryRow,
  'id' | 'type' | 'turnId' | 'sessionId' | 'parentTurnId' | 'facts' | 'createdAt'
>;

/**
 * The body of a delivery: the same for every try. It is thin; the receiver fetches the rest, which is then never
 * older than what it has. Pure.
 */
function deliveryBody(delivery: DeliveryEvent): string {
  const { id, type, turnId, sessionId, parentTurnId, facts, createdAt } = delivery;
  const ids = compact({
    turnId: turnId ?? undefined,
    sessionId: sessionId ?? undefined,
    parentTurnId: parentTurnId ?? undefined,
  });
  return JSON.stringify({
    id,
    type,
    timestamp: createdAt.toISOString(),
    data: { ...ids, ...facts },
  });
}
