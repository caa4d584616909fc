import type { JsonObject } from '../platform/json.js';
import type { AssistantPart, StepStopReason, Usage } from '../storage/shapes/stored-step.js';
import {
  type ToolSpec,
  type ServerTool,
  serverToolNames,
  type ServerToolName,
} from '../storage/shapes/stored-options.js';
import type { Source } from '../events/turn-event.js';
import type { ThinkingPlan } from './thinking.js';
import type { Model } from './model.js';

/** Requests to a model and events of its stream, independent of the provider's wire. */

/**
 * The only key of a `tool_use` input whose JSON the model broke; its value is the broken text. Answer
 * the call with an error, and the model tries again: the turn goes on.
 */
export const INVALID_JSON = '__invalid_json';

/** The tool that calls a tool which `find_tools` found, where the provider has no search of its own. */
export const USE_TOOL = 'use_tool';

export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; base64: string }
  | { type: 'pdf'; title: string; base64: string }
  | { type: 'document'; title: string; text: string }
  /** `files` follow the output. Absent: it has none, as an error never has. */
  | { type: 'tool_result'; callId: string; output: string; files?: UserPart[]; isError: boolean };

/** A message of a request. A system message follows a user message: the server's notes to the model. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'system'; readonly text: string };

export interface ModelRequest {
  model: string;
  system: string;
  messages: readonly ModelMessage[];
  tools: ToolSpec[];
  /**
   * Who searches for the deferred tools: the provider, or the model by a tool of ours, so that their definitions are
   * not sent. Absent: no tool is deferred.
   */
  toolSearch?: 'provider' | 'own';
  /** Tools that the provider runs. Absent: none. */
  serverTools?: readonly ServerTool[];
  /** Most tokens of the reply. */
  maxTokens: number;
  thinking?: ThinkingPlan;
  /** `none`: the tools are in the prompt, and none may be called. */
  toolChoice?: 'none' | 'one';
  /** Texts that end the reply before them. Absent: none. */
  stopSequences?: readonly string[];
  /** JSON Schema, in the provider's subset, that replies are held to. Absent: they are free. */
  outputSchema?: JsonObject;
  /** How long the provider's cache is to keep the request. Absent: as long as it does by itself. */
  cacheFor?: '1h';
  /** Whether the model names the passages of documents that it draws on. */
  citations?: boolean;
}

/** Reasons for which a model stops by itself. */
export type StopReason = Exclude<StepStopReason, 'interrupted' | 'failed'>;

/** The events of a model's stream, in order. Deltas are best effort; `part.ended` is canonical. */
export type ModelEvent =
  /** Before the first: the request failed before its answer, and is sent again after `afterMs`. `retry` counts from 1. */
  | {
      type: 'retrying';
      retry: number;
      maxRetries: number;
      afterMs: number;
      reason: 'overloaded' | 'rate-limited' | 'unavailable';
    }
  /**
   * The first event of a reply, with the usage before any text of the reply; and the provider's id of the reply and the
   * model that makes it, where the provider names them.
   */
  | { type: 'started'; usage: Usage; responseId?: string; model?: string }
  | { type: 'text.delta'; text: string }
  | { type: 'thinking.delta'; text: string }
  | { type: 'source.cited'; source: Source }
  | { type: 'tool.requested'; callId: string; name: string; by?: 'provider' }
  | { type: 'tool.args.delta'; callId: string; json: string }
  /** The provider runs a tool; its `tool.requested` came before. */
  | { type: 'server-tool.started'; call: ServerToolCall }
  | { type: 'server-tool.ended'; result: ServerToolResult }
  | { type: 'part.ended'; part: AssistantPart }
  /**
   * The last event, with the usage of the whole call. For a refusal, `details` is the provider's
   * explanation and `category` its policy. `unknownReason`: what the provider named, and is taken for `end_turn`; `null`
   * where it named nothing.
   */
  | {
      type: 'ended';
      stopReason: StopReason;
      usage: Usage;
      details?: string;
      category?: string;
      unknownReason?: string;
      /** Whether the provider counted nothing, and `usage` is an estimate. Absent: it counted. */
      isEstimated?: true;
      /** Settings of the request that the maker's package says it does not honour. Absent: none. */
      notHonoured?: readonly string[];
    };

/** Takes the events of a network chunk. */
export type OnModelEvents = (events: readonly ModelEvent[]) => void;

/** A call of a model that was made. */
export interface ModelCall {
  /**
   * Hands on the events of each network chunk together, as it comes: nothing is awaited per delta. `ended` is the last
   * event of the last batch. To be called once; an error of `take` ends the reading, and the connection.
   *
   * @throws a `TypedError` of `mapError`, after everything that came before it was given; 504 with `stalledMs` when
   * nothing came for `stallTimeoutMs`; the signal's reason when it aborts; what `take` throws.
   */
  read(onEvents: OnModelEvents): Promise<void>;
}

export function isServerToolName(name: string): name is ServerToolName {
  return serverToolNames.some((known) => known === name);
}

/**
 * Whether a model can use a tool. The Models API lists web search and code execution; web fetch was
 * released for the models of web search, and is taken to be there with it, unless a place says otherwise.
 */
export function hasServerTool(model: Pick<Model, 'serverTools'>, name: ServerToolName): boolean {
  const { webSearch, webFetch = webSearch, codeExecution } = model.serverTools;
  return { web_search: webSearch, web_fetch: webFetch, code_execution: codeExecution }[name];
}

/** A call of a tool that the provider runs. */
export interface ServerToolCall {
  callId: string;
  /** The name of the tool, or of a part of it, as `bash_code_execution`. */
  name: string;
  input: JsonObject;
}

/** The result of a call of the provider's tool. */
export interface ServerToolResult {
  callId: string;
  name: string;
  status: 'success' | 'error';
  output: string;
}
