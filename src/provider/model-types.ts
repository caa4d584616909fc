import type { Source, StepStopReason, Usage } from '../events/turn-event.js';
import type { JsonObject } from '../platform/json.js';
import type { ThinkingPlan } from './models/plan-thinking.js';
import type { ServerToolCall, ServerToolResult, ServerTool } from './server-tools.js';

/** What the loop sends to a model and hears from it, in no provider's words. */

/** A canonical block of an assistant message. `opaque` is the provider's own, kept to the letter. */
export type AssistantPart =
  | { type: 'text'; text: string; citations?: JsonObject[] }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }
  | { type: 'opaque'; block: JsonObject };

/**
 * Only key of the input of a `tool_use` whose JSON the model broke; the value is the broken text.
 * Not a fault of the turn: answer the call with an error and the model tries again.
 */
export const INVALID_JSON = '__invalid_json';

export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; base64: string }
  | { type: 'pdf'; title: string; base64: string }
  | { type: 'document'; title: string; text: string }
  | { type: 'tool_result'; callId: string; output: string; isError: boolean };

/** A system message stands after a user message: what the server tells the model on the way. */
export type ModelMessage =
  | { role: 'user'; parts: UserPart[] }
  | { role: 'assistant'; parts: AssistantPart[] }
  | { role: 'system'; text: string };

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the input; its root is an object. */
  inputSchema: JsonObject;
}

export interface ModelRequest {
  model: string;
  system: string;
  messages: ModelMessage[];
  tools: ToolSpec[];
  /** Tools that the provider runs itself. Absent: none. */
  serverTools?: readonly ServerTool[];
  /** Most tokens the reply may have. */
  maxTokens: number;
  thinking?: ThinkingPlan;
  /** `none`: the tools are listed, and none may be called. */
  toolChoice?: 'none';
  /** Whether the model names the passages of documents that it draws on. */
  citations?: boolean;
}

/** Why a model stopped by itself. */
export type StopReason = Exclude<StepStopReason, 'interrupted' | 'failed'>;

/** What a model's stream says, in order. Deltas are best effort; `part.ended` is canonical. */
export type ModelEvent =
  /** The first one: what the call costs before a word of the reply. */
  | { type: 'started'; usage: Usage }
  | { type: 'text.delta'; text: string }
  | { type: 'thinking.delta'; text: string }
  | { type: 'source.cited'; source: Source }
  | { type: 'tool.requested'; callId: string; name: string; by?: 'provider' }
  | { type: 'tool.args.delta'; callId: string; json: string }
  /** The provider runs a tool of its own; its `tool.requested` came before. */
  | { type: 'server-tool.started'; call: ServerToolCall }
  | { type: 'server-tool.ended'; result: ServerToolResult }
  | { type: 'part.ended'; part: AssistantPart }
  /**
   * The last one. `usage` is the whole call's. Of a refusal, `details` is the provider's word on it
   * and `category` its policy.
   */
  | {
      type: 'ended';
      stopReason: StopReason;
      usage: Usage;
      details?: string;
      category?: string;
    };
