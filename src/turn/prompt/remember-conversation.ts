import { announcementOf } from './announcements.js';
import { totalUsage } from '../budgets/estimate-call.js';
import type { Attempt } from '../state/attempt.js';
import type { PastCall, PastTurn } from '../state/past-turn.js';

/**
 * Makes the worker remember the conversation up to a completed turn, so that the next turn need not load it. Remembers
 * nothing if the database may differ: if the model declined to answer, or the attempt elided earlier turns.
 */
export function rememberConversation(attempt: Attempt, endReason: string): void {
  const { services, turn, session, earlier, beganAt, progress } = attempt;
  const isOver = session.parentTurnId !== null || session.replayOf !== null;
  const isDeclined = progress.steps.some(({ stopReason }) => stopReason === 'refusal');
  if (isOver || isDeclined || progress.hasElidedEarlier) return;
  services.conversations.remember(session.id, {
    headTurnId: turn.id,
    // If an earlier attempt made the turn the head, its time counts.
    headBeganAt: session.headTurnId === turn.id ? session.updatedAt : beganAt,
    turns: [...earlier, asPastTurn(attempt, endReason)],
  });
}

/** A turn that has completed, as `loadPastTurns` gives it. */
function asPastTurn(attempt: Attempt, endReason: string): PastTurn {
  const { turn, storedParts, progress } = attempt;
  const { id: turnId, copiedFrom, options } = turn;
  const { steps, results, notices, steered, elidedThrough } = progress;
  const calls = steps.flatMap(({ parts }) =>
    parts
      .flatMap((part) => (part.type === 'tool_use' ? [part.id] : []))
      .sort()
      .flatMap((callId): PastCall[] => {
        const result = results.get(callId);
        if (result === undefined) return [];
        const { status, output, files = null } = result;
        return [{ callId, status, output, files }];
      }),
  );
  return {
    turn: {
      id: turnId,
      status: 'completed',
      endReason,
      failure: null,
      leftOut: null,
      elidedThrough,
      copiedFrom,
      usage: totalUsage(attempt),
      model: options.options.model,
    },
    userParts: storedParts,
    steps: steps.map(({ step, parts, stopReason, usage, sent }) => {
      return { step, parts, stopReason, usage, sent };
    }),
    calls,
    notices: notices.map((notice) => {
      const { afterStep, mark, kind, text, seenByModel } = notice;
      return { afterStep, mark, kind, text, seenByModel, announced: announcementOf(notice) };
    }),
    steered: steered.map(({ afterStep, text }) => ({ afterStep, text })),
  };
}
