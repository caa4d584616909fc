import type { JsonObject } from '../../platform/json.js';
import type { AskedFailure } from '../http/wire-error.js';
import type { WireServerResult, WireCitation, WireStop } from './stream-types.js';

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
