import type { ToolStatus } from '../events/turn-event.js';
import type { Queryable } from '../storage/connection.js';
import { toolCalls } from '../storage/schema.js';

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
 * Says, before a call starts, that it may have run from now on. Run it inside a fenced transaction.
 * A claim without an end is what a crash leaves.
 */
export async function claimCall(tx: Queryable, call: LedgerCall, now: Date): Promise<void> {
  await tx.insert(toolCalls).values({ ...call, status: 'claimed', claimedAt: now });
}

/** Ends a call: one that was claimed, or one that was answered without being run. */
export async function endCall(
  tx: Queryable,
  call: LedgerCall,
  end: CallEnd,
  now: Date,
): Promise<void> {
  const final = { ...end, endedAt: now };
  await tx
    .insert(toolCalls)
    .values({ ...call, claimedAt: now, ...final })
    .onConflictDoUpdate({ target: [toolCalls.turnId, toolCalls.callId], set: final });
}
