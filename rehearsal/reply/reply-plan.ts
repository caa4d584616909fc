import type { JsonObject } from '../json.js';
import type { AskedFailure, WireErrorEnvelope } from '../http/wire-error.js';
import type { DroppedThinking } from '../thinking/check-thinking.js';
import type { DeltaUsage, WireUsage } from '../usage/prompt-cache.js';

/** A block of the reply, with its pieces. */
export type ReplyBlock =
  /** Pieces that are not shown are counted and not sent. */
  | { type: 'thinking'; deltas: string[]; isShown: boolean; signature: string }
  | { type: 'redacted_thinking'; deltas: string[]; data: string }
  | { type: 'text'; deltas: string[]; citation?: WireCitation }
  | {
      type: 'tool_use' | 'server_tool_use';
      deltas: string[];
      id: string;
      name: string;
      input: JsonObject;
    }
  /** Sent whole: no part of it is output of the model. */
  | { type: 'server_result'; deltas: never[]; result: WireServerResult };

/**
 * The way in which a reply breaks off, after so many text deltas or, with fewer, before its end.
 */
export type BreakOff =
  /** An `error` event, then the connection is closed. */
  | { how: 'error'; failure: AskedFailure; after: number }
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
] as const;
export type WireStopReason = (typeof stopReasons)[number];

export const refusalCategories = [
  'cyber',
  'bio',
  'frontier_llm',
  'reasoning_extraction',
  'general_harms',
] as const;
export type RefusalCategory = (typeof refusalCategories)[number];

export interface WireStop {
  stop_reason: WireStopReason;
  stop_sequence: string | null;
  stop_details: { type: 'refusal'; category: RefusalCategory; explanation: string | null } | null;
}

interface CitedDocument {
  cited_text: string;
  document_index: number;
  document_title: string | null;
  file_id: null;
}

export type WireCitation =
  | (CitedDocument &
      (
        | { type: 'char_location'; start_char_index: number; end_char_index: number }
        | { type: 'page_location'; start_page_number: number; end_page_number: number }
      ))
  | {
      type: 'web_search_result_location';
      cited_text: string;
      encrypted_index: string;
      title: string;
      url: string;
    };

export type WireBlock =
  | { type: 'text'; text: string; citations: WireCitation[] | null }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject; caller: { type: 'direct' } }
  | {
      type: 'server_tool_use';
      id: string;
      name: string;
      input: JsonObject;
      caller: { type: 'direct' };
    }
  | WireServerResult;

/** The result of a server tool. */
export interface WireServerResult {
  type:
    | 'web_search_tool_result'
    | 'web_fetch_tool_result'
    | 'code_execution_tool_result'
    | 'bash_code_execution_tool_result'
    | 'tool_search_tool_result';
  tool_use_id: string;
  content: unknown;
  caller: { type: 'direct' };
}

export type WireDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: WireCitation }
  | { type: 'input_json_delta'; partial_json: string };

export interface WireMessage {
  id: string;
  type: 'message';
  role: 'assistant';
  /** The full id of the model. */
  model: string;
  container: null;
  content: WireBlock[];
  diagnostics: null;
  stop_reason: WireStopReason | null;
  stop_sequence: string | null;
  stop_details: WireStop['stop_details'];
  usage: WireUsage;
  /** With the beta of binding controls only. */
  input_transformations?: DroppedThinking[];
}

export type WireEvent =
  | { type: 'message_start'; message: WireMessage }
  | { type: 'ping' }
  | { type: 'content_block_start'; index: number; content_block: WireBlock }
  | { type: 'content_block_delta'; index: number; delta: WireDelta }
  | { type: 'content_block_stop'; index: number }
  | { type: 'message_delta'; delta: WireStop & { container: null }; usage: DeltaUsage }
  | { type: 'message_stop' }
  | WireErrorEnvelope;
