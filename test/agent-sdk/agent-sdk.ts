/**
 * The part of an agent SDK that cases call, in our own words: the real one and ours are both given to them as this. Its
 * types are as wide as what the two may say, so that a case looks before it takes.
 */
export interface AgentSdk {
  query(asked: { prompt: string | AsyncIterable<UserInput>; options?: QueryOptions }): Query;
  /** `shape` has zod types by the names of the input's fields. */
  tool(
    name: string,
    description: string,
    shape: object,
    handler: (input: Json, call: unknown) => Promise<ToolOutput>,
    extras?: { annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean } },
  ): unknown;
  createSdkMcpServer(server: { name: string; version?: string; tools?: unknown[] }): unknown;
  listSessions(where?: { dir?: string; limit?: number }): Promise<SessionEntry[]>;
  getSessionInfo(sessionId: string, where?: { dir?: string }): Promise<SessionEntry | undefined>;
  getSessionMessages(
    sessionId: string,
    where?: { dir?: string; limit?: number; offset?: number },
  ): Promise<Message[]>;
  forkSession(
    sessionId: string,
    how?: { dir?: string; upToMessageId?: string; title?: string },
  ): Promise<{ sessionId: string }>;
  renameSession(sessionId: string, title: string, where?: { dir?: string }): Promise<void>;
  deleteSession(sessionId: string, where?: { dir?: string }): Promise<void>;
}

export type Json = Record<string, unknown>;

/** What a query yields: kinds by `type` and, of some, `subtype`. */
export interface Message extends Json {
  type: string;
  subtype?: string;
  uuid?: string;
  session_id?: string;
}

export interface Query extends AsyncGenerator<Message, void> {
  interrupt(): Promise<unknown>;
  setModel(model?: string): Promise<unknown>;
  setPermissionMode(mode: Mode): Promise<unknown>;
  close?(): unknown;
}

/** A message that a prompt of several yields. */
export interface UserInput {
  type: 'user';
  message: { role: 'user'; content: string | Json[] };
  parent_tool_use_id: null;
  session_id?: string;
}

export interface SessionEntry extends Json {
  sessionId: string;
}

export interface ToolOutput {
  content: Json[];
  isError?: boolean;
}

export type Mode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';

export interface QueryOptions extends Json {
  cwd?: string;
  model?: string;
  systemPrompt?: string | Json;
  permissionMode?: Mode;
  settingSources?: ('user' | 'project' | 'local')[];
  tools?: string[];
  allowedTools?: string[];
  disallowedTools?: string[];
  canUseTool?: CanUseTool;
  hooks?: Partial<Record<string, HookMatcher[]>>;
  mcpServers?: Record<string, unknown>;
  agents?: Record<string, AgentEntry>;
  abortController?: AbortController;
  maxTurns?: number;
  maxBudgetUsd?: number;
  includePartialMessages?: boolean;
  resume?: string;
  continue?: boolean;
  sessionId?: string;
  forkSession?: boolean;
  resumeSessionAt?: string;
  outputFormat?: { type: 'json_schema'; schema: Json };
}

export interface AgentEntry extends Json {
  description: string;
  prompt: string;
  tools?: string[];
}

export interface AskOptions extends Json {
  signal: AbortSignal;
  toolUseID?: string;
  agentID?: string;
  suggestions?: Json[];
}

export type Answer =
  | { behavior: 'allow'; updatedInput?: Json; updatedPermissions?: Json[] }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

export type CanUseTool = (name: string, input: Json, asked: AskOptions) => Promise<Answer>;

export type Hook = (
  input: HookInput,
  toolUseId: string | undefined,
  given: { signal: AbortSignal },
) => Promise<Json>;

export interface HookInput extends Json {
  hook_event_name: string;
  tool_name?: string;
  tool_input?: Json;
}

export interface HookMatcher {
  matcher?: string;
  /** Seconds. */
  timeout?: number;
  hooks: Hook[];
}
