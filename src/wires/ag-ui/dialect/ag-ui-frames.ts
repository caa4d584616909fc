import { isPlainObject } from '../../../platform/face.js';
import { promptTokens, type Usage } from '../../../events/face.js';

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

/** The value under `turnpike` in the client's state. */
export interface TurnpikeView {
  status: 'running' | 'recovering' | 'waiting' | 'completed' | 'limited' | 'interrupted' | 'failed';
  /** Tokens of the turn so far, without those of its subagents. */
  usage: Usage;
  /** Size of the conversation as the model last saw it, its reply included. */
  contextTokens: number;
  /** Todos as the turn last wrote them; null: it wrote none. */
  todos: unknown;
  notices: readonly { kind: string; text: string }[];
}

/** The value under `turnpike` in a client's state, with whose it is. */
export interface ShownTurn extends TurnpikeView {
  sessionId: string;
  turnId: string;
  agent: string;
  model: string;
}

/** A run without anything new, in a thread where no turn runs. */
export interface IdleRun {
  threadId: string;
  runId: string;
  messages: readonly AgUiMessage[];
  /** The client's own state. */
  state: unknown;
  /** The thread's last turn; undefined: there was none. */
  last: ShownTurn | undefined;
}

/** The whole stream of such a run: the conversation and the state, as they are. Pure. */
export function snapshotEvents(run: IdleRun): AgUiEvent[] {
  const { threadId, runId, messages, last } = run;
  return [
    { type: 'RUN_STARTED', threadId, runId, protocolVersion: AG_UI_VERSION },
    { type: 'MESSAGES_SNAPSHOT', messages: [...messages] },
    stateSnapshot(run.state, last),
    { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success' }, usage: [] },
  ];
}

/** A client's state with a turn in it, beside what is the client's own. Pure. */
export function stateSnapshot(own: unknown, turnpike: object | undefined): AgUiEvent {
  const fields = isPlainObject(own) ? own : {};
  return {
    type: 'STATE_SNAPSHOT',
    snapshot: turnpike === undefined ? fields : { ...fields, turnpike },
  };
}

/**
 * An event as clients of the protocol before 1.0 take it: they refuse the outcome of a cancelled run, and calls
 * in an outcome. The metadata has both. Files are `binary` parts there. Pure.
 */
export function toOldEvent(event: AgUiEvent): object {
  if (event.type === 'MESSAGES_SNAPSHOT') {
    return { ...event, messages: event.messages.map(withBinaryParts) };
  }
  if (event.type !== 'RUN_FINISHED') return event;
  const { outcome, metadata, ...rest } = event;
  switch (outcome.type) {
    case 'interrupt':
      return event;
    case 'cancelled':
      return { ...rest, metadata };
    case 'success': {
      const { pendingToolCallIds } = outcome;
      if (pendingToolCallIds === undefined) return event;
      const turnpike = { pendingToolCallIds };
      return { ...rest, outcome: { type: 'success' }, metadata: { ...metadata, turnpike } };
    }
  }
}

function withBinaryParts(message: AgUiMessage): AgUiMessage {
  const { content } = message;
  if (message.role !== 'user' || !Array.isArray(content)) return message;
  return { ...message, content: content.map(toBinaryPart) };
}

function toBinaryPart(part: unknown): unknown {
  const { source, metadata } = isPlainObject(part) ? part : {};
  if (!isPlainObject(source) || source['type'] !== 'url') return part;
  const { value: url, mimeType } = source;
  const { filename } = isPlainObject(metadata) ? metadata : {};
  return { type: 'binary', mimeType, url, ...(filename === undefined ? {} : { filename }) };
}

/**
 * Usage with one more model call. The protocol counts cached tokens as a part of the input, not
 * beside it.
 */
export function addCall(
  all: readonly AgUiUsage[],
  model: string,
  usage: Usage,
): readonly AgUiUsage[] {
  const { outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const inputTokens = promptTokens(usage);
  const before = all.find((one) => one.model === model);
  const thought = addReported(before?.reasoningTokens, usage.thinkingTokens);
  const sum: AgUiUsage = {
    model,
    inputTokens: inputTokens + (before?.inputTokens ?? 0),
    outputTokens: outputTokens + (before?.outputTokens ?? 0),
    totalTokens: inputTokens + outputTokens + (before?.totalTokens ?? 0),
    cachedInputTokens: cacheReadTokens + (before?.cachedInputTokens ?? 0),
    cacheWriteInputTokens: cacheWriteTokens + (before?.cacheWriteInputTokens ?? 0),
    ...(thought === undefined ? {} : { reasoningTokens: thought }),
  };
  return before === undefined ? [...all, sum] : all.map((one) => (one === before ? sum : one));
}

function addReported(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
