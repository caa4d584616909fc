import { createHash } from 'node:crypto';
import type { ListedMcpServerDto } from '../tool-list.dto.js';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { publicFetch, type PublicFetch } from '../../platform/net/public-fetch.js';
import type { RegisteredTool } from '../registry.js';
import { McpConnection } from './connection.js';
import { offersOf, type Offers } from './offers.js';
import { EraVerdicts } from './era-verdicts.js';
import { loadMcpFile } from './mcp-file.js';
import { doorOf } from './open-transport.js';
import { SaidProblems } from './said-problems.js';
import { ServerStates } from './server-states.js';
import {
  hostEntryOf,
  type McpPolicy,
  resolveServers,
  type ServerRequest,
  checkSessionServers,
} from './session-servers.js';
import { loopbackNames } from '../../platform/net/addresses.js';
import { secretsOf, type McpProblem, type McpServer } from './definitions.js';
import { adaptTools, type ServerAccess } from './call-tool.js';
import { openPrompts, type PromptAccess, type PromptServer } from './prompts.js';
import { openResources } from './resources.js';
import type { ResourceAccess } from '../tool.js';
import { compact } from '../../platform/compact.js';
import { describeFault } from './faults.js';
import { canonicalJson } from '../../platform/json.js';
import type { AnnouncedServer } from '../../storage/shapes/sent-request.js';
import { storableText } from '../../storage/connection.js';
import { authorizeTool, toolsBeforeLogin } from './tools-before-login.js';
import { authorizeName } from './tool-names.js';
import { LoginNeededError } from './oauth/oauth-error.js';
import {
  redactorOf,
  ServerTokens,
  takesPeople,
  type PeopleServer,
  type OAuthParts,
  type UsedServer,
} from './oauth/server-tokens.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';

export type McpConfig = Pick<
  Config,
  'mcpFile' | 'mcpHosts' | 'mcpSessionStdio' | 'mcpConnectMs' | 'mcpWaitMs' | 'mcpPrivateHosts'
>;

/** Bounds of the connections of a process. */
export interface McpBounds {
  /** Longest time of a call whose server keeps reporting progress, in ms. */
  progressMs: number;
  /** How long an unused server stays connected, in ms. */
  idleMs: number;
  /** Most servers at a time, processes and connections together; the one idle for longest is evicted first. */
  connections: number;
}

const standardBounds: McpBounds = { progressMs: 1_800_000, idleMs: 300_000, connections: 200 };

export interface OpenMcpOptions {
  config: McpConfig;
  /** Variables for `${NAME}` in the file; commands get PATH, HOME and LANG of them. */
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
  bounds?: Partial<McpBounds>;
  /** Log-ins of people at servers. Absent: nobody logs in. */
  oauth?: OAuthParts;
}

/** The servers of one turn. */
export interface OpenedServers {
  /** Tools with compiled input checks, for `openTools`. */
  tools: RegisteredTool[];
  problems: McpProblem[];
  /** What servers say of the use of their tools, in the order of the servers. */
  instructions: readonly AnnouncedServer[];
  /** Names of the servers that listed their tools. */
  answered: readonly string[];
  /** The resources of the servers. Absent: none has any. */
  resources?: ResourceAccess;
  /** The prompts of the servers. */
  prompts: PromptAccess;
  /** Returns the connections to the pool. */
  close(): Promise<void>;
}

/** The tools, problems and instructions of one server. */
type OpenedServer = Pick<OpenedServers, 'tools' | 'problems' | 'instructions' | 'answered'> & {
  readable?: ServerAccess;
  prompting?: PromptServer;
};

/** The turn that servers are opened for. */
export interface TurnRequest extends ServerRequest {
  signal: AbortSignal;
  /** Whether the turn has a person who can be asked. Absent: no. */
  asks?: boolean;
  /** The folder of its project, for servers that are told it. Absent: none is. */
  projectRoot?: string;
  /** The person whose log-ins are used. Absent: none are. */
  principalId?: string;
  /** Whether it waits for servers until they are up or have failed. Absent: no longer than `TURNPIKE_MCP_WAIT_MS`. */
  isPatient?: boolean;
  /** Tools that the session's model has been shown. */
  listed?: readonly ToolSpec[];
}

interface PooledConnection {
  connection: McpConnection;
  users: number;
  cancelIdle: () => void;
}

/** Loads the definitions. Servers start with the first turn that uses them. @throws FileInvalidError. */
export async function openMcp(options: OpenMcpOptions): Promise<Mcp> {
  const { mcpFile } = options.config;
  return new Mcp(
    options,
    mcpFile === undefined ? {} : await loadMcpFile(mcpFile, options.environment),
  );
}

/** Injects the process's `Mcp`. */
export const MCP = Symbol('Mcp');

/** The MCP servers of a process. Turns share a connection when its definition and its owner are equal. */
export class Mcp {
  readonly #options: OpenMcpOptions;
  readonly #bounds: McpBounds;
  readonly #policy: McpPolicy;
  readonly #fetchBy: PublicFetch;
  readonly #tokens: ServerTokens;
  /** Connections by key; idle ones in the order of their release. */
  readonly #pool = new Map<string, PooledConnection>();
  /** Tools of shared servers when a turn last listed them, by server name. */
  readonly #listed = new Map<string, readonly RegisteredTool[]>();
  readonly #states: ServerStates;
  readonly #said = new SaidProblems();
  readonly #verdicts: EraVerdicts;

  /** @param configured the servers of the operator's file, by name. */
  constructor(options: OpenMcpOptions, configured: McpPolicy['configured']) {
    const { mcpHosts, mcpSessionStdio: sessionStdio, mcpPrivateHosts: anywhere } = options.config;
    this.#options = options;
    this.#verdicts = new EraVerdicts(options.clock);
    this.#states = new ServerStates(options.clock);
    this.#bounds = { ...standardBounds, ...options.bounds };
    const hosts = [...mcpHosts, ...Object.values(configured).flatMap(hostEntryOf)];
    this.#policy = { configured, hosts, sessionStdio };
    this.#tokens = new ServerTokens(options.oauth, options.clock);
    this.#fetchBy = publicFetch({ privateHosts: { anywhere, loopback: loopbackNames } });
  }

  /** Checks a session's `mcpServers` (see `checkSessionServers`). */
  checkSession(input: unknown): Record<string, unknown> | null {
    return checkSessionServers(input, this.#policy);
  }

  /**
   * Connects all servers of a turn in parallel. A server that fails to start is a problem, and the turn goes on. The
   * caller closes them, after the tools.
   *
   * @throws the signal's reason when it aborts.
   */
  async openForTurn(request: TurnRequest): Promise<OpenedServers> {
    const resolved = resolveServers(this.#policy, request);
    const logins = await this.#tokens.loginsOf(request.principalId, resolved.servers);
    const releases: (() => void)[] = [];
    const releaseAll = (): void => {
      for (const release of releases.splice(0)) release();
    };
    try {
      const opened = await Promise.all(
        resolved.servers.map(async (found): Promise<OpenedServer> => {
          const server = { ...found, ...compact({ loginId: logins.get(found.name) }) };
          const pooled = this.#acquire(server, offersOf(server, request), releases);
          if (pooled === undefined) {
            const reason = 'too many MCP servers are in use on this worker; try again later';
            const problems = [{ server: server.name, reason }];
            return { tools: [], instructions: [], answered: [], problems };
          }
          return this.#openOne(server, pooled.connection, request);
        }),
      );
      // Tool names begin with the server's name, so those of two servers differ.
      const tools = opened.flatMap((server) => server.tools);
      const problems = [...resolved.problems, ...opened.flatMap((server) => server.problems)];
      const instructions = opened.flatMap((server) => server.instructions);
      const answered = opened.flatMap((server) => server.answered);
      const readable = opened.flatMap(({ readable: one }) => one ?? []);
      const resources = compact({ resources: openResources(readable) });
      const prompts = openPrompts(opened.flatMap(({ prompting }) => prompting ?? []));
      return {
        tools,
        problems,
        instructions,
        answered,
        ...resources,
        prompts,
        close: async () => releaseAll(),
      };
    } catch (error) {
      releaseAll();
      throw error;
    }
  }

  /** A server over http, by its name, at which people log in; undefined: there is none for this agent and session. */
  findForPeople(request: ServerRequest, name: string): PeopleServer | undefined {
    const { servers } = resolveServers(this.#policy, request);
    return servers.filter(takesPeople).find((server) => server.name === name);
  }

  /** Servers of the configuration at which people log in. */
  listForPeople(): PeopleServer[] {
    const all = resolveServers(this.#policy, { session: { id: '', mcpServers: null } }).servers;
    return all.filter(takesPeople);
  }

  /** Tools of servers that all sessions share, as far as turns have used them in this process. */
  listKnown(): RegisteredTool[] {
    return [...this.#listed.values()].flat();
  }

  /** Servers of the configuration, with what turns of this process found of them. */
  listServers(): ListedMcpServerDto[] {
    return Object.entries(this.#policy.configured).map(([name, { kind }]) =>
      this.#states.describe(name, kind),
    );
  }

  /** The problems of a session's turn that its turns were not told of before. */
  freshProblems(sessionId: string, problems: readonly McpProblem[]): McpProblem[] {
    return this.#said.fresh(sessionId, problems);
  }

  /** Ends every connection; running calls fail. */
  async close(): Promise<void> {
    const all = [...this.#pool.values()];
    this.#pool.clear();
    for (const { cancelIdle } of all) cancelIdle();
    await Promise.all(all.map(({ connection }) => connection.close()));
  }

  /** Opens a server, and notes what was found of a shared one. */
  async #openOne(
    server: UsedServer,
    connection: McpConnection,
    request: TurnRequest,
  ): Promise<OpenedServer> {
    const opened = await this.#listOne(server, connection, request);
    if (!isShared(server) || opened.answered.length === 0) return opened;
    const { tools, problems } = opened;
    if (tools.length > 0) this.#listed.set(server.name, tools);
    const reasons = problems.map(({ reason }) => reason);
    this.#states.note(server.name, { state: 'working', tools: tools.length, problems: reasons });
    return opened;
  }

  async #listOne(
    server: UsedServer,
    connection: McpConnection,
    { signal, listed: before = [], isPatient }: TurnRequest,
  ): Promise<OpenedServer> {
    const { name } = server;
    try {
      const found = await connection.listTools(signal, isPatient);
      const { tools: listed, problems, instructions, hasResources, hasPrompts } = found;
      const access = { server: server.name, connection };
      const authorize = before.some((tool) => tool.name === authorizeName(name))
        ? [authorizeTool(name, connection)]
        : [];
      const adapted = [...adaptTools(server, listed, connection), ...authorize];
      const { tools, hidden } = firstByName(adapted);
      const duplicateProblems = hidden.map(
        (name) => `a second tool would be called ${name}: it is left out`,
      );
      const announced = storableText(connection.redact(instructions));
      return {
        tools,
        ...(hasResources ? { readable: access } : {}),
        ...(hasPrompts ? { prompting: access } : {}),
        instructions: announced === '' ? [] : [{ name: server.name, instructions: announced }],
        answered: [server.name],
        problems: [...problems, ...duplicateProblems].map((reason) => ({
          server: server.name,
          reason: connection.redact(reason),
        })),
      };
    } catch (error) {
      signal.throwIfAborted();
      const login = error instanceof LoginNeededError ? error.question : undefined;
      return {
        // Those that the session knows; or one that asks for the log-in.
        tools: login === undefined ? [] : toolsBeforeLogin(server, before, connection),
        ...(login === undefined ? {} : { prompting: { server: name, connection, login } }),
        instructions: [],
        answered: [],
        problems: [{ server: server.name, reason: connection.redact(describeFault(error)) }],
      };
    }
  }

  /**
   * Takes a connection, and adds its release to `releases`.
   * @returns undefined when the pool is full.
   */
  #acquire(
    server: UsedServer,
    offers: Offers,
    releases: (() => void)[],
  ): PooledConnection | undefined {
    const key = keyOf(server, offers);
    const pooled = this.#pool.get(key) ?? this.#add(key, server, offers);
    if (pooled === undefined) return undefined;
    pooled.users += 1;
    pooled.cancelIdle();
    releases.push(() => this.#release(key, pooled));
    return pooled;
  }

  #add(key: string, server: UsedServer, offers: Offers): PooledConnection | undefined {
    if (this.#pool.size >= this.#bounds.connections && !this.#evict()) return undefined;
    const pooled = {
      connection: this.#connect(server, offers),
      users: 0,
      cancelIdle: () => undefined,
    };
    this.#pool.set(key, pooled);
    return pooled;
  }

  #connect(server: UsedServer, offers: Offers): McpConnection {
    const { name, definition } = server;
    const { config, environment, clock, logger } = this.#options;
    const auth = this.#tokens.authOf(server);
    const redact = redactorOf(secretsOf(definition), auth);
    const fetchBy = this.#fetchBy;
    return new McpConnection({
      server: name,
      door: doorOf(server, { environment, clock, logger, fetchBy, auth, redact }),
      onState: (state) => {
        if (isShared(server)) this.#states.note(name, state);
      },
      // HTTP with SSE ended before the era that a server could be asked for.
      protocol: isSse(definition) ? 'legacy' : definition.protocol,
      offers,
      // With the credentials that the server is used with.
      verdict: this.#verdicts.of(keyOf({ name, definition }, { asks: false })),
      connectMs: config.mcpConnectMs,
      turnWaitMs: config.mcpWaitMs,
      progressMs: this.#bounds.progressMs,
      clock,
      logger,
      auth,
      redact,
    });
  }

  #evict(): boolean {
    const idle = [...this.#pool].find(([, { users }]) => users === 0);
    if (idle === undefined) return false;
    this.#remove(...idle);
    return true;
  }

  #release(key: string, pooled: PooledConnection): void {
    pooled.users -= 1;
    if (pooled.users > 0 || this.#pool.get(key) !== pooled) return;
    this.#pool.delete(key);
    this.#pool.set(key, pooled);
    const remove = (): void => this.#remove(key, pooled);
    pooled.cancelIdle = this.#options.clock.after(this.#bounds.idleMs, remove);
  }

  #remove(key: string, pooled: PooledConnection): void {
    pooled.cancelIdle();
    this.#pool.delete(key);
    void pooled.connection.close();
  }
}

/** Whether its connection is that of all sessions and people. */
function isShared({ onlyFor, loginId }: UsedServer): boolean {
  return onlyFor === undefined && loginId === undefined;
}

function isSse(definition: McpServer['definition']): boolean {
  return definition.kind === 'http' && definition.transport === 'sse';
}

/** The pool's key: definition and owner of a connection, and what its server may ask, hashed as the definition has credentials. */
function keyOf({ name, definition, onlyFor, loginId }: UsedServer, { asks, root }: Offers): string {
  const parts = canonicalJson([
    name,
    definition,
    onlyFor ?? null,
    loginId ?? null,
    asks,
    root ?? null,
  ]);
  return createHash('sha256').update(parts).digest('hex');
}

/** Drops tools whose names collide: a server may name a tool like the hashed name of another tool. */
function firstByName(tools: readonly RegisteredTool[]) {
  const first = new Map<string, RegisteredTool>();
  const hidden: string[] = [];
  for (const tool of tools) {
    if (first.has(tool.name)) hidden.push(tool.name);
    else first.set(tool.name, tool);
  }
  return { tools: [...first.values()], hidden };
}
