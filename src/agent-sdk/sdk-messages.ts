import type { JsonObject } from '../platform/json.js';

/** Tokens under the names of the Messages API. */
export interface ApiUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

export interface TextBlock {
  type: 'text';
  text: string;
}

/** `signature` is empty: it stays with the server, which sends the block back to the model. */
export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  signature: string;
}

export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
}

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

export type AssistantBlock = TextBlock | ThinkingBlock | ToolUseBlock;

/** What every message of a query has. */
interface Identified {
  /** Made of the id of the event that it tells: equal after each replay. */
  uuid: string;
  session_id: string;
}

export interface AssistantApiMessage {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  /** One block: messages of one reply have the same `id`. */
  content: [AssistantBlock];
  stop_reason: null;
  stop_sequence: null;
  /** Zeros until the reply's tokens are known, which may be after its tools ran; the result has all. */
  usage: ApiUsage;
}

export interface SDKAssistantMessage extends Identified {
  type: 'assistant';
  message: AssistantApiMessage;
  /** The call that a subagent works for. */
  parent_tool_use_id: string | null;
  /** Messages that are void: their worker died before the reply was stored, and this one begins it anew. */
  supersedes?: string[];
}

/** A content block of a message of the user: a text, or a file in base64. */
export type UserBlock =
  | TextBlock
  | { type: 'image' | 'document'; source: { type: 'base64'; media_type: string; data: string } };

/** A message of a prompt of several. */
export interface SDKUserMessage {
  type: 'user';
  message: { role: 'user'; content: string | readonly (UserBlock | ToolResultBlock)[] };
  parent_tool_use_id: string | null;
  uuid?: string;
  session_id?: string;
}

/** The result of one call. */
export interface SDKToolResultMessage extends Identified {
  type: 'user';
  message: { role: 'user'; content: [ToolResultBlock] };
  parent_tool_use_id: string | null;
  /** The text of the result. */
  tool_use_result: unknown;
}

/** Says that the turn was interrupted; its result follows. */
export interface SDKInterruptionMessage extends Identified {
  type: 'user';
  message: { role: 'user'; content: [TextBlock] };
  parent_tool_use_id: null;
}

/** An event of the Messages API, with `includePartialMessages`. */
export interface SDKPartialAssistantMessage extends Identified {
  type: 'stream_event';
  event: { type: string } & Record<string, unknown>;
  parent_tool_use_id: string | null;
}

export interface SDKSystemMessage extends Identified {
  type: 'system';
  subtype: 'init';
  cwd: string;
  model: string;
  tools: string[];
  mcp_servers: { name: string; status: string }[];
  permissionMode: PermissionMode;
  skills: string[];
  agents: string[];
  slash_commands: string[];
  apiKeySource: 'none';
  output_style: 'default';
}

export interface SDKCompactBoundaryMessage extends Identified {
  type: 'system';
  subtype: 'compact_boundary';
  compact_metadata: { trigger: 'auto' };
}

/** The model is asked again: it gave no answer, or was overloaded in its reply before it had a text. */
export interface SDKAPIRetryMessage extends Identified {
  type: 'system';
  subtype: 'api_retry';
  /** From 1. */
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** The status of the model's answer. Null: it was another one, or there was no answer. */
  error_status: 429 | 529 | null;
  error: 'overloaded' | 'rate_limit' | 'server_error';
}

/** A call that rules or the mode denied, without a question to `canUseTool`. */
export interface SDKPermissionDeniedMessage extends Identified {
  type: 'system';
  subtype: 'permission_denied';
  tool_name: string;
  tool_use_id: string;
  message: string;
}

export interface SDKTaskStartedMessage extends Identified {
  type: 'system';
  subtype: 'task_started';
  /** The id of the subagent's turn. */
  task_id: string;
  tool_use_id: string;
  description: string;
}

export interface SDKTaskNotificationMessage extends Identified {
  type: 'system';
  subtype: 'task_notification';
  task_id: string;
  tool_use_id: string;
  status: 'completed' | 'failed' | 'stopped';
}

export interface SDKPermissionDenial {
  tool_name: string;
  tool_use_id: string;
  tool_input: JsonObject;
}

export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  webSearchRequests: number;
  costUSD: number;
}

export const resultSubtypes = [
  'success',
  'error_during_execution',
  'error_max_turns',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
] as const;

export type ResultSubtype = (typeof resultSubtypes)[number];

/** The end of a turn: of a text prompt the last message of the query. */
export interface SDKResultMessage extends Identified {
  type: 'result';
  subtype: ResultSubtype;
  is_error: boolean;
  duration_ms: number;
  duration_api_ms: number;
  /** 1, and one for each message of the type `user`: results of tools, and an interruption. */
  num_turns: number;
  /** The last reply's text; absent of an error. */
  result?: string;
  /** Why it ended, of an error. */
  errors?: string[];
  stop_reason: string | null;
  /** US dollars of all turns of the query so far; 0 where the server knows no price. */
  total_cost_usd: number;
  /** Of this turn, without its subagents. */
  usage: ApiUsage;
  /** Of all turns of the query so far, by model. */
  modelUsage: Record<string, ModelUsage>;
  permission_denials: SDKPermissionDenial[];
  structured_output?: JsonObject;
  /** Absent where no turn began: a hook blocked the message, or there is no such session. */
  terminal_reason?: TerminalReason;
  /** The call that a hook deferred: the next query of the session asks the hook again. */
  deferred_tool_use?: { id: string; name: string; input: JsonObject };
}

export type TerminalReason =
  | 'completed'
  | 'max_turns'
  | 'api_error'
  /** Ended while the model answered. */
  | 'aborted_streaming'
  /** Ended before all calls of a reply had results. */
  | 'aborted_tools'
  | 'structured_output_retry_exhausted'
  | 'tool_deferred'
  | 'hook_stopped'
  /** A limit of the server. */
  | 'limit';

export type SDKMessage =
  | SDKAssistantMessage
  | SDKToolResultMessage
  | SDKInterruptionMessage
  | SDKPartialAssistantMessage
  | SDKSystemMessage
  | SDKCompactBoundaryMessage
  | SDKAPIRetryMessage
  | SDKPermissionDeniedMessage
  | SDKTaskStartedMessage
  | SDKTaskNotificationMessage
  | SDKResultMessage;

export const sdkPermissionModes = [
  'default',
  'acceptEdits',
  'plan',
  'dontAsk',
  'bypassPermissions',
] as const;

export type PermissionMode = (typeof sdkPermissionModes)[number];
