import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.js';
import { canonicalJson } from '../../platform/json.js';
import type { RegisteredTool } from '../registry.js';
import type { McpConnection } from './connection.js';
import { describeFault } from './faults.js';
import type { McpProblem, McpServer } from './definitions.js';
import { adaptTools } from './call-tool.js';
import type { ToldServer } from '../../storage/shapes/sent-request.js';
import { storableText } from '../../storage/connection.js';

export interface ConnectionPoolOptions {
  clock: Clock;
  /** Time that an idle connection is kept, in ms. */
  idleMs: number;
  /** Most connections at a time; the one idle for longest is evicted first. */
  most: number;
  connect(server: McpServer): McpConnection;
}

/** The servers of one turn. */
export interface OpenedServers {
  /** Tools with compiled input checks, for `openTools`. */
  tools: RegisteredTool[];
  problems: McpProblem[];
  /** What servers say of the use of their tools, in the order of the servers. */
  instructions: readonly ToldServer[];
  /** Returns the connections to the pool. */
  close(): Promise<void>;
}

interface LastUse {
  /** Number of its tools. */
  tools: number;
  problems: readonly string[];
}

interface PooledConnection {
  connection: McpConnection;
  users: number;
  cancelIdle: () => void;
}

/**
 * The connections of a process. Turns share a connection when its definition and its owner are
 * equal.
 */
export class McpConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** Connections by key; idle ones in the order of their release. */
  readonly #pool = new Map<string, PooledConnection>();
  /** Tools of shared servers when a turn last listed them, by server name. */
  readonly #listed = new Map<string, readonly RegisteredTool[]>();

  /** What turns last found of shared servers, by name. */
  readonly #lastUses = new Map<string, LastUse>();

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /**
   * Connects to all servers in parallel. A server that fails to start is a problem, and the turn goes on.
   *
   * @throws the signal's reason when it aborts.
   */
  async open(
    servers: readonly McpServer[],
    { signal }: { signal: AbortSignal },
  ): Promise<OpenedServers> {
    const releases: (() => void)[] = [];
    const releaseAll = (): void => {
      for (const release of releases.splice(0)) release();
    };
    try {
      const opened = await Promise.all(
        servers.map(async (server) => {
          const pooled = this.#acquire(server, releases);
          if (pooled === undefined) {
            const reason = 'too many MCP servers are in use on this worker; try again later';
            return { tools: [], instructions: [], problems: [{ server: server.name, reason }] };
          }
          return this.#openOne(server, pooled.connection, signal);
        }),
      );
      // Tool names begin with the server's name, so those of two servers differ.
      const tools = opened.flatMap((server) => server.tools);
      const problems = opened.flatMap((server) => server.problems);
      const instructions = opened.flatMap((server) => server.instructions);
      return { tools, problems, instructions, close: async () => releaseAll() };
    } catch (error) {
      releaseAll();
      throw error;
    }
  }

  /** Tools of shared servers, as far as turns have used them in this process. */
  listKnown(): RegisteredTool[] {
    return [...this.#listed.values()].flat();
  }

  /** What the last turn of this process found of a shared server; undefined: none has used it. */
  lastUse(name: string): LastUse | undefined {
    return this.#lastUses.get(name);
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
    server: McpServer,
    connection: McpConnection,
    signal: AbortSignal,
  ): Promise<Omit<OpenedServers, 'close'>> {
    const opened = await this.#listOne(server, connection, signal);
    if (server.onlyFor === undefined) {
      const { tools, problems } = opened;
      if (tools.length > 0) this.#listed.set(server.name, tools);
      const reasons = problems.map(({ reason }) => reason);
      this.#lastUses.set(server.name, { tools: tools.length, problems: reasons });
    }
    return opened;
  }

  async #listOne(
    server: McpServer,
    connection: McpConnection,
    signal: AbortSignal,
  ): Promise<Omit<OpenedServers, 'close'>> {
    try {
      const { tools: listed, problems, instructions } = await connection.listTools(signal);
      const { tools, hidden } = firstByName(adaptTools(server, listed, connection));
      const twice = hidden.map((name) => `a second tool would be called ${name}: it is left out`);
      const told = storableText(connection.redact(instructions));
      return {
        tools,
        instructions: told === '' ? [] : [{ name: server.name, instructions: told }],
        problems: [...problems, ...twice].map((reason) => ({
          server: server.name,
          reason: connection.redact(reason),
        })),
      };
    } catch (error) {
      signal.throwIfAborted();
      return {
        tools: [],
        instructions: [],
        problems: [{ server: server.name, reason: connection.redact(describeFault(error)) }],
      };
    }
  }

  /**
   * Takes a connection, and adds its release to `releases`.
   * @returns undefined when the pool is full.
   */
  #acquire(server: McpServer, releases: (() => void)[]): PooledConnection | undefined {
    const key = keyOf(server);
    const pooled = this.#pool.get(key) ?? this.#add(key, server);
    if (pooled === undefined) return undefined;
    pooled.users += 1;
    pooled.cancelIdle();
    releases.push(() => this.#release(key, pooled));
    return pooled;
  }

  #add(key: string, server: McpServer): PooledConnection | undefined {
    if (this.#pool.size >= this.#options.most && !this.#evict()) return undefined;
    const connection = this.#options.connect(server);
    const pooled = { connection, users: 0, cancelIdle: () => undefined };
    this.#pool.set(key, pooled);
    return pooled;
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
    const { clock, idleMs } = this.#options;
    pooled.cancelIdle = clock.after(idleMs, () => this.#remove(key, pooled));
  }

  #remove(key: string, pooled: PooledConnection): void {
    pooled.cancelIdle();
    this.#pool.delete(key);
    void pooled.connection.close();
  }
}

/** The pool's key: definition and owner of a connection, hashed as the definition has credentials. */
function keyOf({ name, definition, onlyFor }: McpServer): string {
  const parts = canonicalJson([name, definition, onlyFor ?? null]);
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
