import type {
  DeliveryStatus,
  webhookDeliveries,
  WebhookType,
} from '../../storage/webhook-schema.js';

export type DeliveryRow = typeof webhookDeliveries.$inferSelect;

/** A delivery as the webhook's owner sees it. Times are ISO-8601. */
export interface DeliveryView {
  /** The `webhook-id` of its requests. */
  id: string;
  type: WebhookType;
  status: DeliveryStatus;
  /** Null: a test. */
  turnId: string | null;
  sessionId: string | null;
  /** Tries that failed since the event, or since it was last sent again by hand. */
  failures: number;
  /** Status of the last answer; null: there was none. */
  httpStatus: number | null;
  /** Reason of the last failure. */
  error: string | null;
  /** Beginning of the last answer's body, or that it is not shown, as the endpoint is inside the network. */
  response: string | null;
  createdAt: string;
  triedAt: string | null;
  /** Time of the next try; null: none is to come. */
  nextTryAt: string | null;
  /** Time at which it was delivered, or dead. */
  endedAt: string | null;
}

export function viewDelivery(delivery: DeliveryRow): DeliveryView {
  const { id, type, status, turnId, sessionId, failures, httpStatus, error, response } = delivery;
  return {
    id,
    type,
    status,
    turnId,
    sessionId,
    failures,
    httpStatus,
    error,
    response,
    createdAt: delivery.createdAt.toISOString(),
    triedAt: delivery.triedAt?.toISOString() ?? null,
    nextTryAt: status === 'pending' ? delivery.nextAt.toISOString() : null,
    endedAt: delivery.endedAt?.toISOString() ?? null,
  };
}
