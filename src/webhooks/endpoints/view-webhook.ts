import type {
  DisabledReason,
  webhookEndpoints,
  WebhookEvent,
} from '../../storage/webhook-schema.js';

export type EndpointRow = typeof webhookEndpoints.$inferSelect;

/** A webhook as its owner sees it: without its secret. Times are ISO-8601. */
export interface WebhookView {
  id: string;
  url: string;
  description: string;
  /** Null: all events, those of later versions as well. */
  events: WebhookEvent[] | null;
  enabled: boolean;
  /** `gone`: the server disabled it, as its endpoint answered 410. */
  disabledReason: DisabledReason | null;
  /** Time of the first failure since the last success; null: the last try succeeded. */
  failingSince: string | null;
  /** Until then requests are signed with the secret before the last rotation as well. */
  previousSecretUntil: string | null;
  createdAt: string;
}

export function viewWebhook(endpoint: EndpointRow): WebhookView {
  const { id, url, description, events, enabled, disabledReason, createdAt } = endpoint;
  return {
    id,
    url,
    description,
    events,
    enabled,
    disabledReason,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    previousSecretUntil: endpoint.previousUntil?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
