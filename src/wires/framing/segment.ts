import type { TurnEvent } from '../../events/turn-event.js';
import { assertNever } from '../../platform/assert-never.js';

/** Calls and subagents of a turn that run, and approvals that it waits for. */
interface Activity {
  /** Approvals that the turn waits for while it is parked. */
  parkedFor: readonly string[] | undefined;
  /** Calls that run. */
  calls: readonly string[];
  children: readonly { callId: string; childTurnId: string; activity: Activity }[];
}

/**
 * The part of a turn that one stream sends, on wires whose streams end where the turn waits for
 * people: from its start, or from the client's latest answers, to where it waits for something
 * else, or to its end.
 */
export interface Segment {
  /**
   * Ids that the client gave before the segment: of approvals it answered, or of a message that was
   * steered into the turn. None: the segment begins with the turn.
   */
  readonly answered: readonly string[];
  /** Those of `answered` that the segment begins with: all, or the one steered message. */
  readonly opensWith: readonly string[];
  readonly begins: SegmentBeginning;
  readonly phase: 'before' | 'within' | 'over';
  /**
   * The approvals that the turn and its subagents wait for, once the segment is over and the turn
   * is not.
   */
  readonly waitsFor: readonly string[];
  readonly activity: Activity;
}

/**
 * The start of a segment after answers; a steered message begins its segment itself. `pause`: after
 * the first time that the turn waited for one of the answers. Where it waited for another approval
 * between, the events up to there are in two segments. `answer`: with the first of the answers in
 * the log. Events between, after answers of other requests, are in no segment. `question`: where the turn waits
 * for one of the ids, or has the steered message: a message that came beside a question is answered with the
 * question, which is all of the segment.
 */
export type SegmentBeginning = 'pause' | 'answer' | 'question';

const idle: Activity = { parkedFor: undefined, calls: [], children: [] };

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
  return { answered, opensWith, begins, phase, waitsFor: [], activity: idle };
}

/**
 * Follows the turn by one event. Pure, and cheap for an event that changes nothing.
 *
 * Answers wake a turn one by one, so it may wait again for some of them between two: that neither
 * ends the segment nor begins another.
 *
 * @returns the segment after the event, and whether the event is included: the event that ends the
 * segment is, and the answer that it begins with; the pause that it begins after is not. The turn's
 * end is included in any case.
 */
export function followSegment(
  segment: Segment,
  event: TurnEvent,
): { segment: Segment; isIncluded: boolean } {
  const { answered, opensWith, begins } = segment;
  if (segment.phase === 'over') return { segment, isIncluded: false };
  const activity = follow(segment.activity, event);
  if (event.type === 'turn.ended') {
    return { segment: { ...segment, activity, phase: 'over' }, isIncluded: true };
  }
  const isAnswer = begins === 'answer' ? isAnswerIn(opensWith, event) : isSteered(opensWith, event);
  const isIncluded = segment.phase === 'within' || isAnswer;
  if (activity === segment.activity && !isAnswer) return { segment, isIncluded };
  const waitsFor = findWaits(activity);
  const isAnswered = waitsFor?.some((id) => answered.includes(id)) === true;
  if (isIncluded && waitsFor !== undefined && !isAnswered) {
    return { segment: { ...segment, activity, phase: 'over', waitsFor }, isIncluded };
  }
  const isAwaited = waitsFor?.some((id) => opensWith.includes(id)) === true;
  if (begins === 'question' && isAwaited && waitsFor !== undefined) {
    return { segment: { ...segment, activity, phase: 'over', waitsFor }, isIncluded: true };
  }
  const isWithin = isIncluded || (begins === 'pause' && isAwaited);
  return { segment: { ...segment, activity, phase: isWithin ? 'within' : 'before' }, isIncluded };
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

function follow(activity: Activity, event: TurnEvent): Activity {
  switch (event.type) {
    case 'turn.parked':
      return { ...activity, parkedFor: event.approvalIds };
    case 'turn.ended':
      return idle;
    case 'tool.started':
      return {
        ...awake(activity),
        calls: [...without(activity.calls, event.callId), event.callId],
      };
    case 'tool.ended':
      return activity.calls.includes(event.callId)
        ? { ...awake(activity), calls: without(activity.calls, event.callId) }
        : awake(activity);
    case 'subagent.started': {
      const { callId, childTurnId } = event;
      const child = { callId, childTurnId, activity: idle };
      return { ...awake(activity), children: [...activity.children, child] };
    }
    case 'subagent.told':
      return followChild(awake(activity), event);
    case 'subagent.ended': {
      const { childTurnId } = event;
      const children = activity.children.filter((child) => child.childTurnId !== childTurnId);
      return { ...awake(activity), children };
    }
    case 'turn.queued':
    case 'turn.started':
    case 'turn.recovering':
    case 'step.started':
    case 'step.discarded':
    case 'thinking.delta':
    case 'text.delta':
    case 'source.cited':
    case 'tool.requested':
    case 'tool.args.delta':
    case 'tool.progress':
    case 'approval.requested':
    case 'approval.resolved':
    case 'message.joined':
    case 'attachment.rejected':
    case 'notice.posted':
    case 'step.ended':
    case 'turn.failed':
      return awake(activity);
    default:
      return assertNever(event);
  }
}

function followChild(
  activity: Activity,
  { childTurnId, event }: Extract<TurnEvent, { type: 'subagent.told' }>,
): Activity {
  const before = activity.children.find((child) => child.childTurnId === childTurnId);
  if (before === undefined) return activity;
  const after = follow(before.activity, event);
  if (after === before.activity) return activity;
  const children = activity.children.map((child) =>
    child === before ? { ...child, activity: after } : child,
  );
  return { ...activity, children };
}

/** An event of a parked turn means that it was resumed. */
function awake(activity: Activity): Activity {
  return activity.parkedFor === undefined ? activity : { ...activity, parkedFor: undefined };
}

/** Approvals that the whole turn waits for; undefined while any part of it runs. */
function findWaits({ parkedFor, calls, children }: Activity): readonly string[] | undefined {
  if (parkedFor !== undefined) return parkedFor;
  const waits = calls.map((callId) => {
    const child = children.find((one) => one.callId === callId);
    return child === undefined ? undefined : findWaits(child.activity);
  });
  if (waits.length === 0 || waits.includes(undefined)) return undefined;
  return waits.flatMap((ids) => ids ?? []);
}

function without(ids: readonly string[], gone: string): string[] {
  return ids.filter((id) => id !== gone);
}
