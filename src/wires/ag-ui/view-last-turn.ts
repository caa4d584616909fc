import { noUsage } from '../../events/turn-event.js';
import { isPlainObject } from '../../platform/json.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import type { StoredTurn } from '../../turn/state/stored-turn.js';
import type { ShownTurn } from './dialect/ag-ui-frames.js';
import type { TurnpikeView } from './dialect/ag-ui-frames.js';
import { TODO_TOOL } from './dialect/ag-ui.js';

/**
 * A thread's last turn as its stream left it in a client's state, from what is stored of it. Pure.
 *
 * @returns undefined for a thread without turns.
 */
export function viewLastTurn(turns: readonly StoredTurn[]): ShownTurn | undefined {
  const stored = turns.at(-1);
  if (stored === undefined) return undefined;
  const { turn, steps, notices } = stored;
  const { persona: agent, model } = turn.options.options;
  const last = steps.at(-1)?.usage ?? noUsage;
  return {
    sessionId: turn.sessionId,
    turnId: turn.id,
    agent,
    model,
    status: statusOf(turn.status),
    usage: turn.usage ?? noUsage,
    contextTokens:
      last.inputTokens + last.cacheReadTokens + last.cacheWriteTokens + last.outputTokens,
    todos: lastTodos(stored),
    notices: notices.map(({ kind, text }) => ({ kind, text })),
  };
}

function statusOf(status: StoredTurn['turn']['status']): TurnpikeView['status'] {
  const isOpen = (one: typeof status): one is (typeof unendedStatuses)[number] =>
    unendedStatuses.some((unended) => unended === one);
  return isOpen(status) ? 'running' : status;
}

/** The list as the turn last wrote it; null where it wrote none. */
function lastTodos({ calls }: StoredTurn): unknown {
  const written = calls
    .filter(({ name, status }) => name === TODO_TOOL && status === 'success')
    .toSorted((a, b) => a.claimedAt.getTime() - b.claimedAt.getTime())
    .at(-1)?.input;
  return isPlainObject(written) ? (written['todos'] ?? null) : null;
}
