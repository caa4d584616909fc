import type { ErrorCode } from '../../errors/error-table.js';
import type { ToolStatus } from './stored-step.js';
import type { RetryAdvice } from '../../platform/retry-advice.js';

/**
 * `held`: accepted, behind another turn of its session. `waiting`: for a person, with no worker.
 * The last four are final.
 */
export type TurnStatus =
  | 'held'
  | 'queued'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'limited'
  | 'interrupted'
  | 'failed';

/** Of the turn that holds its session's lock. */
export const activeStatuses = ['queued', 'running', 'waiting'] as const;

/** Of every turn that has not ended. */
export const unendedStatuses = ['held', ...activeStatuses] as const;

/** What the client asked for, kept as it was accepted. */
export interface TurnRequest {
  message: string;
  opts: unknown;
  attachments: string[];
  /** Files that were named and not taken; the client is told. */
  rejectedAttachments: { name: string; reason: string; index?: number }[];
  /** Of the HTTP request it came with, for the lines of the log; absent in turns of earlier versions. */
  requestId?: string;
}

/** Why a turn was asked to stop. `deadline` is the turn's own time limit. */
export type CancelReason =
  | 'interrupt'
  | 'disconnect'
  | 'session-deleted'
  | 'superseded'
  | 'parent-ended';

/** What is stored of the error that ended a turn. Turns of earlier versions have no advice. */
export interface TurnFailure extends Partial<RetryAdvice> {
  errorType: ErrorCode;
  message: string;
  status: number;
  details?: unknown;
}

/**
 * `claimed`: the call may have run. `refused`: a limit, the turn's end or the client kept the call from
 * running; readers see `denied`. All but `claimed` are final.
 */
export type ToolCallStatus = 'claimed' | 'refused' | ToolStatus;
