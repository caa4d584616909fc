/** @typedef {import('../types.js').Violation} Violation */
/** @typedef {import('../types.js').ViolationKind} ViolationKind */

/**
 * Checks that every end has a delivery, and everything that is to be delivered came to the receiver.
 *
 * @param {import('../types.js').Outbox} outbox
 * @param {ReadonlyMap<string, import('../types.js').ReceivedDelivery>} received by id
 * @returns {Violation[]}
 */
export function checkDeliveries({ ended, deliveries }, received) {
  /** @type {Violation[]} */
  const found = [];
  const report = (
    /** @type {ViolationKind} */ kind,
    /** @type {string} */ turnId,
    /** @type {string} */ note,
  ) => found.push({ kind, turnId, note });
  const ends = new Map();
  for (const delivery of deliveries) {
    if (delivery.type !== 'turn.ended') continue;
    ends.set(delivery.turnId, [...(ends.get(delivery.turnId) ?? []), delivery]);
  }
  for (const { turnId, outcome } of ended) {
    const endDeliveries = ends.get(turnId) ?? [];
    if (endDeliveries.length === 0) report('end-untold', turnId, `${outcome}, without a delivery`);
    if (endDeliveries.length > 1)
      report('two-ends', turnId, `${endDeliveries.length} deliveries of its end`);
    for (const one of endDeliveries) {
      if (one.outcome === outcome) continue;
      report('end-differs', turnId, `the webhook has ${one.outcome}; stored: ${outcome}`);
    }
  }
  for (const { id, type, turnId, status } of deliveries) {
    const taken = received.get(id)?.taken ?? 0;
    if (taken === 0) report('delivery-lost', turnId, `${type} ${id} is ${status}, and never came`);
    else if (status !== 'delivered') {
      report('delivery-lost', turnId, `${type} ${id} came, and is ${status} still`);
    }
  }
  const known = new Set(deliveries.map(({ id }) => id));
  for (const [id, { turnId, type, isSigned }] of received) {
    if (!known.has(id)) report('delivery-forged', turnId, `${type} ${id} is not in the outbox`);
    if (!isSigned) report('delivery-forged', turnId, `${type} ${id} came with a wrong signature`);
  }
  return found;
}
