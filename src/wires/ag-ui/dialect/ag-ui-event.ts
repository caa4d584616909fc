/** The version of the protocol that is spoken. */
export const AG_UI_VERSION = '1.0';

/**
 * A message of the conversation. Clients add fields of their own, which go back to them unchanged.
 */
export interface AgUiMessage {
  id: string;
  role: string;
  content?: unknown;
  toolCalls?: AgUiToolCall[];
  /** The call that a tool's message answers. */
  toolCallId?: string;
  metadata?: object;
  subagentRunId?: string;
}

export interface AgUiToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface AgUiInterrupt {
  id: string;
  reason: string;
  message: string;
  toolCallId: string;
  expiresAt: string;
  responseSchema: object;
  subagentRunId?: string;
  metadata: object;
}

/** Every prompt token counts as input; what came from a cache and went there is a part of it. */
export interface AgUiUsage {
  model: string;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  cachedInputTokens: number;
  cacheWriteInputTokens: number;
  /** Part of `outputTokens`. Absent where no provider reported it. */
  reasoningTokens?: number;
}

export type AgUiOutcome =
  | { type: 'success'; pendingToolCallIds?: string[] }
  | { type: 'interrupt'; interrupts: AgUiInterrupt[] }
  | { type: 'cancelled' };

export type StateOperation =
  | { op: 'add'; path: string; value: unknown }
  | { op: 'replace'; path: string; value: unknown };

/** The subagent that an event belongs to; the parent's events have none. */
interface ByWhom {
  subagentRunId?: string;
}

/** Events of the protocol that this server sends, with the fields that it sets. */
export type AgUiEvent =
  | { type: 'RUN_STARTED'; threadId: string; runId: string; protocolVersion: string }
  | {
      type: 'RUN_FINISHED';
      threadId: string;
      runId: string;
      outcome: AgUiOutcome;
      result?: unknown;
      usage: AgUiUsage[];
      metadata?: object;
    }
  | { type: 'RUN_ERROR'; message: string; code: string; usage: AgUiUsage[]; metadata: object }
  | { type: 'MESSAGES_SNAPSHOT'; messages: AgUiMessage[] }
  | { type: 'STATE_SNAPSHOT'; snapshot: unknown }
  | { type: 'STATE_DELTA'; delta: StateOperation[] }
  | ({ type: 'STEP_STARTED' | 'STEP_FINISHED'; stepName: string } & ByWhom)
  | ({ type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' } & ByWhom)
  | ({ type: 'TEXT_MESSAGE_CONTENT'; messageId: string; delta: string } & ByWhom)
  | ({ type: 'TEXT_MESSAGE_END'; messageId: string } & ByWhom)
  | ({ type: 'REASONING_START' | 'REASONING_END'; messageId: string } & ByWhom)
  | ({ type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' } & ByWhom)
  | ({ type: 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string } & ByWhom)
  | ({ type: 'REASONING_MESSAGE_END'; messageId: string } & ByWhom)
  | ({
      type: 'TOOL_CALL_START';
      toolCallId: string;
      toolCallName: string;
      parentMessageId: string;
    } & ByWhom)
  | ({ type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string } & ByWhom)
  | ({ type: 'TOOL_CALL_END'; toolCallId: string } & ByWhom)
  | ({
      type: 'TOOL_CALL_RESULT';
      messageId: string;
      toolCallId: string;
      content: string;
      metadata: object;
    } & ByWhom)
  | SubagentStarted
  | {
      type: 'SUBAGENT_FINISHED';
      subagentRunId: string;
      outcome: { type: 'success' } | { type: 'suspended'; interruptIds: string[] };
      result?: unknown;
    }
  | {
      type: 'SUBAGENT_ERROR';
      subagentRunId: string;
      message: string;
      code: string;
      metadata: object;
    }
  | ({ type: 'CUSTOM'; name: string; value: unknown } & ByWhom);

export interface SubagentStarted {
  type: 'SUBAGENT_STARTED';
  subagentRunId: string;
  name: string;
  parentSubagentRunId?: string;
  parentToolCallId: string;
}
