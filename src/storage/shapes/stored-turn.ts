import type { ErrorCode } from '../../errors/error-table.js';
import type { ClientTool, Provenance } from './stored-options.js';
import type { ToolStatus } from './stored-step.js';
import type { RetryAdvice } from '../../platform/retry-advice.js';
import type { StoredResponsesRequest } from './stored-responses.js';

/** Statuses of the turn that locks its session. */
export const activeStatuses = ['queued', 'running', 'waiting'] as const;

/** Statuses of turns that have not ended. */
export const unendedStatuses = ['held', ...activeStatuses] as const;

/** All statuses of a turn; the last four are final. */
export const turnStatuses = [
  ...unendedStatuses,
  'completed',
  'limited',
  'interrupted',
  'failed',
] as const;

/**
 * `held`: accepted, behind another turn of its session. `waiting`: parked for an answer, without a
 * worker.
 */
export type TurnStatus = (typeof turnStatuses)[number];

/** The client's request, as accepted. */
export interface StoredRequest {
  message: string;
  opts: unknown;
  attachments: string[];
  /** Named files that were rejected; the client gets an event for each. */
  rejectedAttachments: { name: string; reason: string; index?: number }[];
  /** Id of the HTTP request, for the log; absent in turns of earlier versions. */
  requestId?: string;
  /** What the application said beside the user, in this turn's system prompt. */
  instructions?: string;
  /** The client's own id of the message. */
  clientMessageId?: string;
  /** What the request had of its own on the wire of the Responses API. */
  responses?: StoredResponsesRequest;
  /** The turn that it is a replay of. */
  replay?: ReplayTerms;
}

/** Where a replay's tool results come from; `none`: no tool may be called. */
export const replayTools = ['recorded', 'none'] as const;
export type ReplayTools = (typeof replayTools)[number];

export interface ReplayTerms {
  /** The recorded turn. */
  turnId: string;
  tools: ReplayTools;
  /** The replay's tools, which its options leave out. Absent: a version stored it whose options name them. */
  offer?: ReplayOffer;
}

/** The tools of a replay, as its options would name them. */
export interface ReplayOffer {
  tools: string[];
  toolsFrom: Provenance;
  memory?: boolean;
  clientTools?: ClientTool[];
  delegatedSubagents: readonly string[];
}

/** Reason of a turn's cancellation. */
export type CancelReason =
  | 'interrupt'
  | 'disconnect'
  | 'session-deleted'
  | 'superseded'
  | 'parent-ended'
  /** The turn had not ended where it was exported. */
  | 'imported';

/**
 * The stored part of the error that ended a turn. Turns of earlier versions have no retry advice.
 */
export interface TurnFailure extends Partial<RetryAdvice> {
  errorType: ErrorCode;
  message: string;
  status: number;
  details?: unknown;
}

/**
 * `claimed`: the call may have run. `refused`: a limit, the turn's end or the client kept the call
 * from running; readers see `denied`. All but `claimed` are final.
 */
export type ToolCallStatus = 'claimed' | 'refused' | ToolStatus;
