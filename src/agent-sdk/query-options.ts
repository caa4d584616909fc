import type { JsonObject } from '../platform/json.js';
import type { SdkMcpServer } from './sdk-tools.js';
import type { PermissionMode } from './sdk-messages.js';

/** A rule that a program adds for the rest of the session, or a mode that it sets. Other kinds are refused by name. */
export type PermissionUpdate =
  | {
      type: 'addRules';
      rules: readonly { toolName: string; ruleContent?: string }[];
      behavior: 'allow' | 'deny' | 'ask';
      destination: string;
    }
  | { type: 'setMode'; mode: PermissionMode; destination: string };

/** The answer of `canUseTool`. */
export type PermissionResult =
  | {
      behavior: 'allow';
      updatedInput?: Record<string, unknown>;
      updatedPermissions?: PermissionUpdate[];
      toolUseID?: string;
    }
  | { behavior: 'deny'; message: string; interrupt?: boolean; toolUseID?: string };

/** Decides about a call that neither rules nor the mode decide. It has no deadline but the server's. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    signal: AbortSignal;
    suggestions?: PermissionUpdate[];
    toolUseID: string;
    /** The subagent that calls. Absent: the turn's own agent. */
    agentID?: string;
    /** Why it is asked. */
    decisionReason?: string;
  },
) => Promise<PermissionResult> | PermissionResult;

export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'PermissionRequest',
  'Notification',
  'SessionStart',
  'UserPromptSubmit',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** What a hook is told, beside the fields of its event. */
export interface HookInput extends Record<string, unknown> {
  hook_event_name: HookEvent;
  session_id: string;
  /** Empty: there is no file. `getSessionMessages` has the conversation. */
  transcript_path: '';
  cwd: string;
  permission_mode: PermissionMode;
  tool_name?: string;
  tool_input?: unknown;
  tool_response?: unknown;
  tool_use_id?: string;
}

/** What a hook answers. Fields that its event does not honour are refused by name. */
export interface HookOutput extends Record<string, unknown> {
  continue?: boolean;
  decision?: 'approve' | 'block';
  reason?: string;
  systemMessage?: string;
  hookSpecificOutput?: Record<string, unknown>;
}

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookOutput> | HookOutput;

export interface HookCallbackMatcher {
  /** Name of a tool, a list as `Write|Edit`, or a regular expression. Absent: every one. */
  matcher?: string;
  hooks: readonly HookCallback[];
  /** Seconds. Default: 600; of UserPromptSubmit 30. */
  timeout?: number;
}

/** A server of tools: of the caller's process, or one that Turnpike connects to. */
export type McpServerConfig =
  | SdkMcpServer
  | { type?: 'stdio'; command: string; args?: string[]; env?: Record<string, string> }
  | { type: 'http' | 'sse'; url: string; headers?: Record<string, string> };

export type SystemPrompt =
  | string
  | readonly string[]
  | { type: 'preset'; preset: 'claude_code'; append?: string };

/** A subagent of a query. Fields that are not here are refused by name. */
export interface AgentDefinition {
  /** What it is for: the model chooses by it. */
  description: string;
  prompt: string;
  /** Default: those of the query. */
  tools?: string[];
  disallowedTools?: string[];
  /** A model, or `opus`, `sonnet`, `haiku`, `inherit`. Default: that of the query. */
  model?: string;
  maxTurns?: number;
  skills?: string[];
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  permissionMode?: PermissionMode;
}

/** Inline settings: rules, the mode and the model of them. */
export interface InlineSettings {
  permissions?: {
    allow?: string[];
    ask?: string[];
    deny?: string[];
    defaultMode?: PermissionMode;
  };
  model?: string;
}

/**
 * The options of a query. The guide "From the Claude Agent SDK" says of each what it does here; one that is not honoured,
 * or not known, makes the query throw an `UnsupportedError` with its name.
 */
export interface Options {
  /** Default: none. Abort it to end the turn; the query then throws an `AbortError`. */
  abortController?: AbortController;
  /** Name of an agent of the server. Default: the server's own. */
  agent?: string;
  /** Subagents of the session, by name: the tool Agent delegates to them, and their answers are awaited. */
  agents?: Record<string, AgentDefinition>;
  allowDangerouslySkipPermissions?: boolean;
  allowedTools?: string[];
  canUseTool?: CanUseTool;
  /** The newest session of `cwd`, if there is one. */
  continue?: boolean;
  /** A folder of the server's machine. Default: the caller's own folder there. */
  cwd?: string;
  disallowedTools?: string[];
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  fallbackModel?: string;
  forkSession?: boolean;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  includePartialMessages?: boolean;
  /** US dollars of all turns of the query. Default: no limit but the server's. */
  maxBudgetUsd?: number;
  /** Model calls with tools. Default: 500. */
  maxTurns?: number;
  mcpServers?: Record<string, McpServerConfig>;
  model?: string;
  outputFormat?: { type: 'json_schema'; schema: JsonObject };
  permissionMode?: PermissionMode;
  /** `false`: the session is deleted at the end of the query. Default: true. */
  persistSession?: boolean;
  /** `session_id` of the session to go on in. */
  resume?: string;
  /** `uuid` of the last message of a turn: what came after it is left behind. */
  resumeSessionAt?: string;
  /** A uuid of your own for a new session. */
  sessionId?: string;
  /**
   * `project` or `local`: the session takes the files of its project, both kinds, if the server lets it. Default: none. The
   * files of a person, `user`, are on no server: one warning says so.
   */
  settingSources?: ('user' | 'project' | 'local')[];
  settings?: InlineSettings;
  skills?: string[];
  strictMcpConfig?: boolean;
  systemPrompt?: SystemPrompt;
  thinking?:
    | { type: 'adaptive'; display?: 'summarized' | 'omitted' }
    | { type: 'enabled'; display?: 'summarized' | 'omitted' }
    | { type: 'disabled' };
  tools?: string[] | { type: 'preset'; preset: 'claude_code' };

  // Of a child process, which there is none of: a warning says once that they have no effect.
  debug?: unknown;
  debugFile?: unknown;
  env?: unknown;
  executable?: unknown;
  executableArgs?: unknown;
  extraArgs?: unknown;
  pathToClaudeCodeExecutable?: unknown;
  spawnClaudeCodeProcess?: unknown;
  stderr?: unknown;
}
