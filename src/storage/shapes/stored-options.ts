import type { JsonObject } from '../../platform/json.js';
import type { AgentConfig, CostLimit } from './stored-limits.js';
import type { PermissionMode } from './stored-permissions.js';
import type { ThinkingChoice } from './stored-thinking.js';

export const busyPolicies = ['reject', 'enqueue', 'interrupt', 'steer'] as const;

/** What becomes of a turn whose session has an active one. */
export type OnBusy = (typeof busyPolicies)[number];

export type OnDisconnect = 'cancel' | 'continue';

/** A `background` turn waits until no other does. */
export type Priority = 'normal' | 'background';

/** Files as the model reads them by itself, or as the text in them. */
export type AttachmentsAs = 'native' | 'text';

/** A tool that whoever sends the turn runs: the server asks for its output. */
export interface ClientTool {
  name: string;
  description: string;
  /** JSON Schema; its root has `type: object`. */
  inputSchema: JsonObject;
}

/** What a turn's subagents run with. */
export interface SubagentTerms {
  /** Of an agent whose file names none. Absent: its parent's. */
  model?: string;
  /** The longest that one may take. Absent: as long as its parent may. */
  timeoutSeconds?: number;
}

/** What a turn runs with. Resolved once and stored with it; nothing later reads a default. */
export interface ResolvedOptions {
  model: string;
  /** Goes on with the turn where `model` is overloaded, not found or declines. Absent: none does. */
  fallbackModel?: string;
  /** The model that did not answer, once the turn goes on with `fallbackModel`. */
  fallbackFrom?: string;
  /** The first step of `fallbackModel`; the provider's cache has nothing of what came before for it. */
  fallbackStep?: number;
  /** Names of the tools the turn may use; an empty list means none. */
  tools: string[];
  /** Most model calls of the turn, from 1. */
  maxTurns: number;
  persona: string;
  mode: PermissionMode;
  /** Whether the turn is cancelled or goes on when its last reader leaves. */
  onDisconnect: OnDisconnect;
  /** What became of it while its session had an active turn. */
  onBusy: OnBusy;
  priority: Priority;
  /** Most tokens of one reply. Absent: what the server is set to. */
  maxTokens?: number;
  /** Whether the model thinks before it answers; or how much, and whether that is shown. */
  thinking: ThinkingChoice;
  /** Whether the model names the passages of files that it draws on. */
  citations: boolean;
  attachmentsAs: AttachmentsAs;
  /** Tools that whoever sent the turn runs. Absent: none. */
  clientTools?: ClientTool[];
  /** Absent: no limit of cost. */
  costLimit?: CostLimit;
  /** Most files of a message, and results of a search, that are shown at once. Absent: the server’s. */
  contextNodes?: number;
  /** Of the agents it delegates to. Absent: what the turn itself has. */
  subagents?: SubagentTerms;
  /** Limits of the turn; `maxIterations` is `maxTurns`. */
  agentConfig: AgentConfig;
  /** Of the persona. Absent: `default`. */
  decisionTree?: string;
  /**
   * As the client gave it but for what cannot be stored, unchecked: the subagent gate judges it.
   * Absent when not given.
   */
  subagentGovernance?: unknown;
}

/** A turn's options with the tier that each came from. */
export interface OptionResolution {
  options: ResolvedOptions;
  provenance: Record<
    Exclude<
      keyof ResolvedOptions,
      | 'agentConfig'
      | 'decisionTree'
      | 'costLimit'
      | 'clientTools'
      | 'fallbackFrom'
      | 'fallbackStep'
      | 'contextNodes'
      | 'subagents'
    >,
    Provenance
  > & {
    agentConfig: Record<keyof AgentConfig, Provenance>;
  };
  /** What was ignored, sorted by key. */
  problems: OptionProblem[];
  /** What is to be said of the model. Absent: nothing. */
  modelNotices?: ModelNotice[];
}

/** Which tier a value came from; `instructions` is the project's AGENTS.md. */
export type Provenance =
  | 'opts'
  | 'session'
  | 'persona'
  | 'user'
  | 'environment'
  | 'instructions'
  /** The model it was resolved to did not answer. */
  | 'fallback'
  | 'default';

/** Something of a request's options that was not taken. */
export type OptionProblem =
  | { kind: 'not-an-object' }
  | { kind: 'unknown'; key: string }
  /** Unknown keys that are not named one by one. */
  | { kind: 'more-unknown'; count: number }
  /** Taken as it should be, and nothing here goes by it. */
  | { kind: 'without-effect'; key: string; reason: string }
  /** A permission mode that is none, or more than the turn may have. */
  | {
      kind: 'held-mode';
      key: 'mode';
      given: string;
      using: string;
      from: Provenance;
      reason: string;
    }
  | { kind: 'invalid'; key: string; expected: string; using: unknown; from: Provenance };

/** What clients are told of the model that was named. */
export interface ModelNotice {
  kind: 'model-changed' | 'model-deprecated' | 'model-not-described';
  text: string;
  metadata: Record<string, string>;
}
