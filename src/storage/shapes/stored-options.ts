import type { JsonObject } from '../../platform/json.js';
import type { AgentConfig, CostLimit } from './stored-limits.js';
import type { PermissionMode } from './stored-permissions.js';
import type { ThinkingChoice } from './stored-thinking.js';

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
  /** The model that failed, once the turn continues with `fallbackModel`. */
  fallbackFrom?: string;
  /**
   * The first step of `fallbackModel`, for which the provider's cache has nothing of earlier steps.
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
  /** Whether the turn has a memory. Absent, in turns from before there was any: no. */
  memory?: boolean;
  attachmentsAs: AttachmentsAs;
  /** Tools that the turn's client runs. Absent: none. */
  clientTools?: ClientTool[];
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

/** A turn's options with the tier that each came from. */
export interface OptionResolution {
  options: ResolvedOptions;
  provenance: OptionProvenance;
  /** Ignored parts of the request, sorted by key. */
  problems: OptionProblem[];
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
    | 'skills'
    | 'fallbackFrom'
    | 'fallbackStep'
    | 'contextNodes'
    | 'subagents'
    | 'memory'
  >,
  Provenance
> & {
  /** Absent in turns from before there was any. */
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
