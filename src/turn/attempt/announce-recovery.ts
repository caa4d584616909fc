import type { TurnEventBody } from '../../events/turn-event.js';
import type { StoreWrite } from '../../storage/write-kind.js';
import { applyDecision, cancelQuestion, resolvedEvent } from '../approvals/approval-writes.js';
import { isAsked } from '../approvals/call-questions.js';
import { openCalls, stepEnded, type Attempt } from '../state/attempt.js';

/**
 * Commits the first events of an attempt after another: what became of the questions that were open, and the
 * half-streamed step that no longer counts.
 *
 * @param traced what stores the attempt's span.
 */
export function announceRecovery(attempt: Attempt, traced: readonly StoreWrite[]): Promise<void> {
  const { progress, writer, archived } = attempt;
  const last = progress.steps.at(-1);
  const open = openCalls(progress).length;
  // The step's tools were done, and the process died before it could emit the step's end.
  const isUnannounced =
    last !== undefined &&
    open === 0 &&
    !archived.some((event) => event.type === 'step.ended' && event.step === last.step);
  const { turn, approvals } = attempt;
  // A parked attempt was released in order: there is nothing to recover.
  const isRecovery = turn.parkedAttempt !== turn.attempt - 1;
  const decided = approvals.filter(
    ({ decision, appliedAttempt }) => decision !== null && appliedAttempt === null,
  );
  // The connection that waited for these answers ended with its process.
  const dead = approvals.filter(
    (one) =>
      one.decision === null &&
      isAsked(one) &&
      progress.results.get(one.callId)?.status === 'claimed',
  );
  for (const one of dead) {
    Object.assign(one, {
      decision: 'cancelled',
      decidedBy: 'server',
      appliedAttempt: turn.attempt,
    });
  }
  const events: TurnEventBody[] = [
    ...(isRecovery
      ? [{ type: 'turn.recovering' as const, reason: 'the process that ran the turn stopped' }]
      : []),
    ...[...decided, ...dead].map(resolvedEvent),
    ...(isUnannounced ? [stepEnded(last)] : []),
    // No other step can have begun before the calls of the last one have ended.
    ...(isRecovery && open === 0
      ? [{ type: 'step.discarded' as const, step: (last?.step ?? 0) + 1 }]
      : []),
  ];
  const writes = [
    ...traced,
    ...decided.map((approval) => applyDecision({ id: approval.id, attempt: turn.attempt })),
    ...dead.map(({ id }) => cancelQuestion({ id, attempt: turn.attempt })),
  ];
  for (const approval of decided) approval.appliedAttempt = turn.attempt;
  return writer.commit(events, writes);
}
