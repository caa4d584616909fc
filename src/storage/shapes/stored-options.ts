import type { JsonObject } from '../../platform/json.js';

export const busyPolicies = ['reject', 'enqueue', 'interrupt', 'steer'] as const;

/** The policy for a turn whose session has an active turn. */
export type OnBusy = (typeof busyPolicies)[number];

export type OnDisconnect = 'cancel' | 'continue';

/** A `background` turn is claimed when no `normal` turn is queued. */
export type Priority = 'normal' | 'background';

/** Files for the model: in their own format, or as extracted text. */
export type AttachmentsAs = 'native' | 'text';

/** A tool that the turn's client runs: the server asks the client for its output. */
export interface ClientTool {
  name: string;
  description: string;
  /** JSON Schema; its root has `type: object`. */
  inputSchema: JsonObject;
}

/** The object that a turn is to end with. */
export interface OutputTerms {
  /** JSON Schema; its root has `type: object`. */
  schema: JsonObject;
  /** Replies that the model may write anew because they did not match, from 0. */
  repairs: number;
}

/** Options of a turn's subagents. */
export interface SubagentTerms {
  /** Model of agents whose file names none. Absent: the parent's. */
  model?: string;
  /** Longest time of a subagent, in seconds. Absent: the parent's. */
  timeoutSeconds?: number;
}

/**
 * A turn's resolved options: resolved once and stored with the turn, so that nothing later uses a
 * default.
 */
export interface ResolvedOptions {
  model: string;
  /**
   * The model that continues the turn when `model` is overloaded, not found or declines. Absent:
   * none.
   */
  fallbackModel?: string;
  /** The models after it, in their order. Absent: none. */
  fallbackModels?: string[];
  /** The turn's own model, once the turn continues with another. */
  fallbackFrom?: string;
  /**
   * The first step of the model that it continues with, for which the provider's cache has nothing of earlier steps.
   */
  fallbackStep?: number;
  /** Names of the tools that the turn may use; an empty list means none. */
  tools: string[];
  /** Names of the skills that the turn may have. Absent: all of its agent. */
  skills?: string[];
  /** Most model calls of the turn, from 1. */
  maxTurns: number;
  persona: string;
  mode: PermissionMode;
  /** Whether the turn is cancelled or continues when its last reader leaves. */
  onDisconnect: OnDisconnect;
  /** The policy that applied while the session had an active turn. */
  onBusy: OnBusy;
  priority: Priority;
  /** Most tokens of a reply. Absent: the server's config. */
  maxTokens?: number;
  /** Whether the model thinks before it answers; or the effort, and whether thinking is shown. */
  thinking: ThinkingChoice;
  /** Whether the model cites the passages of files that it uses. */
  citations: boolean;
  /** Whether the turn has a memory. Absent: no. */
  memory?: boolean;
  attachmentsAs: AttachmentsAs;
  /** Tools that the turn's client runs. Absent: none. */
  clientTools?: ClientTool[];
  /** The prompt of an MCP server that the message gets the text of. Absent: none. */
  prompt?: PromptChoice;
  /** The object that the turn is to end with. Absent: it ends with text. */
  output?: OutputTerms;
  /** Absent: no cost limit. */
  costLimit?: CostLimit;
  /**
   * Most files of a message, and results of a search, that are shown at once. Absent: the server's
   * config.
   */
  contextNodes?: number;
  /** Options of subagents. Absent: the turn's own. */
  subagents?: SubagentTerms;
  /** Limits of the turn; `maxIterations` is `maxTurns`. */
  agentConfig: AgentConfig;
  /** Decision tree of the persona. Absent: `default`. */
  decisionTree?: string;
  /**
   * The client's value, storable and otherwise unchecked, for the subagent gate. Absent when not
   * given.
   */
  subagentGovernance?: unknown;
}

/** The models that go on where the turn's own does not answer, in their order. */
export function fallbacksOf({
  fallbackModel,
  fallbackModels = [],
}: Pick<ResolvedOptions, 'fallbackModel' | 'fallbackModels'>): string[] {
  return fallbackModel === undefined ? fallbackModels : [fallbackModel, ...fallbackModels];
}

/** A prompt of an MCP server, with its arguments. */
export interface PromptChoice {
  server: string;
  name: string;
  /** Absent: none. */
  arguments?: Readonly<Record<string, string>>;
}

/** A turn's options with the tier that each came from. */
export interface OptionResolution {
  options: ResolvedOptions;
  provenance: OptionProvenance;
  /** Ignored parts of the request, sorted by key. */
  problems: OptionProblem[];
  /** Version of the agent: see `Persona.version`. Absent: its file could not be read, or an earlier release stored it. */
  agentVersion?: string;
  /** Notices about the model. Absent: none. */
  modelNotices?: ModelNotice[];
}

/** The tier that each option came from. */
export type OptionProvenance = Record<
  Exclude<
    keyof ResolvedOptions,
    | 'agentConfig'
    | 'decisionTree'
    | 'costLimit'
    | 'clientTools'
    | 'prompt'
    | 'skills'
    | 'fallbackFrom'
    | 'fallbackStep'
    | 'contextNodes'
    | 'subagents'
    | 'memory'
  >,
  Provenance
> & {
  /** Absent where `memory` is. */
  memory?: Provenance;
  agentConfig: Record<keyof AgentConfig, Provenance>;
};

/** The tier of a value; `instructions` is the project's AGENTS.md. */
export type Provenance =
  | 'opts'
  | 'session'
  | 'persona'
  | 'user'
  | 'environment'
  | 'instructions'
  /** The model that the name resolved to did not answer. */
  | 'fallback'
  | 'default';

/** A part of a request's options that was not used. */
export type OptionProblem =
  | { kind: 'not-an-object' }
  | { kind: 'unknown'; key: string }
  /** Unknown keys that are not named one by one. */
  | { kind: 'more-unknown'; count: number }
  /** A valid option that has no effect on this wire or model. */
  | { kind: 'without-effect'; key: string; reason: string }
  /** A permission mode that is unknown, or above the turn's bounds. */
  | {
      kind: 'held-mode';
      key: 'mode';
      given: string;
      using: string;
      from: Provenance;
      reason: string;
    }
  | { kind: 'invalid'; key: string; expected: string; using: unknown; from: Provenance };

/** A notice to clients about the named model. */
export interface ModelNotice {
  kind: 'model-changed' | 'model-deprecated' | 'model-not-described';
  text: string;
  metadata: Record<string, string>;
}

/** Limits of an agent's turn. Wires use the same names in snake_case. */
export interface AgentConfig {
  maxIterations: number;
  softWarningPercent: number;
  tokenBudget: number;
  tokenWarningPercent: number;
  timeoutSeconds: number;
  maxToolCallsPerTurn: number;
  maxParallelTools: number;
}

/** Daily limits of a principal, in UTC; 0: no limit. */
export interface DayLimits {
  tokensPerDay: number;
  usdPerDay: number;
}

/** Price of a model, in US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Writes to the provider's cache for five minutes. Absent: 1.25 times the input. */
  cacheWrite5m?: number;
  /** Writes to the provider's cache for an hour. Absent: twice the input. */
  cacheWrite1h?: number;
  /** Reads of the provider's cache. Absent: a tenth of the input. */
  cacheRead?: number;
  /** A thousand web searches by the provider. Absent: `WEB_SEARCHES`. */
  webSearches?: number;
  /** Price of a whole call with a prompt of more than `above` tokens. */
  longPrompt?: Omit<Price, 'longPrompt'> & { above: number };
}

/** A turn's cost limit, with the price that it is counted by. */
export interface CostLimit {
  usd: number;
  price: Price;
}

/** The permission modes, the strictest first. */
/** Whose files of a project a session takes. */
export const projectFilesKinds = ['claude'] as const;
export type ProjectFilesKind = (typeof projectFilesKinds)[number];

export const permissionModes = ['plan', 'dontAsk', 'direct', 'acceptEdits'] as const;

export type PermissionMode = (typeof permissionModes)[number];

/** Who decides about a call: so many people with one of the roles. */
export interface Quorum {
  /** Roles of approvers; each person has one of them. */
  by: readonly string[];
  /** How many people approve. */
  count: number;
  /** Whether the person whose turn asks does not count. */
  notRequester: boolean;
}

/** A rule of `ask` that says who decides, in place of the person whose turn asks. */
export interface ApproverRule extends Quorum {
  /** As the other rules: `bash(git push*)`. */
  rule: string;
}

export type AskRule = string | ApproverRule;

/** Rules by tool and argument: `bash(git status*)`, `write(docs/**)`, `read`. */
export interface PermissionRules {
  allow?: readonly string[];
  ask?: readonly AskRule[];
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

/** Effort of a model's thinking and writing, from least to most. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof efforts)[number];

/** Thinking that a turn asks for: on or off, or its effort and display. */
export type ThinkingChoice = boolean | { effort?: Effort; display?: ThinkingDisplay };

export type ThinkingDisplay = 'summarized' | 'omitted';

/** A tool as described to a model. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the input; its root is an object. */
  inputSchema: JsonObject;
  /** The provider's own definition, by its type: it is sent in place of description and schema. Absent: ours is. */
  definedAs?: 'memory_20250818';
  /** The model gets the definition once a search finds it. Absent: with every request. */
  deferred?: true;
}

/** The tools that the provider runs itself, as models and agents call them. */
export const serverToolNames = ['web_search', 'web_fetch', 'code_execution'] as const;

export type ServerToolName = (typeof serverToolNames)[number];

/** A tool of the provider that agents of this server may use. */
export interface ServerTool {
  name: ServerToolName;
  /** Most uses in one model call; absent: the provider's default. */
  maxUses?: number;
}
