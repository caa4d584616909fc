import { compact } from '../../platform/compact.js';
import type { DeliveryRow } from '../deliveries/view-delivery.js';

export type DeliveryEvent = Pick<
  DeliveryRow,
  'id' | 'type' | 'turnId' | 'sessionId' | 'parentTurnId' | 'facts' | 'createdAt'
>;

/**
 * The body of a delivery: the same for every try. It is thin; the receiver fetches the rest, which is then never
 * older than what it has. Pure.
 */
export function deliveryBody(delivery: DeliveryEvent): string {
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
