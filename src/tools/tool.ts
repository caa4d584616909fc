import type { ArgumentKind, ToolEffect } from '../governance/permission-subject.js';
import type { ToolOutput, OutputBlock } from '../platform/parsing/tool-output.js';
import type { OwnPaths } from '../governance/permissions/own-paths.js';
import type { ToolSpec } from '../storage/shapes/stored-options.js';
import type { Todo } from '../storage/shapes/stored-step.js';
import type { MemoryCommand, MemoryResult } from '../memory/commands/memory-command.js';
import type { JsonObject } from '../platform/json.js';
import type { ModelMessage } from '../provider/model-types.js';

/**
 * Whether a call whose outcome was lost (the worker died) may run again: `safe` always,
 * `idempotent` with the same `idempotencyKey`, `never` not without a human.
 */
export type RetryClass = 'safe' | 'idempotent' | 'never';

/** The context that a tool is opened with, once per turn. */
export interface ToolContext {
  /** Absolute directory that relative paths start from and that file tools are confined to. */
  workdir: string;
  turn: OpeningTurn;
  /** The server's own paths, which searches leave out. Default: none. */
  ownPaths?: OwnPaths;
  /**
   * Folders of other principals, hidden from commands. The workdir has no links then, and commands run
   * only as long as that is so. Default: none.
   */
  others?: readonly string[];
  /**
   * Whether rules deny a tool a path that it found, given all spellings of the path. Default: none
   * is denied.
   */
  isDenied?(
    tool: Pick<ToolDefinition, 'name' | 'deniedWith'>,
    spellings: readonly string[],
  ): boolean;
  /** The whole environment of child processes (see `pickShellEnv`): nothing else is inherited. */
  env?: Readonly<Record<string, string>>;
  /** The quota of the folder that the workdir is in. Absent: none. */
  quota?: FolderQuota;
  /** Most results that a search shows at once. Default: the tool's own limit. */
  maxResults?: number;
  /** The session's todo list. */
  todos?: TodoAccess;
  /** The turn's skills. Absent: it has none. */
  skills?: SkillAccess;
  /** Tools of the turn whose definitions are not in the prompt. Absent: none. */
  deferred?: readonly ToolSpec[];
  /** The memory of the turn's principal and agent. Absent: the turn has none. */
  memory?: MemoryAccess;
  /** The resources of the turn's MCP servers. Absent: no server has any. */
  resources?: ResourceAccess;
  /** Delegates work to a subagent. @returns its answer. Absent: the turn may not delegate. */
  delegate?(work: DelegatedWork): Promise<string>;
}

/** A turn as its tools know it. */
export interface OpeningTurn {
  principal: string;
  sessionId: string;
  turnId: string;
  agent: string;
}

/** A piece of work for a subagent. */
export interface DelegatedWork {
  agent: string;
  prompt: string;
  /** The id of the call that delegates, which identifies the subagent. */
  callId: string;
  signal: AbortSignal;
}

export interface MemoryAccess {
  /** Runs a call once, however often it is tried. @returns its result. */
  run(command: MemoryCommand, callId: string): Promise<MemoryResult>;
}

export interface FolderQuota {
  /** Counts what a tool is about to write. @throws ToolFailure for what there is no room for. */
  reserve(tool: string, bytes: number): Promise<void>;
  /**
   * Runs a command, and stops it when it has filled the folder. One that begins in a full folder may run, and delete
   * files.
   *
   * @param work gets a signal that aborts with a ToolFailure.
   */
  watch<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface TodoAccess {
  replace(todos: Todo[]): Promise<void>;
}

/** The skills of a turn, as its model knows them. */
export interface SkillAccess {
  /** @returns the instructions. @throws ToolFailure for a skill that there is not, or that has changed. */
  load(name: string): Promise<string>;
  /** @returns the text of a file in the skill's folder. @throws ToolFailure */
  read(name: string, path: string): Promise<string>;
}

/** The call that asks for a resource: its person may have to log in first. */
type ResourceCall = Pick<ToolCall, 'signal' | 'callId' | 'answers'>;

/** The resources of MCP servers. Each method fails with a ToolFailure, or with the signal's reason. */
export interface ResourceAccess {
  /** @param cursor what the page before ended with. Absent: the first page. @returns lines for the model. */
  list(of: { server: string; cursor?: string }, call: ResourceCall): Promise<string>;
  read(of: { server: string; uri: string }, call: ResourceCall): Promise<ToolOutput>;
}

export interface ToolCall {
  callId: string;
  /** Key of the call for idempotent services: equal in every run of this call, and unique to it. */
  idempotencyKey: string;
  /** Aborts when the turn ends early or the call's time is over: stop, and reject with its reason. */
  signal: AbortSignal;
  /** Sets a note on what a long call is doing, in a few words; the first is shown at once, then one a second at most. */
  progress(note: string): void;
  /**
   * Asks the person of the turn while the call runs on; the call's time stands still. A worker that dies takes the call
   * with it: `CallWaits` asks without that. Absent: nobody can be asked.
   *
   * @throws ToolFailure where the call has asked too often; the reason of `signal`, which closes the question.
   */
  ask?(question: CallQuestion, signal: AbortSignal): Promise<CallAnswer>;
  /**
   * Asks the turn's model, at the turn's expense and within its limits. Absent: it cannot be asked.
   *
   * @throws SampleRefusedError where the model is not asked, or gives no answer; the reason of `signal`.
   */
  sample?(request: SampleRequest, signal: AbortSignal): Promise<SampleReply>;
  /** The answers to what earlier runs of the call have asked by a `CallWaits`, oldest first. Absent: none. */
  answers?: readonly CallAnswer[];
}

/** A question to the model, asked by the server of a tool. Nothing of the agent or its conversation is added. */
export interface SampleRequest {
  /** Empty: none. */
  system: string;
  messages: readonly ModelMessage[];
  /** Tokens of the reply at most, 1 or more. The turn's limits may leave fewer. */
  maxTokens: number;
  stopSequences: readonly string[];
  /** Model calls that one tool call may ask for, those of its earlier runs included. */
  maxCalls: number;
}

export interface SampleReply {
  text: string;
  model: string;
  stopReason: 'end_turn' | 'max_tokens' | 'stop_sequence';
}

/** The model was not asked, or gave no answer. The message is for the server, and the end of a sentence about it. */
export class SampleRefusedError extends Error {
  override readonly name = 'SampleRefusedError';

  /**
   * @param reason `invalid`: the request cannot be made. `model`: the provider failed, or its model declined.
   * Otherwise the limit that was reached: of the turn, of its principal's day, or `sampling_calls`.
   */
  constructor(
    readonly reason: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A question that a call asks its person: it cannot go on before the answer. */
export interface CallQuestion {
  /** `elicitation`: the tool wants to know something. `mcp-authorize`: its MCP server wants the person to log in. */
  kind: 'elicitation' | 'mcp-authorize';
  /** In a sentence, for people. */
  reason: string;
  /** What clients show: a schema, the server, its message, hosts, scopes. No secrets. */
  question: JsonObject;
}

/** A person's answer to a question of a call. */
export interface CallAnswer extends Pick<CallQuestion, 'kind' | 'question'> {
  /** `cancel`: the question was closed without an answer, or nobody answered in time. */
  action: 'accept' | 'decline' | 'cancel';
  /** What the person said. Absent: nothing. */
  content?: JsonObject;
  /** State that the call kept for its next run. Absent: none. */
  state?: JsonObject;
}

/**
 * A tool for the length of one turn. `run` shares the event loop with everything else in the
 * process: a body that blocks it also stalls the heartbeat, and the turn loses its lease. Await
 * asynchronous work, or move the work to a thread or a process.
 */
export interface OpenTool {
  /**
   * Runs a call whose input fits the schema. @returns text for the model, and files where it has any.
   * @throws ToolFailure with a text for the model; any other error is shown without its details.
   */
  run(input: JsonObject, call: ToolCall): Promise<ToolOutput>;
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
  /** The argument that rules as `bash(git status*)` match; absent: rules name the whole tool. */
  permissionArgument?: { name: string; kind: ArgumentKind } | undefined;
  /**
   * Tools whose `deny` rules apply to this tool too: a tool that shows contents is denied what
   * `read` is.
   */
  deniedWith?: readonly string[] | undefined;
  /**
   * The time limit of a call: `turn` for its turn's only; `none` for a call that settles by itself in no time and
   * whose result counts even where the turn ends meanwhile; `ms`, or the server's limit for tools, after its last
   * progress, and `maxMs` in all; absent: also the server's limit for tools.
   */
  timeLimit?: 'turn' | 'none' | { ms?: number; maxMs: number } | undefined;
  /** Whether the calls of a step run one after the other although they only read: each sees those before it. */
  inOrder?: true | undefined;
  /** The provider's own definition of the tool, which its models know. Absent: they are sent ours. */
  definedAs?: ToolSpec['definedAs'];
  open(context: ToolContext): OpenTool;
}

/** A tool's failure whose message is written for the model and passed on as it is. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  /** The message with its files. Absent: it has none. */
  readonly blocks: readonly OutputBlock[] | undefined;

  constructor(
    message: string,
    { blocks, ...options }: ErrorOptions & { blocks?: readonly OutputBlock[] } = {},
  ) {
    super(message, options);
    this.blocks = blocks;
  }
}

/**
 * A tool throws it to ask its person, at any time, without holding on to anything. The turn is parked, and the call runs
 * again with the answer in `call.answers`, in any process. Where nobody can be asked, the model gets a failure instead.
 */
export class CallWaits extends Error {
  override readonly name = 'CallWaits';
  /** What the next run is given back, beside the answer. No client sees it. Absent: nothing. */
  readonly state: JsonObject | undefined;
  /** Whether the run may have had an effect. False: the next run is the call's first. */
  readonly executed: boolean;

  constructor(
    readonly asked: CallQuestion,
    { state, executed }: { state?: JsonObject; executed: boolean },
  ) {
    super(asked.reason);
    this.state = state;
    this.executed = executed;
  }
}
