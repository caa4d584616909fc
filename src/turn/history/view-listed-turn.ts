import type { Usage } from '../../storage/shapes/stored-step.js';
import type { TurnOutcome } from '../../events/turn-event.js';
import { viewPlace } from '../state/turn-row.js';
import { unendedStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';
import type { ListedTurn } from './list-turns.js';

/** A turn in a list: `GET /api/harness/sessions/:id/turns`. Times are ISO-8601. */
export interface ListedTurnView {
  turnId: string;
  status: TurnStatus;
  attempt: number;
  model: string;
  persona: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Null until the turn ends. */
  usage: Usage | null;
  /** Null until the turn ends. */
  outcome: TurnOutcome | null;
  /** The reason of the end: a stop reason, a limit's name, who interrupted, an error's type. */
  reason: string | null;
  /** The turn whose place it takes. Absent: none. */
  replaces?: string;
  /** The turn that took its place, or that of a turn before it. Absent: it is in the conversation. */
  supersededBy?: string;
  /** The turn of the source that a fork has a copy of. Absent: it ran in this session. */
  copiedFrom?: string;
}

export function viewListedTurn(turn: ListedTurn): ListedTurnView {
  const { model, persona } = turn.options.options;
  return {
    turnId: turn.id,
    status: turn.status,
    attempt: turn.attempt,
    model,
    persona,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    endedAt: turn.endedAt?.toISOString() ?? null,
    usage: turn.usage,
    outcome: hasEnded(turn.status) ? turn.status : null,
    reason: turn.endReason,
    ...viewPlace(turn),
  };
}

function hasEnded(status: TurnStatus): status is TurnOutcome {
  return !unendedStatuses.some((one) => one === status);
}
