import type { Outbox, ReceivedDelivery, Violation } from '../types.js';

export declare function checkDeliveries(
  outbox: Outbox,
  received: ReadonlyMap<string, ReceivedDelivery>,
): Violation[];
