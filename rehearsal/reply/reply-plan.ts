import type Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '../json.js';
import type { FailureReply, WireErrorEnvelope } from '../http/wire-error.js';
import type { DroppedThinking } from '../thinking/check-thinking.js';

/** A block of the reply, with its pieces. */
export type ReplyBlock =
  /** Pieces that are not shown are counted and not sent. */
  | { type: 'thinking'; deltas: string[]; isShown: boolean; signature: string }
  | { type: 'redacted_thinking'; deltas: string[]; data: string }
  | { type: 'text'; deltas: string[]; citation?: Anthropic.TextCitation }
  | { type: 'tool_use'; deltas: string[]; id: string; name: string; input: JsonObject }
  | { type: 'server_tool_use'; deltas: string[]; id: string; name: ServerTool; input: JsonObject }
  /** Sent whole: no part of it is output of the model. */
  | { type: 'server_result'; deltas: never[]; result: ServerToolResult };

/**
 * The way in which a reply breaks off, after so many text deltas or, with fewer, before its end.
 */
export type BreakOff =
  /** An `error` event, then the connection is closed. */
  | { how: 'error'; failure: FailureReply; after: number }
  /** The connection is destroyed. */
  | { how: 'drop'; after: number };

/** A whole reply, independent of when it is sent. Times are in milliseconds. */
export interface ReplyPlan {
  blocks: ReplyBlock[];
  stop: WireStop;
  /** The pause before the first text delta. */
  firstMs: number;
  /** The pause between two text deltas. */
  gapMs: number;
  /** The pause after the first text delta or, without one, before the end. */
  stallMs: number;
  breakOff?: BreakOff;
}

export const stopReasons = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const satisfies readonly Anthropic.StopReason[];

export const refusalCategories = [
  'cyber',
  'bio',
  'frontier_llm',
  'reasoning_extraction',
  'general_harms',
] as const satisfies readonly Anthropic.RefusalStopDetails['category'][];
export type RefusalCategory = (typeof refusalCategories)[number];

/** The end of a reply. */
export type WireStop = Pick<Anthropic.Message, 'stop_reason' | 'stop_sequence' | 'stop_details'>;

/** Tools that the API runs by itself. */
export const serverTools = [
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'tool_search_tool_bm25',
  'tool_search_tool_regex',
] as const satisfies readonly Anthropic.ServerToolUseBlock['name'][];
export type ServerTool = (typeof serverTools)[number];

/** The result of such a tool. */
export type ServerToolResult =
  | Anthropic.WebSearchToolResultBlock
  | Anthropic.WebFetchToolResultBlock
  | Anthropic.CodeExecutionToolResultBlock
  | Anthropic.BashCodeExecutionToolResultBlock
  | Anthropic.ToolSearchToolResultBlock;

export interface WireMessage extends Anthropic.Message {
  /** With the beta of binding controls only. */
  input_transformations?: DroppedThinking[];
}

export type WireEvent = Anthropic.RawMessageStreamEvent | { type: 'ping' } | WireErrorEnvelope;
