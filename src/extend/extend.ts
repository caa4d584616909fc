import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import type { AgentState, AgentStateChange } from '../governance/decision-tree/agent-state.js';
import type {
  Continuation,
  DecisionTree,
  ToolResult,
} from '../governance/decision-tree/decision-tree.js';
import type { NoticeLevel } from '../notices/notice.js';
import type { Facts } from '../notices/trigger.js';
import type { JsonObject } from '../platform/json.js';
import type { RetryClass, ToolDefinition, ToolEffect } from '../tools/tool.js';

export type {
  AgentConfig,
  AgentState,
  AgentStateChange,
  Continuation,
  DecisionTree,
  Facts,
  JsonObject,
  NoticeLevel,
  RetryClass,
  ToolEffect,
  ToolResult,
};

/** One run of an extension's tool. */
export interface ExtensionCall {
  /** The model's id of the call. */
  callId: string;
  /** The same in every run of this call, and of no other call of any turn. */
  idempotencyKey: string;
  /** Absolute path of the project that the turn works in. */
  workdir: string;
  /** Aborts when the turn ends early or the call's time is over: stop, and reject with its reason. */
  signal: AbortSignal;
  /** Says what a long call is doing now, in a few words; shown at most every few seconds. */
  progress(note: string): void;
}

export interface ExtensionTool {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`; not of a tool that is there, and not beginning with `mcp__`. */
  name: string;
  /** For the model: what it does, and when to use it. */
  description: string;
  /** JSON Schema (2020-12, or draft-07 where `$schema` says so); its root has `type: object`. */
  inputSchema: JsonObject;
  /** What a call may do; permissions and the order of calls go by it. Default: `command`, anything. */
  effect?: ToolEffect;
  /** Whether a call whose outcome was lost may run again. Default: `never`. */
  retry?: RetryClass;
  /** What rules as `name(pattern)` compare with. Default: rules name the whole tool. */
  permissionArgument?: ToolDefinition['permissionArgument'];
  /**
   * `input` fits the schema. The text is for the model, and clients see it.
   * @throws `turnpike.ToolFailure` with a text for the model; any other error is logged, and the
   *   model reads its message without paths.
   */
  run(input: JsonObject, call: ExtensionCall): string | Promise<string>;
}

/** What a trigger says. */
export interface ExtensionNotice {
  /** Which of the trigger's notices it is: each mark is said once a turn. Default: `once`. */
  mark?: string;
  /** What is said, to the model as a message of the system. Not blank. */
  text: string;
  /** For clients; JSON. */
  metadata?: JsonObject;
  /** Whether the model is told, or clients only. Default: true. */
  seenByModel?: boolean;
}

export interface ExtensionTrigger {
  /** 1 to 64 of `a-z 0-9 -`, not of a trigger that is there; also the kind of its notices. */
  id: string;
  /** Looked at, and said, first when it is lower. Default: 100, after all of ours. */
  priority?: number;
  /** When it is looked at: before a turn's first model call, before later ones. Default: both. */
  levels?: readonly NoticeLevel[];
  /** What is due now. A function of the facts, without I/O; nothing where nothing is due. */
  check(facts: Facts): readonly ExtensionNotice[];
}

/**
 * Makes the tree of one attempt at a turn.
 *
 * @param config the turn's limits. @param standard the `default` tree, to ask first, last or never.
 */
export type MakeDecisionTree = (
  config: Readonly<AgentConfig>,
  standard: DecisionTree,
) => DecisionTree;

/** What an extension is given, once, while the server starts. */
export interface Turnpike {
  /** Of this interface: raised when an extension must be changed for it. */
  readonly version: 1;
  /**
   * A tree that agents choose with `decision_tree`.
   *
   * @param name 1 to 64 of `a-z 0-9 _ -`.
   * @throws Error that ends the start, as do the others: a name that is taken, or a wrong shape.
   */
  addDecisionTree(name: string, make: MakeDecisionTree): void;
  /** A trigger for every turn. */
  addTrigger(trigger: ExtensionTrigger): void;
  /** A tool that agents and turns may list under `tools`. */
  addTool(tool: ExtensionTool): void;
  /** A state with some fields changed; a tree keeps what is its own in `extensions`. */
  changeState(state: AgentState, change: AgentStateChange): AgentState;
  /** A tool's own word on why it failed, written for the model and passed on as it is. */
  readonly ToolFailure: new (message: string) => Error;
}

/** What an extension's module exports as its default. */
export type Extension = (turnpike: Turnpike) => void | Promise<void>;

/** The extension as it is, with its types. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}
