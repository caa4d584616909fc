import type { TurnEvent } from '../../events/turn-event.js';

/** Ids of approvals that a turn, or a subagent, waits for from an event on. Pure. */
export function askedIn(event: TurnEvent): readonly string[] {
  if (event.type === 'subagent.told') return askedIn(event.event);
  return event.type === 'turn.parked' ? event.approvalIds : [];
}
