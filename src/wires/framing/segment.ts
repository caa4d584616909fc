import type { TurnEvent } from '../../events/turn-event.js';
import {
  isRunning,
  authorOf,
  type Owner,
  type Segment,
  type SegmentBeginning,
  type TurnView,
} from './turn-view.js';

/**
 * @param answered ids of approvals, or of a steered message.
 * @param opensWith those of them that the segment begins with; empty: it begins with the turn.
 */
export function openSegment(
  answered: readonly string[] = [],
  begins: SegmentBeginning = 'pause',
  opensWith: readonly string[] = answered,
): Segment {
  const phase = opensWith.length === 0 ? 'within' : 'before';
  return { answered, opensWith, begins, phase, waitsFor: [] };
}

/**
 * Follows the turn by one event. Pure.
 *
 * Answers wake a turn one by one, so it may wait again for some of them between two: that neither
 * ends the segment nor begins another.
 *
 * @param view of the turn after the event.
 * @returns the segment after the event, and whether the event is included: the event that ends the
 * segment is, and the answer that it begins with; the pause that it begins after is not. The turn's
 * end is included in any case.
 */
export function followSegment(
  segment: Segment,
  event: TurnEvent,
  view: TurnView,
): { segment: Segment; isIncluded: boolean } {
  const { answered, opensWith, begins, phase } = segment;
  if (phase === 'over') return { segment, isIncluded: false };
  if (event.type === 'turn.ended') {
    return { segment: { ...segment, phase: 'over' }, isIncluded: true };
  }
  const waitsFor = findWaits(view);
  const isAnswer = begins === 'answer' ? isAnswerIn(opensWith, event) : isSteered(opensWith, event);
  const isIncluded = phase === 'within' || isAnswer;
  const isAwaited = waitsFor?.some((id) => opensWith.includes(id)) === true;
  if (waitsFor !== undefined) {
    const isOver = isIncluded && !waitsFor.some((id) => answered.includes(id));
    if (isOver || (begins === 'question' && isAwaited)) {
      return { segment: { ...segment, phase: 'over', waitsFor }, isIncluded: true };
    }
  }
  const isWithin = isIncluded || (begins === 'pause' && isAwaited);
  if (isWithin === (phase === 'within')) return { segment, isIncluded };
  return { segment: { ...segment, phase: 'within' }, isIncluded };
}

/** Whether an event is one of the given answers, to the turn or to a subagent. */
function isAnswerIn(answered: readonly string[], event: TurnEvent): boolean {
  if (event.type === 'subagent.told') return isAnswerIn(answered, event.event);
  if (event.type !== 'approval.resolved') return isSteered(answered, event);
  return answered.includes(event.approvalId);
}

function isSteered(messageIds: readonly string[], event: TurnEvent): boolean {
  return event.type === 'message.joined' && messageIds.includes(event.messageId);
}

/** Approvals that a turn or a subagent waits for; undefined while any part of it runs. */
function findWaits(view: TurnView, owner?: Owner): readonly string[] | undefined {
  const { parkedFor } = authorOf(view, owner);
  if (parkedFor !== undefined) return parkedFor;
  if (view.calls.size === 0) return undefined;
  const waits = [...view.calls.values()]
    .filter((call) => call.owner === owner && isRunning(call))
    .sort((a, b) => (a.start ?? 0) - (b.start ?? 0))
    .map(({ callId }) => {
      const [childId] = [...view.subagents].find(
        ([, child]) => child.owner === owner && child.callId === callId,
      ) ?? [undefined];
      return childId === undefined ? undefined : findWaits(view, childId);
    });
  if (waits.length === 0 || waits.includes(undefined)) return undefined;
  return waits.flatMap((ids) => ids ?? []);
}
