/** The permission modes, the strictest first. */
export const permissionModes = ['plan', 'dontAsk', 'direct', 'acceptEdits'] as const;

export type PermissionMode = (typeof permissionModes)[number];

/** Rules by tool and argument: `bash(git status*)`, `write(docs/**)`, `read`. */
export interface PermissionRules {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
}

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

/** The gates in their order; a decision names the one that refused, or `ALLOW`. */
export type SubagentGateId =
  | 'ENVIRONMENT'
  | 'PERSONA_ALLOWLIST'
  | 'METADATA_PRESENCE'
  | 'CONTEXT_SEALED'
  | 'PIPELINE_RUN_APPROVED'
  | 'APPROVAL_REF'
  | 'ALLOW'
  | 'INTERNAL_ERROR';

/** What the subagent gates say of a turn. */
export interface SubagentVerdict {
  allowed: boolean;
  gate: SubagentGateId;
  /** For the log, the turn and the client; a denial says what would allow it. */
  reason: string;
  /** Allowed only. */
  approvalRef?: string;
  approvedBy?: string;
}

/** Whether a turn may delegate, and to whom: decided once, where it is accepted, and stored with it. */
export interface SubagentDecision extends SubagentVerdict {
  /** How long the decision took, in ms. */
  evaluationMs: number;
  /** Whom the persona lists. */
  allowlistedSubagents: readonly string[];
  /** Whom this turn may delegate to; nobody where it was denied. */
  delegatedSubagents: readonly string[];
}
