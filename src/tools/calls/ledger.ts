import { sql, type SQL } from 'drizzle-orm';
import type { ToolStatus } from '../../events/turn-event.js';
import { insertFenced } from '../../storage/insert-from.js';
import { toolCalls } from '../../storage/schema.js';

/** A call as a model asked for it, and who runs it. */
export interface LedgerCall {
  turnId: string;
  callId: string;
  step: number;
  attempt: number;
  name: string;
  input: unknown;
}

export interface CallEnd {
  status: ToolStatus;
  /** What the model is told. */
  output: string;
  durationMs: number;
}

/**
 * Says, before a call starts, that it may have run from now on. Part of a fenced statement.
 * A claim without an end is what a crash leaves.
 */
export function claimCall(call: LedgerCall, now: Date): SQL {
  return insertFenced(toolCalls, { ...call, status: 'claimed', claimedAt: now });
}

/**
 * Ends a call: one that was claimed, or one that was answered without being run. Part of a fenced
 * statement.
 */
export function endCall(call: LedgerCall, end: CallEnd, now: Date): SQL {
  const row = { ...call, ...end, claimedAt: now, endedAt: now };
  return insertFenced(
    toolCalls,
    row,
    sql`on conflict (turn_id, call_id) do update set attempt = excluded.attempt,
      status = excluded.status, output = excluded.output,
      duration_ms = excluded.duration_ms, ended_at = excluded.ended_at`,
  );
}
