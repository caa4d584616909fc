import type { Facts, Trigger } from '../trigger.js';

/** A trigger that posts a limit's soft warning of governance, once a turn. */
function limitTrigger(id: string, what: string, priority: number): Trigger {
  return {
    id,
    name: `Limit of ${what}`,
    description: `The soft percentage of the turn's ${what} is passed.`,
    rearms: 'never in the same turn',
    priority,
    enabled: true,
    levels: ['step'],
    check: ({ warnings }: Facts) =>
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
