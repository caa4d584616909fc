import type { TurnEventBody } from '../../events/turn-event.js';
import type { Progress } from '../state/attempt.js';
import { addChild } from '../state/turn-state.js';
import type { ChildTurn } from '../state/child-turn.js';
import type { ChildEnd } from './child-relay.js';

/**
 * Settles the reservation of a subagent that has ended: its usage is the parent's.
 *
 * @returns the event of its end; none where an earlier attempt emitted it.
 */
export function addChildUsage(
  progress: Progress,
  child: ChildTurn,
  { outcome, usage }: ChildEnd,
): TurnEventBody[] {
  if (child.usage === undefined) {
    child.usage = usage;
    progress.state = addChild(progress.state, usage, child.costLimit);
  }
  if (child.isOver) return [];
  child.isOver = true;
  const { id: childTurnId, callId } = child;
  return [{ type: 'subagent.ended', callId, childTurnId, outcome, usage }];
}
