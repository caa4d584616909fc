/**
 * What the programs here use of the SDK, in our own words. At their run the name is replaced by an SDK: the real one, or
 * ours.
 */
declare module '@anthropic-ai/claude-agent-sdk' {
  interface Block {
    type: string;
    text?: string;
    id?: string;
    name?: string;
    input?: Record<string, unknown>;
    tool_use_id?: string;
    is_error?: boolean;
  }

  export interface SDKMessage {
    type: string;
    subtype?: string;
    session_id?: string;
    parent_tool_use_id?: string | null;
    message?: { role?: string; content: string | Block[] };
    event?: { type: string; delta?: { type: string; text?: string } };
    result?: string;
    is_error?: boolean;
    num_turns?: number;
    total_cost_usd?: number;
    structured_output?: unknown;
    permission_denials?: { tool_name: string }[];
    tools?: string[];
  }

  export interface SDKUserMessage {
    type: 'user';
    message: { role: 'user'; content: string };
    parent_tool_use_id: null;
  }

  export type PermissionResult =
    | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
    | { behavior: 'deny'; message: string; interrupt?: boolean };

  export type CanUseTool = (
    name: string,
    input: Record<string, unknown>,
    asked: { signal: AbortSignal },
  ) => Promise<PermissionResult>;

  export type HookCallback = (
    input: { hook_event_name: string; tool_name?: string; tool_input?: Record<string, unknown> },
    toolUseId: string | undefined,
    given: { signal: AbortSignal },
  ) => Promise<Record<string, unknown>>;

  export interface Options {
    cwd?: string;
    systemPrompt?: string;
    permissionMode?: string;
    settingSources?: string[];
    tools?: string[];
    allowedTools?: string[];
    disallowedTools?: string[];
    canUseTool?: CanUseTool;
    hooks?: Record<string, { matcher?: string; hooks: HookCallback[] }[]>;
    mcpServers?: Record<string, unknown>;
    agents?: Record<string, { description: string; prompt: string; tools?: string[] }>;
    abortController?: AbortController;
    maxTurns?: number;
    maxBudgetUsd?: number;
    includePartialMessages?: boolean;
    resume?: string;
    forkSession?: boolean;
    outputFormat?: { type: 'json_schema'; schema: object };
  }

  export function query(asked: {
    prompt: string | AsyncIterable<SDKUserMessage>;
    options?: Options;
  }): AsyncGenerator<SDKMessage, void>;

  export function tool(
    name: string,
    description: string,
    shape: object,
    handler: (
      input: Record<string, unknown>,
    ) => Promise<{ content: { type: 'text'; text: string }[]; isError?: boolean }>,
  ): unknown;

  export function createSdkMcpServer(server: {
    name: string;
    version?: string;
    tools: unknown[];
  }): unknown;
}
