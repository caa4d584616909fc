import type { AgUiEvent } from './ag-ui-event.js';

/**
 * An event as clients of the protocol before 1.0 take it: they refuse the outcome of a cancelled run, and calls
 * in an outcome. The metadata has both. Pure.
 */
export function toOldEvent(event: AgUiEvent): object {
  if (event.type !== 'RUN_FINISHED') return event;
  const { outcome, metadata, ...rest } = event;
  switch (outcome.type) {
    case 'interrupt':
      return event;
    case 'cancelled':
      return { ...rest, metadata };
    case 'success': {
      const { pendingToolCallIds } = outcome;
      if (pendingToolCallIds === undefined) return event;
      const turnpike = { pendingToolCallIds };
      return { ...rest, outcome: { type: 'success' }, metadata: { ...metadata, turnpike } };
    }
  }
}
