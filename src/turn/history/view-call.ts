import type { ToolStatus } from '../../storage/shapes/stored-step.js';
import { shownStatus } from '../../tools/ledger.js';
import type { RetryClass } from '../../tools/tool.js';
import type { CallRow } from '../state/load-turn.js';

/** A call as the ledger has it: `GET /api/harness/turns/:id/tools`. */
export interface CallView {
  callId: string;
  step: number;
  /** Of the worker that claimed it. */
  attempt: number;
  name: string;
  input: unknown;
  /** `claimed`: it may be running, or its worker died; every other one is final. */
  status: 'claimed' | ToolStatus;
  /** What the model was told; null while it is not known. */
  output: string | null;
  durationMs: number | null;
  /** Whether it is run again where its outcome was lost; null for a tool this server has not. */
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
