import type { AttachmentRef } from '../storage/shapes/stored-step.js';
import { insertKind, writeKind, type StoreWrite } from '../storage/write-kind.js';
import type { ToolCallStatus } from '../storage/shapes/stored-turn.js';
import { toolCalls } from '../storage/transcript-schema.js';

/** A call as the model requested it, and the attempt that runs it. */
export interface LedgerCall {
  turnId: string;
  callId: string;
  step: number;
  attempt: number;
  name: string;
  input: unknown;
}

export interface CallEnd {
  status: Exclude<ToolCallStatus, 'claimed'>;
  /** The text for the model. */
  output: string;
  /** Files of the output, stored. Absent: none. */
  files?: readonly AttachmentRef[];
  durationMs: number;
}

/** The status that events and answers show: that of a refused call is `denied`. */
export function shownStatus<Status extends string>(status: Status | 'refused'): Status | 'denied' {
  return status === 'refused' ? 'denied' : status;
}

/**
 * Claims a call before it starts: from now on it may have run. A crash leaves a claim without an end.
 * Part of a fenced statement.
 */
export function claimToolCall(call: LedgerCall, now: Date): StoreWrite {
  return insertClaim({ ...call, status: 'claimed', claimedAt: now });
}

const callKeys = ['turnId', 'callId', 'step', 'attempt', 'name', 'input', 'status'] as const;
const insertClaim = insertKind(toolCalls, [...callKeys, 'claimedAt']);
const insertEnd = insertKind(
  toolCalls,
  [...callKeys, 'output', 'files', 'durationMs', 'claimedAt', 'endedAt'],
  `on conflict (turn_id, call_id) do update set attempt = excluded.attempt,
    status = excluded.status, output = excluded.output, files = excluded.files,
    duration_ms = excluded.duration_ms, ended_at = excluded.ended_at`,
);

/**
 * Ends a call that was claimed, or that was answered without a run. Part of a fenced statement.
 */
export function endToolCall(call: LedgerCall, end: CallEnd, now: Date): StoreWrite {
  const { files = [] } = end;
  const kept = files.length === 0 ? null : [...files];
  return insertEnd({ ...call, ...end, files: kept, claimedAt: now, endedAt: now });
}

/**
 * Takes back the claim of a call that asked its person: nobody runs it, and its next run claims it anew. Part of a
 * fenced statement.
 */
export const releaseToolCall = writeKind(
  { callId: toolCalls.callId },
  (input) => `delete from tool_calls using ${input} input where tool_calls.turn_id = input.fence_id
    and tool_calls.call_id = input."callId" and tool_calls.status = 'claimed'`,
);
