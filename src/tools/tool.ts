import type { Todo } from '../notices/todo.js';
import type { JsonObject } from '../platform/json.js';

/** What a call may do: look, change files, or run anything at all. Permissions are keyed on it. */
export type ToolEffect = 'read' | 'edit' | 'command';

/**
 * Whether a call whose outcome was lost (the worker died) may run again: `safe` always,
 * `idempotent` with the same `callId` as its key, `never` not without a human.
 */
export type RetryClass = 'safe' | 'idempotent' | 'never';

/** What a tool gets once per turn. */
export interface ToolContext {
  /** Absolute directory that relative paths start from and that file tools are confined to. */
  workdir: string;
  /** The whole environment of child processes (see `pickShellEnv`). Nothing is inherited. */
  env?: Readonly<Record<string, string>>;
  /** The session's todo list. */
  todos?: TodoBoard;
}

export interface TodoBoard {
  replace(todos: Todo[]): Promise<void>;
}

export interface ToolCall {
  callId: string;
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
  open(context: ToolContext): OpenTool;
}
