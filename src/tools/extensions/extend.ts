import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import type { AgentState, AgentStateChange } from '../../governance/decision-tree/agent-state.js';
import type {
  Continuation,
  DecisionTree,
  ToolResult,
} from '../../governance/decision-tree/decision-trees.js';
import type { NoticeLevel, TriggerFacts } from '../../governance/notices/trigger.js';
import type { AuthenticatorHead } from '../../access/authenticator-head.js';
import type { JsonObject } from '../../platform/json.js';
import type { ToolEffect } from '../../governance/permission-subject.js';
import type { RetryClass, ToolDefinition } from '../tool.js';

export type {
  AgentConfig,
  AgentState,
  AgentStateChange,
  AuthenticatorHead,
  Continuation,
  DecisionTree,
  TriggerFacts as Facts,
  JsonObject,
  NoticeLevel,
  RetryClass,
  ToolEffect,
  ToolResult,
};

/** A run of an extension's tool. */
export interface ExtensionCall {
  /** The model's id of the call. */
  callId: string;
  /** Key of the call for idempotent services: equal in every run of this call, and unique to it. */
  idempotencyKey: string;
  /** Absolute path of the project that the turn works in. */
  workdir: string;
  /** Whose turn it is: the id of its principal. */
  principal: string;
  sessionId: string;
  turnId: string;
  /** The agent of the turn. */
  agent: string;
  /** Aborts when the turn ends early or the call's time is over: stop, and reject with its reason. */
  signal: AbortSignal;
  /** Sets a note on what a long call is doing, in a few words; the first is shown at once, then one a second at most. */
  progress(note: string): void;
}

export interface ExtensionTool {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`, unique among tools, and not beginning with `mcp__`. */
  name: string;
  /** For the model: what it does, and when to use it. */
  description: string;
  /** JSON Schema (2020-12, or draft-07 where `$schema` says so); its root has `type: object`. */
  inputSchema: JsonObject;
  /** The effect of a call, which decides permissions and parallelism. Default: `command`, anything. */
  effect?: ToolEffect;
  /** Whether a call whose outcome was lost may run again. Default: `never`. */
  retry?: RetryClass;
  /** The argument that rules as `name(pattern)` match. Default: rules name the whole tool. */
  permissionArgument?: ToolDefinition['permissionArgument'];
  /** Milliseconds after which the call's signal aborts and the call has failed. Default: `TURNPIKE_TOOL_TIMEOUT_MS`. */
  timeoutMs?: number;
  /**
   * Runs a call whose input fits the schema. @returns text for the model, which clients see too, or texts and files in
   * their order: pictures and PDFs are shown to the model.
   * @throws `turnpike.ToolFailure` with a text for the model; any other error is logged, and the
   *   model reads its message without paths.
   */
  run(input: JsonObject, call: ExtensionCall): ExtensionOutput | Promise<ExtensionOutput>;
}

export type ExtensionOutput =
  | string
  | readonly (
      | { type: 'text'; text: string }
      /** `data` is bytes, or base64. The type of a file is found by its bytes. */
      | { type: 'file'; data: Uint8Array | string; name?: string }
    )[];

/** A notice of a trigger. */
export interface ExtensionNotice {
  /** Key of the notice: the trigger posts each mark once a turn. Default: `once`. */
  mark?: string;
  /** The text; the model gets it as a system message. Not blank. */
  text: string;
  /** JSON for clients. */
  metadata?: JsonObject;
  /** Whether the model sees the notice, or only clients. Default: true. */
  seenByModel?: boolean;
}

export interface ExtensionTrigger {
  /** 1 to 64 of `a-z 0-9 -`, unique among triggers; also the kind of its notices. */
  id: string;
  /** Order of triggers and their notices, lower first. Default: 100, after the built-in triggers. */
  priority?: number;
  /** When it is checked: before a turn's first model call, before later calls. Default: both. */
  levels?: readonly NoticeLevel[];
  /** The notices that are due now. A pure function of the facts, without I/O. */
  check(facts: TriggerFacts): readonly ExtensionNotice[];
}

/**
 * Makes the decision tree of one attempt at a turn.
 *
 * @param config the turn's limits. @param standard the `default` tree, which the new tree may consult.
 */
export type MakeDecisionTree = (
  config: Readonly<AgentConfig>,
  standard: DecisionTree,
) => DecisionTree;

/** A caller that an authenticator found. */
export interface ExtensionCaller {
  /** The caller's own id, which never changes: at most 150 characters, none of them blank. Its things belong to `name:principal`. */
  principal: string;
  /** Default: `turns` and `approvals`. */
  scopes?: readonly ('turns' | 'approvals' | 'admin' | 'metrics')[];
  /** Limits in place of the server's; 0: no limit. */
  limits?: {
    requestsPerMinute?: number;
    /** Turns that have not ended. */
    concurrentTurns?: number;
    /** Of a day, in UTC. */
    tokensPerDay?: number;
    /** Of a day, in UTC. */
    usdPerDay?: number;
  };
  /** Roles in which it may decide about calls of others. Default: none. */
  approves?: readonly string[];
  /** Agents that it may use. Default: all. */
  agents?: readonly string[];
  /** When it has to be found again, in ms since the epoch: open streams end then. Default: never. */
  expiresAt?: number;
  /**
   * When the person logged in, in ms since the epoch. Once the access of a person is ended, somebody who logged in before
   * is refused. Default: 0, which keeps such a person out for ever.
   */
  issuedAt?: number;
}

/**
 * Finds the caller of a request by its head, within 2 seconds.
 *
 * @returns undefined: the request is none of its own, and the next authenticator is asked.
 * @throws anything: the request is refused with 401, and the log has the error.
 */
export type Authenticate = (
  head: AuthenticatorHead,
) => ExtensionCaller | undefined | Promise<ExtensionCaller | undefined>;

/** The server's interface for an extension, passed to it once, while the server starts. */
export interface Turnpike {
  /** Version of this interface: raised by changes that break extensions. */
  readonly version: 1;
  /**
   * Adds a decision tree that agents choose with `decision_tree`.
   *
   * @param name 1 to 64 of `a-z 0-9 _ -`.
   * @throws Error when the name is taken or a shape is wrong, as the other methods do; it ends the start.
   */
  addDecisionTree(name: string, make: MakeDecisionTree): void;
  /** Adds a trigger for every turn. */
  addTrigger(trigger: ExtensionTrigger): void;
  /**
   * Adds a way to find callers, which is asked about each request without an API key, and without a token of an issuer
   * in `TURNPIKE_AUTH_FILE`. From then on, every request needs a credential.
   *
   * @param name 1 to 32 of `a-z 0-9 -`, a letter first; the principals of its callers begin with it.
   */
  addAuthenticator(name: string, authenticate: Authenticate): void;
  /** Adds a tool that agents and turns may list under `tools`. */
  addTool(tool: ExtensionTool): void;
  /** Copies a state with some fields changed; a tree keeps its own data in `extensions`. */
  changeState(state: AgentState, change: AgentStateChange): AgentState;
  /** A tool's failure whose message is written for the model and passed on as it is. */
  readonly ToolFailure: new (message: string) => Error;
}

/** The default export of an extension's module. */
export type Extension = (turnpike: Turnpike) => void | Promise<void>;

/** Returns the extension unchanged, for its types. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}
