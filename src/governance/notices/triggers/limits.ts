import type { TriggerFacts, Trigger } from '../trigger.js';
import { compact } from '../../../platform/compact.js';

/** A trigger that posts a limit's soft warning of governance, once a turn. */
function limitTrigger(id: string, what: string, priority: number): Trigger {
  return {
    id,
    description: `The soft percentage of the turn's ${what} is passed.`,
    rearms: 'never in the same turn',
    priority,
    levels: ['step'],
    check: ({ warnings }: TriggerFacts) =>
      warnings
        .filter(({ kind }) => kind === id)
        .map(({ kind, text, metadata }) => ({
          mark: id,
          kind,
          text,
          metadata: { ...metadata },
          seenByModel: true,
        })),
  };
}

export const timeLimit = limitTrigger('time-limit', 'time', 20);
export const iterationLimit = limitTrigger('iteration-limit', 'iterations', 21);
export const tokenLimit = limitTrigger('token-limit', 'tokens', 22);
export const costLimit = limitTrigger('cost-limit', 'cost', 23);

/** Consecutive tool errors from which the model gets a notice; after a third it has one reply left. */
const NEAR_ERROR_LIMIT = 2;

export const noProgressNudge: Trigger = {
  id: 'no-progress-nudge',
  description: 'One more of the same actions would end the turn.',
  rearms: 'when progress resumes',
  priority: 10,
  levels: ['step'],
  check: ({ nearNoProgress, step }: TriggerFacts) =>
    nearNoProgress === undefined
      ? []
      : [
          {
            // The step makes a later repetition a notice of its own.
            mark: `no-progress-nudge:${step}`,
            kind: 'no-progress-nudge',
            text: `The same action keeps giving the same result: ${nearNoProgress.action}. Once more and the turn is ended. Try something else, or answer with what you have.`,
            metadata: { repeated_action: nearNoProgress.action },
            seenByModel: true,
          },
        ],
};

export const errorStreak: Trigger = {
  id: 'error-streak',
  description:
    'Two tool calls in a row failed; after a third, a reply that asks for more ends the turn.',
  rearms: 'when a tool call succeeds',
  priority: 11,
  levels: ['step'],
  check: ({ toolErrors, lastError, step }: TriggerFacts) =>
    toolErrors < NEAR_ERROR_LIMIT
      ? []
      : [
          {
            mark: `error-streak:${step}`,
            kind: 'error-streak',
            text:
              toolErrors === NEAR_ERROR_LIMIT
                ? `${toolErrors} tool calls in a row failed. If the next one fails too, the turn is ended. Check the arguments, or answer with what you have.`
                : `${toolErrors} tool calls in a row failed. No other is run in this turn: answer with what you have.`,
            metadata: compact({ error_count: toolErrors, last_error: lastError }),
            seenByModel: true,
          },
        ],
};
