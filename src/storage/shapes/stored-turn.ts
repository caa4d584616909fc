import type { ErrorCode } from '../../errors/error-table.js';
import type { RetryAdvice } from '../../platform/retry-advice.js';
import type { JsonObject } from '../../platform/json.js';
import type { ClientTool, Provenance } from './stored-options.js';
import type { ToolStatus, Usage } from './stored-step.js';

/** The wire that made a session, or `schedules`. */
export const sessionOrigins = [
  'harness',
  'oracle',
  'named-agents',
  'ag-ui',
  'ai-sdk',
  'responses',
  'mcp',
  'schedules',
] as const;
export type SessionOrigin = (typeof sessionOrigins)[number];

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

/**
 * Usage of the model calls that MCP servers asked for, by the tool call that they were asked for in, one for each model
 * call. A call that was begun and has no known end counts with all that was reserved for it.
 */
export type SampledUsage = Record<string, Usage[]>;

/** The client's request, as accepted. */
export interface StoredRequest {
  message: string;
  opts: unknown;
  attachments: string[];
  /** Named files that were rejected; the client gets an event for each. */
  rejectedAttachments: { name: string; reason: string; index?: number }[];
  /** Id of the HTTP request, for the log; absent for turns that no request sent, as of schedules. */
  requestId?: string;
  /** What the application said beside the user, in this turn's system prompt. */
  instructions?: string;
  /** The client's own id of the message. */
  clientMessageId?: string;
  /** What the request had of its own on the wire of the Responses API. */
  responses?: StoredResponsesRequest;
  /** The turn that it is a replay of. */
  replay?: ReplayParams;
  /** Nobody waits for the turn, which a schedule sent: its calls cannot ask. Absent: somebody may. */
  unattended?: true;
}

/** Where a replay's tool results come from; `none`: no tool may be called. */
export const replayTools = ['recorded', 'none'] as const;
export type ReplayTools = (typeof replayTools)[number];

export interface ReplayParams {
  /** The recorded turn. */
  turnId: string;
  tools: ReplayTools;
  /** The replay's tools, where its options leave them out: the version of `test/release/previous-version` stores it so. */
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

/** The stored part of the error that ended a turn. */
export interface TurnFailure extends RetryAdvice {
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

/** What a request of the Responses API had that its response gives back, and that no option of a turn has. */
export interface StoredResponsesRequest {
  /** The agent, or the model, that the request named. */
  model: string;
  previousResponseId: string | null;
  instructions: string | null;
  background: boolean;
  toolChoice: 'auto' | 'none';
  /** The format of the text. */
  format: JsonObject;
  effort: string | null;
  summary: string | null;
  maxOutputTokens: number | null;
  serviceTier: 'default' | 'flex';
  metadata: Record<string, string>;
  user: string | null;
  safetyIdentifier: string | null;
  promptCacheKey: string | null;
  /** Absent: none was named. */
  promptCacheRetention?: 'in_memory' | '24h';
  /** Absent: `auto`. */
  truncation?: 'auto' | 'disabled';
  /** Verbosity of the text. Absent: none was named. */
  verbosity?: 'low' | 'medium' | 'high';
  /** Absent: true. */
  parallelToolCalls?: boolean;
  /** Whether the response can be asked for once it has ended. Absent: it can. */
  store?: boolean;
  /** Whether the client cannot take approvals as items: it is told of them as text. Absent: it can. */
  hidesApprovals?: boolean;
  /** Names of the client's tools that take text. Absent: none. */
  customTools?: string[];
  /** Namespaces of the client's tools. Absent: none. */
  namespaces?: StoredNamespace[] | undefined;
  /** Messages of `system` and `developer` up to here, which later responses of the conversation have too. */
  developer?: string[];
  /** The items of `input`, files without their bytes. */
  input: JsonObject[];
  /** The client's tools of this request, where a later one changed them. Absent: those of the options. */
  firstTools?: ClientTool[];
  /** Ids of responses of the turn that were deleted. Absent: none. */
  deleted?: string[];
  /** Requests that answered what the turn asked, and changed its terms. Absent: none. */
  answers?: StoredResponsesAnswer[];
}

/** A namespace of a client's tools. The model has none: there, a tool has a name of both parts. */
export interface StoredNamespace {
  name: string;
  description: string;
  /** `offered` is the name under which the model has the tool. */
  tools: { name: string; offered: string }[];
}

/** A request that answered what a turn asked. */
export interface StoredResponsesAnswer {
  /** The approvals that it answered. */
  answered: string[];
  request: Omit<StoredResponsesRequest, 'answers'>;
  /** The client's tools from then on. */
  tools: ClientTool[];
}

/** The ids of a span, as the headers of W3C Trace Context write them. */
export interface StoredTrace {
  /** `00-<32 hex digits of the trace>-<16 of the span>-<2 of flags>`. */
  traceparent: string;
  /** Vendors’ values beside it; absent: none. */
  tracestate?: string;
}

export const forkPositions = ['before', 'after'] as const;

/** Whether a fork has the turn that it names, or ends before it. */
export type ForkPosition = (typeof forkPositions)[number];

/** The point of another session that a fork began at. The session may be gone since. */
export interface ForkSource {
  sessionId: string;
  turnId: string;
  position: ForkPosition;
  /** Files that were written after that point, which the fork finds as they are. Absent: none. */
  written?: WrittenFiles;
}

/** Files that turns wrote, by the ledger. */
export interface WrittenFiles {
  /** Paths as the model gave them, in the order of their first write. */
  paths: string[];
  /** Paths beyond those that are listed. */
  more: number;
  /** Whether commands ran, whose writes the ledger does not know. */
  ranCommands: boolean;
  /** Tools of MCP servers that ran, each once, whose writes the ledger does not know either. Absent: none. */
  mcpTools?: string[];
}
