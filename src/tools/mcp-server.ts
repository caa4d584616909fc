/** A validated definition of an MCP server: how the server is run or reached. */
export type McpDefinition = StdioDefinition | HttpDefinition;

interface Common {
  /**
   * Whether the server's annotations of its tools (read-only, idempotent) are trusted. Otherwise every
   * tool counts as a command that must not run twice.
   */
  trustAnnotations: boolean;
  /** Whether each session has a connection of its own: for a server that keeps state. */
  perSession: boolean;
  /** Longest time of a call without progress, in ms. Absent: that of all tools. */
  timeout?: number;
}

export interface StdioDefinition extends Common {
  kind: 'stdio';
  command: string;
  args: readonly string[];
  /** Variables beside PATH, HOME and LANG; nothing else is inherited. */
  env: Readonly<Record<string, string>>;
  /** Names of variables whose values are redacted. */
  secretEnv: readonly string[];
  /** Absolute working folder. Absent: that of the server's process. */
  cwd?: string;
  /** Names of variables that a session may set for itself. */
  sessionEnv: readonly string[];
}

export interface HttpDefinition extends Common {
  kind: 'http';
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** A server of one turn. */
export interface McpServer {
  name: string;
  definition: McpDefinition;
  /** The only session that may use the connection; absent: all sessions with an equal definition. */
  onlyFor?: string;
}

/** Reason why a server, or a tool of it, is unavailable: for clients and the model, without secrets. */
export interface McpProblem {
  server: string;
  reason: string;
}

/** The servers of an agent's file. */
export interface AgentServers {
  /** Names of configured servers. */
  named: readonly string[];
  /** Definitions in the agent's file, by name. */
  own: Readonly<Record<string, McpDefinition>>;
}

const secretName = /key|token|secret|passw|auth|credential|cookie|dsn/i;

/** Variables whose names suggest a secret. */
export function secretNames(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).filter((name) => secretName.test(name));
}

/**
 * Values to redact: of a definition's headers, of its secret variables, and of its URL's query. For
 * `Bearer abc` also `abc` alone, which a server may repeat.
 */
export function secretsOf(definition: McpDefinition): string[] {
  const values =
    definition.kind === 'stdio'
      ? definition.secretEnv.map((name) => definition.env[name] ?? '')
      : [...Object.values(definition.headers), ...new URL(definition.url).searchParams.values()];
  return values.flatMap((value) => {
    const [, alone] = /^\S+\s+(\S+)$/.exec(value.trim()) ?? [];
    return alone === undefined ? [value] : [value, alone];
  });
}
