/** The permission modes, the strictest first. */
export const permissionModes = ['plan', 'dontAsk', 'direct', 'acceptEdits'] as const;

export type PermissionMode = (typeof permissionModes)[number];

/** Rules by tool and argument: `bash(git status*)`, `write(docs/**)`, `read`. */
export interface PermissionRules {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
}

/** Rules that a call must pass: a layer for each agent in the chain of delegation. */
export interface PermissionLayer {
  /** The agent's name, for the reason of a decision. */
  name?: string;
  mode: string;
  /** Tools that the turn itself named. */
  named: readonly string[];
  agent: PermissionRules;
  /** Loaded skills that allow some calls alone. Absent: none. */
  narrowing?: readonly NarrowingSkill[];
}

/** A skill that was loaded, with the rules of the calls that it allows: each call must fit one. */
export interface NarrowingSkill {
  name: string;
  allowed: readonly string[];
}

/** Permissions that a subagent inherits from its parent. Its own rules are added. */
export interface InheritedPermissions {
  /**
   * Session of the turn that a client sent: approvals for that session apply to the subagent too.
   */
  sessionId: string;
  /** Names of the parent's tools: the subagent has no others. */
  tools: readonly string[];
  /** Layers of the turns above, the outermost first. */
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

/** The verdict of the subagent gates on a turn. */
export interface SubagentVerdict {
  allowed: boolean;
  gate: SubagentGateId;
  /** Reason for the log, the turn and the client; a denial says how to allow delegation. */
  reason: string;
  /** Only with `allowed`. */
  approvalRef?: string;
  approvedBy?: string;
}

/**
 * Whether a turn may delegate, and to which agents: decided once, at acceptance, and stored with
 * the turn.
 */
export interface SubagentDecision extends SubagentVerdict {
  /** Duration of the decision, in ms. */
  evaluationMs: number;
  /** Agents that the persona lists. */
  allowlistedSubagents: readonly string[];
  /** Agents that this turn may delegate to; none where delegation was denied. */
  delegatedSubagents: readonly string[];
}
