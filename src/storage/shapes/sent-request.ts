import type { PermissionMode } from './stored-permissions.js';
import type { ServerTool, ToolSpec } from './stored-tools.js';

/**
 * The reason why later requests leave a turn out: the provider refused its first request, or another
 * turn took its place.
 */
export type LeftOut = 'refused' | 'too-long' | 'superseded';

/** The constant beginning of a session's requests, byte for byte, until it must change. */
export interface RequestPrefix {
  system: string;
  tools: ToolSpec[];
  /** Tools that the provider runs; absent: none. */
  serverTools?: readonly ServerTool[];
  /** The permission mode that `system` names. */
  mode: PermissionMode;
  /** The state announced to the model since: the mode in force, and the tools switched off. */
  told: { mode: PermissionMode; off: string[] };
  /**
   * Last step, as `turnId:step`, that is sent without its thinking: the provider refused that
   * thinking.
   */
  thinkingAfter?: string;
}

/**
 * The request that a step's thinking is bound to: the provider accepts the thinking after it alone.
 */
export interface SentPrefix {
  /** Hash of system prompt, tools and messages, without thinking. */
  hash: string;
  /** The first step whose thinking was sent, as `turnId:step`; null: none. */
  thinkingFrom: string | null;
}
