import type { Usage } from '../../storage/shapes/stored-step.js';
import type { TurnFailure } from '../../storage/shapes/stored-turn.js';
import { isPlainObject } from '../../platform/json.js';
import { attributes } from '../../tracing/span-names.js';
import type { Ending } from '../loop/next-action.js';
import type { Attempt } from '../state/attempt.js';

interface EndedTurn {
  ending: Ending;
  usage: Usage;
  durationMs: number;
  failure: TurnFailure | undefined;
}

/** Reports a turn's end to operators: a line of the log, and the span of the attempt that ended it. */
export function reportEnd(
  { logger, span, progress }: Pick<Attempt, 'logger' | 'span' | 'progress'>,
  { ending: { outcome, reason }, usage, durationMs, failure }: EndedTurn,
): void {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  const steps = progress.steps.length;
  const error = failure && describeFailure(failure);
  const level = failure !== undefined && failure.status >= 500 ? 'error' : 'info';
  logger[level]({ outcome, reason, durationMs, steps, ...tokens, costUsd, error }, 'turn ended');
  if (span?.isRecording !== true) return;
  span.set({
    [attributes.outcome]: outcome,
    [attributes.reason]: reason,
    [attributes.inputTokens]: inputTokens + cacheReadTokens + cacheWriteTokens,
    [attributes.outputTokens]: outputTokens,
    ...(costUsd === undefined ? {} : { [attributes.cost]: costUsd }),
  });
  if (failure !== undefined) span.fail(failure.errorType);
}

/** A failure without its message, which may quote the conversation. */
function describeFailure({ errorType: type, status, details }: TurnFailure) {
  const { category, reason } = isPlainObject(details) ? details : {};
  return { type, status, category, reason };
}
