import type { Effort, PermissionMode, ThinkingDisplay } from '../storage/shapes/stored-options.js';

/** This file is the entry `turnpike` of the package, which has both functions. */
export * from '../tools/define/define-tool.js';

/**
 * An agent in TypeScript: the fields of an agent's Markdown file by the same names, with the same checks, and its text as
 * `prompt`. Plain data: tools, skills and agents are named.
 */
export interface AgentDefinition {
  /** 1 to 64 letters, digits, `_` or `-`. Default: the name of its file; one that `createTurnpike` gets has none. */
  readonly name?: string;
  /** The system prompt. Not blank. */
  readonly prompt: string;
  /** The name for people, in the console and in lists. Default: the name. */
  readonly title?: string;
  readonly description?: string;
  /** The model of its turns, unless a turn names one. */
  readonly model?: string;
  /** The model that takes over when the first one fails. */
  readonly fallback_model?: string;
  /** The models that take over after it, in their order; at most 5. */
  readonly fallback_models?: readonly string[];
  /** Names of the tools that it may use. Default: those of the server; `[]` for none. */
  readonly tools?: readonly string[];
  readonly permissions?: {
    readonly mode?: PermissionMode;
    readonly allow?: readonly string[];
    /** Rules, and those that say who decides. */
    readonly ask?: readonly (
      | string
      | {
          readonly rule: string;
          /** Roles of those who decide. */
          readonly by: readonly string[];
          /** How many of them approve. Default: 1. */
          readonly count?: number;
          /** Whether the person whose turn asks does not count. Default: false. */
          readonly notRequester?: boolean;
        }
    )[];
    readonly deny?: readonly string[];
  };
  /** Most model calls of a turn. */
  readonly max_turns?: number;
  /** Limits by their names: `{ token_budget: 20_000 }`. */
  readonly limits?: {
    readonly max_iterations?: number;
    readonly soft_warning_percent?: number;
    readonly token_budget?: number;
    readonly token_warning_percent?: number;
    readonly timeout_seconds?: number;
    readonly max_tool_calls_per_turn?: number;
    readonly max_parallel_tools?: number;
  };
  /** Agents that it may delegate to. Default: none. */
  readonly subagents?: readonly string[];
  /** Names of its skills. Default: all; `[]` for none. */
  readonly skills?: readonly string[];
  /** The tree that ends its turns. Default: `default`. */
  readonly decision_tree?: string;
  /** Names of the server's MCP servers, or servers of its own by their names. Default: all of the server. */
  readonly mcp_servers?: readonly string[] | Readonly<Record<string, object>>;
  /** How the model gets files. Default: `native`. */
  readonly attachments?: 'native' | 'text';
  /** The agent cites the files that it is given. Default: false. */
  readonly citations?: boolean;
  /** The agent has a memory: files that it keeps between turns. Default: false. */
  readonly memory?: boolean;
  readonly thinking?:
    | boolean
    | Effort
    | { readonly effort?: Effort; readonly display?: ThinkingDisplay };
  /** The object that turns end with: a JSON Schema, and how often the model may write it anew. */
  readonly output?: { readonly schema: object; readonly repairs?: number };
}

/** Returns the agent unchanged, for its types. It is checked, by the name of its file, when the server starts. */
export function defineAgent(agent: AgentDefinition): AgentDefinition {
  return agent;
}
