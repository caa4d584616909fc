import type { DeliveryView, WebhookView } from '../../client/turnpike-client.js';
import { oneLine } from '../terminal/plain-text.js';

/** A line of `turnpike webhooks list`. Times are UTC. */
export function describeWebhook(webhook: WebhookView): string {
  const { id, url, events, enabled, disabledReason, failingSince, description } = webhook;
  const asked = events === null ? 'all events' : events.join(',');
  const failing = failingSince === null ? 'enabled' : `fails since ${minute(failingSince)}`;
  const disabled = disabledReason === null ? 'disabled' : `disabled: ${disabledReason}`;
  const about = description === '' ? '' : `  ${JSON.stringify(oneLine(description, 80))}`;
  return `${id}  ${oneLine(url, 200)}  ${asked}  ${enabled ? failing : disabled}${about}`;
}

/** A line of `turnpike webhooks deliveries`. Times are UTC. */
export function describeDelivery(delivery: DeliveryView): string {
  const { id, type, status, turnId, createdAt, nextTryAt, failures, error } = delivery;
  const next = nextTryAt === null || failures === 0 ? '' : `, again ${minute(nextTryAt)}`;
  const why = error === null ? '' : `  ${failures} failed: ${oneLine(error, 200)}${next}`;
  const of = turnId === null ? '' : `  ${turnId}`;
  return `${id}  ${minute(createdAt)}  ${type}  ${status}${of}${why}`;
}

function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}
