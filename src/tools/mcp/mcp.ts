import type { ListedMcpServerDto } from '../tool-list.dto.js';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { publicFetch, type PublicFetch } from '../../platform/net/public-fetch.js';
import { secretRedactor } from '../../platform/text/redact.js';
import type { RegisteredTool } from '../registry.js';
import { pickShellEnv } from '../shell-env.js';
import { McpConnection } from './connection.js';
import { HttpTransport } from './http-transport.js';
import { McpConnectionPool, type OpenedServers } from './connection-pool.js';
import { loadMcpFile } from './mcp-file.js';
import {
  hostEntryOf,
  type McpPolicy,
  resolveServers,
  type ServerRequest,
  checkSessionServers,
} from './session-servers.js';
import { loopbackNames } from '../../platform/net/addresses.js';
import { secretsOf, type McpServer } from './definitions.js';
import { StdioTransport } from './stdio-transport.js';

export type McpConfig = Pick<
  Config,
  'mcpFile' | 'mcpHosts' | 'mcpSessionStdio' | 'mcpConnectMs' | 'mcpPrivateHosts'
>;

/** Bounds of the connections of a process. */
export interface McpBounds {
  /** Longest time of a call whose server keeps reporting progress, in ms. */
  progressMs: number;
  /** How long an unused server stays connected, in ms. */
  idleMs: number;
  /** Most servers at a time, processes and connections together. */
  connections: number;
}

const standardBounds: McpBounds = { progressMs: 3_600_000, idleMs: 300_000, connections: 200 };

export interface OpenMcpOptions {
  config: McpConfig;
  /** Variables for `${NAME}` in the file; commands get PATH, HOME and LANG of them. */
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
  bounds?: Partial<McpBounds>;
}

/** The MCP servers of a process. */
export interface Mcp {
  /** Checks a session's `mcpServers` (see `checkSessionServers`). */
  checkSession(given: unknown): Record<string, unknown> | null;
  /** Connects the servers of a turn. The caller closes them, after the tools. */
  openForTurn(wish: ServerRequest & { signal: AbortSignal }): Promise<OpenedServers>;
  /** Tools of servers that all sessions share, as far as turns have used them in this process. */
  listKnown(): RegisteredTool[];
  /** Servers of the configuration, with what turns of this process found of them. */
  listServers(): ListedMcpServerDto[];
  /** Ends all servers. */
  close(): Promise<void>;
}

/** Loads the definitions. Servers start with the first turn that uses them. @throws FileInvalidError. */
export async function openMcp(options: OpenMcpOptions): Promise<Mcp> {
  const { config, environment, clock } = options;
  const { progressMs, idleMs, connections: most } = { ...standardBounds, ...options.bounds };
  const configured =
    config.mcpFile === undefined ? {} : await loadMcpFile(config.mcpFile, environment);
  const hosts = [...config.mcpHosts, ...Object.values(configured).flatMap(hostEntryOf)];
  const policy: McpPolicy = { configured, hosts, sessionStdio: config.mcpSessionStdio };
  const fetchBy = publicFetch({
    privateHosts: { anywhere: config.mcpPrivateHosts, loopback: loopbackNames },
  });
  const connections = new McpConnectionPool({
    clock,
    idleMs,
    most,
    connect: (server) => connect(server, options, { fetchBy, progressMs }),
  });
  return {
    checkSession: (given) => checkSessionServers(given, policy),
    openForTurn: async (wish) => {
      const { servers, problems } = resolveServers(policy, wish);
      const opened = await connections.open(servers, wish);
      return { ...opened, problems: [...problems, ...opened.problems] };
    },
    listKnown: () => connections.listKnown(),
    listServers: () =>
      Object.entries(configured).map(([name, { kind }]) => {
        const used = connections.lastUse(name);
        if (used === undefined) return { name, kind, state: 'unused', tools: 0, problems: [] };
        const isBad = used.tools === 0 && used.problems.length > 0;
        return { name, kind, state: isBad ? 'failed' : 'working', ...used };
      }),
    close: () => connections.close(),
  };
}

function connect(
  { name, definition }: McpServer,
  { config, environment, clock, logger }: OpenMcpOptions,
  { fetchBy, progressMs }: { fetchBy: PublicFetch; progressMs: number },
): McpConnection {
  const redact = secretRedactor(secretsOf(definition));
  const openStdio = (command: Extract<typeof definition, { kind: 'stdio' }>): StdioTransport =>
    new StdioTransport({
      command: command.command,
      args: command.args,
      env: { ...pickShellEnv(environment, ['PATH', 'HOME', 'LANG']), ...command.env },
      cwd: command.cwd,
      clock,
      onStderr: (line) =>
        logger.debug({ server: name, line: redact(line) }, 'an MCP server wrote to stderr'),
    });
  return new McpConnection({
    server: name,
    openTransport: () =>
      definition.kind === 'stdio'
        ? openStdio(definition)
        : new HttpTransport(definition, fetchBy, clock),
    connectMs: config.mcpConnectMs,
    progressMs,
    clock,
    logger,
    redact,
  });
}

/** Injects the process's `Mcp`. */
export const MCP = Symbol('Mcp');
