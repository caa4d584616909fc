import type { PermissionRules } from './permission-rules.js';

/** Whose rules a call must pass: one layer for each agent in the line of delegation. */
export interface PermissionLayer {
  /** The agent's, for the reason of a decision. */
  name?: string;
  mode: string;
  /** Tools its turn named itself. */
  named: readonly string[];
  agent: PermissionRules;
}

/** What a subagent may do by its parent's leave. Its own rules come on top. */
export interface InheritedPermissions {
  /** The session of the turn that a client sent: what is approved for it counts here too. */
  sessionId: string;
  /** Names of the tools its parent has: it has no others. */
  tools: readonly string[];
  /** Of the turns above it, the first first. */
  layers: readonly PermissionLayer[];
}
