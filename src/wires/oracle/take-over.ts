import type { Clock } from '../../platform/clock.js';
import { withDeadline } from '../../platform/with-deadline.js';
import { TypedError } from '../../platform/typed-error.js';
import type { SubmittedTurn, TurnSubmission } from '../../turn/submit/turn-submission.js';
import type { TurnService } from '../../turn/turn-service.js';
import { hasReason, turnDoesNotEnd } from './oracle-errors.js';

/** How long a turn waits for the one it takes the place of. */
const END_WAIT_MS = 10_000;

/**
 * Submits a turn in the place of the one that runs in its session, if one does: that one is
 * interrupted, and its end waited for.
 *
 * @throws TypedError TURN_IN_PROGRESS 409 when it did not end in time; those of `submit`.
 */
export async function takeOver(
  turns: TurnService,
  clock: Clock,
  submission: TurnSubmission,
): Promise<SubmittedTurn> {
  const submitted = await withDeadline(clock, END_WAIT_MS, async (signal) => {
    // Between an end and the next try, somebody else may have been quicker.
    while (!signal.aborted) {
      const turn = await submitUnlessBusy(turns, submission);
      if (turn !== undefined) return turn;
      await endActiveTurn(turns, submission.sessionId, signal);
    }
    return undefined;
  });
  if (submitted === undefined) throw turnDoesNotEnd(END_WAIT_MS);
  return submitted;
}

export async function submitUnlessBusy(
  turns: TurnService,
  submission: TurnSubmission,
): Promise<SubmittedTurn | undefined> {
  try {
    return await turns.submit(submission);
  } catch (error) {
    if (error instanceof TypedError && error.type === 'TURN_IN_PROGRESS') return undefined;
    throw error;
  }
}

async function endActiveTurn(turns: TurnService, sessionId: string, signal: AbortSignal) {
  const turnId = await interruptTurn(turns, sessionId);
  if (turnId === undefined) return;
  const end = turns.follow({ turnId, onDisconnect: 'continue' }, signal, false);
  for await (const events of end) {
    if (events.at(-1)?.type === 'turn.ended') return;
  }
}

/** @returns the id of the turn that was asked to end; undefined when none runs. */
export async function interruptTurn(
  turns: TurnService,
  sessionId: string,
): Promise<string | undefined> {
  try {
    return (await turns.interrupt(sessionId)).turnId;
  } catch (error) {
    if (hasReason(error, 'NO_ACTIVE_TURN')) return undefined;
    throw error;
  }
}
