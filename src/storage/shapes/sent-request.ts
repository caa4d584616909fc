import type { PermissionMode } from './stored-permissions.js';
import type { ServerTool, ToolSpec } from './stored-tools.js';

/** The provider refused the turn's first request: whatever else is sent, not that again. */
export type LeftOut = 'refused' | 'too-long';

/** What the requests of a session begin with, byte for byte, until it has to change. */
export interface RequestPrefix {
  system: string;
  tools: ToolSpec[];
  /** Those that the provider runs; absent: none. */
  serverTools?: readonly ServerTool[];
  /** The permission mode that `system` names. */
  mode: PermissionMode;
  /** What the model was told since: the mode that holds, and the tools that are off. */
  told: { mode: PermissionMode; off: string[] };
  /** Steps up to this one, `turnId:step`, are sent without their thinking: the provider refused it. */
  thinkingAfter?: string;
}

/** What a step's thinking was made after: the provider takes it back only there. */
export interface SentPrefix {
  /** Of system prompt, tools and messages, thinking aside. */
  hash: string;
  /** The first step whose thinking was sent, `turnId:step`; null: none was. */
  thinkingFrom: string | null;
}
