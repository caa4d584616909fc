import type { JsonObject } from '../../platform/json.js';
import type { AskedFailure } from '../http/wire-error.js';
import type { WireServerResult, WireCitation, WireStop } from './stream-types.js';

/** A block of the reply, with the pieces it is sent in. */
export type ReplyBlock =
  /** Not shown, its pieces are counted and not sent. */
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
  /** Comes whole: nothing of it is the model's output. */
  | { type: 'server_result'; deltas: never[]; result: WireServerResult };

/** How a reply breaks off, after so many text deltas or, if it has fewer, before its end. */
export type BreakOff =
  /** An `error` event, then the connection closes. */
  | { how: 'error'; failure: AskedFailure; after: number }
  /** The connection is gone, without a word. */
  | { how: 'drop'; after: number };

/** All that a reply will be; milliseconds. Nothing in it depends on when it is sent. */
export interface ReplyPlan {
  blocks: ReplyBlock[];
  stop: WireStop;
  /** Before the first text delta. */
  firstMs: number;
  /** Between two text deltas. */
  gapMs: number;
  /** After the first text delta or, without one, before the end. */
  stallMs: number;
  breakOff?: BreakOff;
}
