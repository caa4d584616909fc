import type { Source } from '../../../events/face.js';
import type { JsonObject } from '../../../platform/face.js';
import type { Problem } from './problem-details.js';

/**
 * What named agents send (contract: holodeck, seed). The API's document has the names of three types, as clients
 * know them: `HolodeckFrames`, `HolodeckSource` and `HolodeckNotice`.
 */

/** Ids (ULIDs) that every event of a stream has. */
export interface AgentAnswerIds {
  sessionId: string;
  messageId: string;
}

export interface TokensUsed {
  /** Cached input is input. */
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface HolodeckNotice {
  kind: string;
  text: string;
  metadata?: Record<string, unknown> | undefined;
}

/** A source that the agent cited. Undefined fields are left out. */
export interface HolodeckSource {
  type: string;
  title: string;
  url?: string | undefined;
  cited_text?: string | undefined;
  location?: Source['location'];
}

/** Fields at the end of a turn that answered. All but the first two are this server's own. */
export interface AgentAnswerEnd {
  /** Null: the provider reported none. */
  tokens_used: TokensUsed | null;
  execution_time_ms: number;
  /** The whole answer, whatever the deltas had. */
  content: string;
  /** The object of an agent whose answers are to end with one. */
  output?: JsonObject;
  /** Cited sources; left out where nothing was cited. */
  sources?: HolodeckSource[];
  /** The limit that ended the turn. */
  limit?: { reason: string; message: string };
  /** Notices of the turn, also those on files that were not taken. */
  notices?: readonly HolodeckNotice[];
}

/** An event of a stream: its name, and its data. */
export type AgentFrame =
  | { event: 'stream_start'; data: { session_id: string; message_id: string } }
  | { event: 'message_delta'; data: { delta: string; message_id: string } }
  /** Every delta before this event is void: the answer now begins with `content`. */
  | { event: 'message_reset'; data: { message_id: string; content: string } }
  | { event: 'tool_call_start'; data: { tool_call_id: string; name: string; message_id: string } }
  | { event: 'tool_call_args'; data: { tool_call_id: string; args_delta: string } }
  | { event: 'tool_call_end'; data: { tool_call_id: string; status: 'success' | 'error' } }
  | { event: 'stream_end'; data: { message_id: string } & AgentAnswerEnd }
  | { event: 'error'; data: Problem };

/** Event name → its data. */
export type HolodeckFrames = { [E in AgentFrame as E['event']]: E['data'] };
