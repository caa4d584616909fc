import type { JsonObject } from '../platform/json.js';

/** The part of the Messages API's reply that the rehearsal produces. */

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

export interface WireStop {
  stop_reason: WireStopReason;
  stop_sequence: string | null;
  stop_details: { type: 'refusal'; category: string | null; explanation: string | null } | null;
}

interface CitedDocument {
  cited_text: string;
  document_index: number;
  document_title: string | null;
  file_id: null;
}

export type WireCitation = CitedDocument &
  (
    | { type: 'char_location'; start_char_index: number; end_char_index: number }
    | { type: 'page_location'; start_page_number: number; end_page_number: number }
  );

export type WireBlock =
  | { type: 'text'; text: string; citations?: WireCitation[] }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject; caller: { type: 'direct' } };

export type WireDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: WireCitation }
  | { type: 'input_json_delta'; partial_json: string };

/** Tokens. Nothing is ever cached here. */
export interface WireUsage {
  input_tokens: number;
  cache_creation_input_tokens: 0;
  cache_read_input_tokens: 0;
  output_tokens: number;
}

export interface WireMessage {
  id: string;
  type: 'message';
  role: 'assistant';
  model: 'rehearsal';
  content: WireBlock[];
  stop_reason: WireStopReason | null;
  stop_sequence: string | null;
  stop_details: WireStop['stop_details'];
  usage: WireUsage;
}

export interface WireErrorEnvelope {
  type: 'error';
  error: { type: string; message: string };
  request_id: string;
}

export type WireEvent =
  | { type: 'message_start'; message: WireMessage }
  | { type: 'ping' }
  | { type: 'content_block_start'; index: number; content_block: WireBlock }
  | { type: 'content_block_delta'; index: number; delta: WireDelta }
  | { type: 'content_block_stop'; index: number }
  | { type: 'message_delta'; delta: WireStop; usage: WireUsage }
  | { type: 'message_stop' }
  | WireErrorEnvelope;
