import type { RunError, RunOutcome } from '../../storage/automation-schema.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import type { RunRow } from '../schedule-row.js';

/** What came of a slot, or of a trigger. Times are ISO-8601. */
export interface RunView {
  id: string;
  cause: 'slot' | 'trigger';
  /** Of missed slots: the first. */
  slot: string;
  outcome: RunOutcome;
  turnId: string | null;
  sessionId: string | null;
  /** Null: there is no turn, or it was deleted. */
  turnStatus: TurnStatus | null;
  error: RunError | null;
  /** Slots that were missed, from `slot` up to the one before `until`; 1000: or more. */
  missed: { count: number; until: string } | null;
  at: string;
}

/** A run, with the status of its turn. */
export interface FoundRun {
  run: RunRow;
  status: TurnStatus | null;
}

export function viewRun({ run, status }: FoundRun): RunView {
  const { id, cause, outcome, turnId, sessionId, error, missed, missedUntil } = run;
  return {
    id,
    cause,
    slot: run.slot.toISOString(),
    outcome,
    turnId,
    sessionId,
    turnStatus: status,
    error,
    missed:
      missed === null || missedUntil === null
        ? null
        : { count: missed, until: missedUntil.toISOString() },
    at: run.createdAt.toISOString(),
  };
}
