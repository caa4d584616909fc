import type { PermissionMode, ServerTool, ToolSpec } from './stored-options.js';

/**
 * The reason why later requests leave a turn out: the provider refused the first request with its message, the model
 * declined to answer it, or another turn took its place.
 */
export type LeftOut = 'refused' | 'too-long' | 'declined' | 'superseded';

/** A skill as it was announced to the model. */
export interface AnnouncedSkill {
  name: string;
  description: string;
  /** The version of its file. */
  digest: string;
  /** Rules of the only calls that a turn may make once it has loaded the skill. Absent: any. */
  allowedTools?: readonly string[];
}

/** What an MCP server says of the use of its tools. */
export interface AnnouncedServer {
  name: string;
  instructions: string;
}

/** Changes of the tools of MCP servers since a prefix was made, as the model was told of them. */
export interface ToldMcp {
  /** Tools that were not listed when the prefix was made. */
  fresh: readonly string[];
  /** Tools with another definition than the one that was sent, and the hash of the new one. */
  changed: readonly { name: string; digest: string }[];
  /** Tools of the prefix that their servers list no longer. */
  gone: readonly string[];
}

/**
 * A session as one notice describes it, or as several do together: of each thing the last word counts. An absent field
 * was not mentioned.
 */
export interface AnnouncedChanges {
  mode?: PermissionMode;
  /** The tools that are off; empty: every tool is on. */
  off?: readonly string[];
  /** Skills that are new, are back or have changed. */
  skills?: readonly AnnouncedSkill[];
  /** Names of skills that are gone. */
  goneSkills?: readonly string[];
  servers?: readonly AnnouncedServer[];
  /** `fresh` has the tools that are back, too. */
  mcp?: ToldMcp;
}

/** The constant beginning of a session's requests, byte for byte, until it must change. */
export interface RequestPrefix {
  system: string;
  tools: ToolSpec[];
  /** Tools that the provider runs; absent: none. */
  serverTools?: readonly ServerTool[];
  /** The permission mode that `system` names. */
  mode: PermissionMode;
  /** The skills that `system` lists; absent: none. */
  skills?: readonly AnnouncedSkill[];
  /** The MCP servers whose instructions `system` has; absent: none. */
  servers?: readonly AnnouncedServer[];
  /** Names of all tools that MCP servers listed when the prefix was made; absent: those in `tools`. */
  mcpTools?: readonly string[];
  /** The MCP servers of which `system` says that a search finds their tools; absent: none. */
  searched?: readonly string[];
  /** Whether a turn of the session has waited for people, as another may: the cache is to last longer. Absent: no. */
  waits?: true;
  /** The compaction after which the prefix was made or kept; absent: none. */
  compaction?: string;
  /**
   * The state announced to the model since: the mode in force, the tools switched off, the skills and the
   * instructions of MCP servers; absent: none.
   */
  told: {
    mode: PermissionMode;
    off: string[];
    skills?: readonly AnnouncedSkill[];
    servers?: readonly AnnouncedServer[];
    /** Absent: the tools of MCP servers are as they were. */
    mcp?: ToldMcp;
  };
  /**
   * Last step, as `turnId:step`, that is sent without its thinking: the provider refused that
   * thinking.
   */
  thinkingAfter?: string;
  /**
   * What is left out of the session's requests, because the provider refused it and took the request
   * without: see `left-out-content.ts`. Absent: nothing.
   */
  leftOut?: readonly string[];
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

/** The parts of a request whose change makes the provider's cache useless from there on. */
export const cacheBreaks = ['tools', 'system', 'messages'] as const;
export type CacheBreak = (typeof cacheBreaks)[number];
