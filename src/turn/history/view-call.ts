import type { ToolStatus } from '../../storage/shapes/stored-step.js';
import { shownStatus } from '../../tools/ledger.js';
import type { RetryClass } from '../../tools/tool.js';
import type { CallRow } from '../state/stored-turn.js';

/** A call as the ledger has it: `GET /api/harness/turns/:id/tools`. */
export interface CallView {
  callId: string;
  step: number;
  /** The attempt whose worker claimed the call. */
  attempt: number;
  name: string;
  input: unknown;
  /** `claimed`: the call may be running, or its worker died; every other status is final. */
  status: 'claimed' | ToolStatus;
  /** Result as the model has it; null while it is not known. */
  output: string | null;
  durationMs: number | null;
  /** Whether the call is repeated when its outcome is lost; null: the server has no such tool. */
  retry: RetryClass | null;
  /** ISO-8601. */
  claimedAt: string;
  endedAt: string | null;
}

/** Pure. */
export function viewCall(row: CallRow, retry: RetryClass | undefined): CallView {
  const { callId, step, attempt, name, input, output, durationMs } = row;
  return {
    callId,
    step,
    attempt,
    name,
    input,
    status: shownStatus(row.status),
    output,
    durationMs,
    retry: retry ?? null,
    claimedAt: row.claimedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
