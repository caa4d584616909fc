/** How an MCP server is run or reached, checked. */
export type McpDefinition = StdioDefinition | HttpDefinition;

interface Common {
  /**
   * Whether what the server says of its tools (that one only reads, that one may be repeated) is
   * believed. Otherwise each of them counts as a command that must not run twice.
   */
  trustAnnotations: boolean;
  /** Whether each session has a connection of its own: for a server that keeps state. */
  perSession: boolean;
}

export interface StdioDefinition extends Common {
  kind: 'stdio';
  command: string;
  args: readonly string[];
  /** On top of PATH, HOME and LANG; nothing else is inherited. */
  env: Readonly<Record<string, string>>;
  /** Of these, the ones whose values are told nowhere. */
  secretEnv: readonly string[];
  /** Absolute. Absent: the working folder of this process. */
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
  /** The one session that may use the connection; absent: all whose definition is the same. */
  onlyFor?: string;
}

/** Why a server, or a tool of it, is not there. For clients and for the model; no secrets. */
export interface McpProblem {
  server: string;
  reason: string;
}

/** What an agent's file says about servers. */
export interface AgentServers {
  /** Of the configuration, by name. */
  named: readonly string[];
  own: Readonly<Record<string, McpDefinition>>;
}

const secretName = /key|token|secret|passw|auth|credential|cookie|dsn/i;

/** Names of variables that are secrets by their names. */
export function secretNames(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).filter((name) => secretName.test(name));
}

/**
 * Values that must not show up anywhere: of a definition's headers, of its secret variables, and of
 * the query of its URL. Of `Bearer abc` also `abc` alone, which is what a server repeats.
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
