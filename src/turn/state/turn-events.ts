import type { StepStopReason, Usage } from '../../storage/shapes/stored-step.js';
import { clientNotice, type NoticePosted, type TurnEventBody } from '../../events/turn-event.js';
import type { DayLimitReached } from '../../governance/limits/day-budget.js';
import type { LimitReached } from '../../governance/limits/limit-reached.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import type { TurnFailure } from '../../storage/shapes/stored-turn.js';
import { shownStatus, type CallEnd } from '../../tools/ledger.js';
import type { ToolUse } from './attempt.js';

/** Facts of a turn as events. */

export function stepEnded(step: {
  step: number;
  stopReason: StepStopReason;
  usage: Usage;
}): TurnEventBody {
  const { step: number, stopReason, usage } = step;
  return { type: 'step.ended', step: number, stopReason, usage };
}

export function toolEnded(call: ToolUse, end: CallEnd): TurnEventBody {
  const { output, durationMs } = end;
  const status = shownStatus(end.status);
  return { type: 'tool.ended', callId: call.id, name: call.name, status, output, durationMs };
}

/** A failure that ends the turn. It is an error whatever its status: nothing more comes. */
export function turnFailed(failure: TurnFailure): TurnEventBody {
  const { errorType, message, status, details } = failure;
  return {
    type: 'turn.failed',
    phase: 'mid-stream',
    errorType,
    message,
    status,
    severity: 'error',
    fatal: true,
    ...(details === undefined ? {} : { details }),
    ...retryAdvice(failure),
  };
}

/** The model stopped by its own rules; `details` is its provider's explanation. */
export function refusalNotice({
  details,
  category,
}: {
  details?: string | undefined;
  category?: string | undefined;
}): TurnEventBody {
  return clientNotice(
    'step',
    'refusal',
    // An explanation is a sentence of its own, with its full stop.
    `The model declined to go on${details === undefined ? '' : `: ${details.replace(/[.\s]+$/, '')}`}.`,
    category === undefined ? undefined : { category },
  );
}

/** The notice of a step's calls that were cut, for clients; the model has each call's result. */
export function tooManyCalls(cut: { asked: number; cap: number; cut: string[] }): TurnEventBody {
  return clientNotice(
    'step',
    'tool-limit',
    `${cut.asked} tool calls were asked for in one step; the limit is ${cut.cap}. Not run: ${cut.cut.join(', ')}.`,
    { current_value: cut.asked, limit_value: cut.cap },
  );
}

/** The limit that ended a turn, for clients. */
export function limitNotice({
  kind,
  text,
  metadata,
}: LimitReached | DayLimitReached): NoticePosted {
  return clientNotice('step', kind, text, { ...metadata });
}
