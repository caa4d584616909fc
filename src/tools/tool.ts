import type { OwnPaths } from '../governance/permissions/own-paths.js';
import type { Todo } from '../notices/todo.js';
import type { JsonObject } from '../platform/json.js';

/** What a call may do: look, change files, or run anything at all. Permissions are keyed on it. */
export type ToolEffect = 'read' | 'edit' | 'command';

/**
 * Whether a call whose outcome was lost (the worker died) may run again: `safe` always,
 * `idempotent` with the same `idempotencyKey`, `never` not without a human.
 */
export type RetryClass = 'safe' | 'idempotent' | 'never';

/** How an argument is compared with the pattern of a rule. */
export type ArgumentKind = 'command' | 'path' | 'text';

/** The argument of a call that the patterns of permission rules are about. */
export interface PermissionArgument {
  kind: ArgumentKind;
  /**
   * Every way it reads: of a path, absolute, as written and with its links resolved. Empty when the
   * call does not have it.
   */
  texts: readonly string[];
  /** Of paths: what patterns without a leading `/` start from, as written and resolved. */
  roots?: readonly string[];
}

/** What a tool gets once per turn. */
export interface ToolContext {
  /** Absolute directory that relative paths start from and that file tools are confined to. */
  workdir: string;
  /** What searches leave out. Default: nothing. */
  ownPaths?: OwnPaths;
  /**
   * Folders of others that commands do not see. The workdir has no links then, and commands run in it
   * only as long as that is so. Default: there are no others.
   */
  others?: readonly string[];
  /**
   * Whether rules deny a tool what it has found, by every way its path reads. Default: they deny nothing.
   */
  isDenied?(tool: Pick<ToolDefinition, 'name' | 'deniedWith'>, ways: readonly string[]): boolean;
  /** The whole environment of child processes (see `pickShellEnv`). Nothing is inherited. */
  env?: Readonly<Record<string, string>>;
  /** Most results that a search shows at once. Default: the tool's own limit. */
  mostResults?: number;
  /** The session's todo list. */
  todos?: TodoBoard;
  /** Has a subagent do a piece of work and gives its answer; absent: the turn may not delegate. */
  delegate?(work: Delegated): Promise<string>;
}

/** A piece of work for a subagent. */
export interface Delegated {
  agent: string;
  prompt: string;
  /** Of the call that asks for it: its key. */
  callId: string;
  signal: AbortSignal;
}

export interface TodoBoard {
  replace(todos: Todo[]): Promise<void>;
}

export interface ToolCall {
  callId: string;
  /** The same in every run of this call, and of no other call of any turn. */
  idempotencyKey: string;
  /** Aborts when the turn ends early or the call's time is over: stop, and reject with its reason. */
  signal: AbortSignal;
  /** Says what a long call is doing now, in a few words; shown at most every few seconds. */
  progress(note: string): void;
}

/**
 * A tool for the length of one turn. `run` shares the event loop with everything else in the
 * process: a body that blocks it also stalls the heartbeat, and the turn loses its lease. Await
 * asynchronous work, or move the work to a thread or a process.
 */
export interface OpenTool {
  /**
   * `input` fits the schema. The text is for the model.
   * @throws ToolFailure with a text for the model; any other error is shown without its details.
   */
  run(input: JsonObject, call: ToolCall): Promise<string>;
  /** Called once at the end of the turn, also while a `run` is still pending. */
  close?(): void | Promise<void>;
}

export interface ToolDefinition {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`, unique in a registry. */
  name: string;
  description: string;
  /** JSON Schema (2020-12, or draft-07 where `$schema` says so); its root has `type: object`. */
  inputSchema: JsonObject;
  effect: ToolEffect;
  retry: RetryClass;
  /** What rules as `bash(git status*)` compare with; absent: rules name the whole tool. */
  permissionArgument?: { name: string; kind: ArgumentKind } | undefined;
  /** Tools whose `deny` rules hold for this one too: one that shows contents is denied what `read` is. */
  deniedWith?: readonly string[] | undefined;
  /** What a call's time is limited by: the server's limit for tools, or `turn`: its turn's only. */
  timeLimit?: 'turn' | undefined;
  open(context: ToolContext): OpenTool;
}
