import { createHash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.js';
import { canonicalJson } from '../../../platform/json.js';
import type { RegisteredTool } from '../../registry.js';
import type { McpConnection } from './connection.js';
import { describeFault } from '../offered/describe-fault.js';
import type { McpProblem, McpServer } from './mcp-server.js';
import { offerTools } from '../offered/offer-tools.js';

export interface ConnectionPoolOptions {
  clock: Clock;
  /** How long a connection that no turn has is kept, in ms. */
  idleMs: number;
  /** Most connections at a time; the one unused for longest goes first. */
  most: number;
  connect(server: McpServer): McpConnection;
}

/** The servers of one turn. */
export interface OpenedServers {
  /** Each with its check made, for `openTools`. */
  tools: RegisteredTool[];
  problems: McpProblem[];
  /** Gives the connections back; later turns use them. */
  close(): Promise<void>;
}

interface PooledConnection {
  connection: McpConnection;
  users: number;
  cancelIdle: () => void;
}

/** The connections of a process. Turns share one where its definition and its owner are the same. */
export class McpConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** Those without users first come in the order they were let go. */
  readonly #slots = new Map<string, PooledConnection>();
  /** What servers that are nobody's alone had when a turn asked last, by their names. */
  readonly #listed = new Map<string, readonly RegisteredTool[]>();

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /**
   * Connects to all servers at once. One that does not come up is a problem, and its turn goes on.
   *
   * @throws the signal's reason when it aborts.
   */
  async open(
    servers: readonly McpServer[],
    { signal }: { signal: AbortSignal },
  ): Promise<OpenedServers> {
    const held: (() => void)[] = [];
    const release = (): void => {
      for (const letGo of held.splice(0)) letGo();
    };
    try {
      const opened = await Promise.all(
        servers.map(async (server) => {
          const slot = this.#hold(server, held);
          if (slot === undefined) {
            const reason = 'too many MCP servers are in use on this worker; try again later';
            return { tools: [], problems: [{ server: server.name, reason }] };
          }
          return this.#openOne(server, slot.connection, signal);
        }),
      );
      // Two servers have no name in common, and so no tool.
      const tools = opened.flatMap((one) => one.tools);
      const problems = opened.flatMap((one) => one.problems);
      return { tools, problems, close: async () => release() };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Tools of servers that every session may use, as far as turns have used them here. */
  listKnown(): RegisteredTool[] {
    return [...this.#listed.values()].flat();
  }

  /** Ends every connection. Calls that run fail. */
  async close(): Promise<void> {
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    for (const { cancelIdle } of slots) cancelIdle();
    await Promise.all(slots.map(({ connection }) => connection.close()));
  }

  async #openOne(
    server: McpServer,
    connection: McpConnection,
    signal: AbortSignal,
  ): Promise<Pick<OpenedServers, 'tools' | 'problems'>> {
    try {
      const { tools: listed, problems } = await connection.listTools(signal);
      const { tools, hidden } = firstByName(offerTools(server, listed, connection));
      if (server.onlyFor === undefined) this.#listed.set(server.name, tools);
      const twice = hidden.map((name) => `a second tool would be called ${name}: it is left out`);
      return {
        tools,
        problems: [...problems, ...twice].map((reason) => ({
          server: server.name,
          reason: connection.redact(reason),
        })),
      };
    } catch (error) {
      signal.throwIfAborted();
      return {
        tools: [],
        problems: [{ server: server.name, reason: connection.redact(describeFault(error)) }],
      };
    }
  }

  /** @returns undefined when there is no room. What it takes is let go by a function in `held`. */
  #hold(server: McpServer, held: (() => void)[]): PooledConnection | undefined {
    const key = keyOf(server);
    const slot = this.#slots.get(key) ?? this.#add(key, server);
    if (slot === undefined) return undefined;
    slot.users += 1;
    slot.cancelIdle();
    held.push(() => this.#letGo(key, slot));
    return slot;
  }

  #add(key: string, server: McpServer): PooledConnection | undefined {
    if (this.#slots.size >= this.#options.most && !this.#evict()) return undefined;
    const connection = this.#options.connect(server);
    const slot = { connection, users: 0, cancelIdle: () => undefined };
    this.#slots.set(key, slot);
    return slot;
  }

  #evict(): boolean {
    const idle = [...this.#slots].find(([, { users }]) => users === 0);
    if (idle === undefined) return false;
    this.#remove(...idle);
    return true;
  }

  #letGo(key: string, slot: PooledConnection): void {
    slot.users -= 1;
    if (slot.users > 0 || this.#slots.get(key) !== slot) return;
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    const { clock, idleMs } = this.#options;
    slot.cancelIdle = clock.after(idleMs, () => this.#remove(key, slot));
  }

  #remove(key: string, slot: PooledConnection): void {
    slot.cancelIdle();
    this.#slots.delete(key);
    void slot.connection.close();
  }
}

/** Of what a connection is made of and who may use it. A hash: the definition holds credentials. */
function keyOf({ name, definition, onlyFor }: McpServer): string {
  const parts = canonicalJson([name, definition, onlyFor ?? null]);
  return createHash('sha256').update(parts).digest('hex');
}

/** A server may list two tools whose names become the same: one that is called as another's hash. */
function firstByName(tools: readonly RegisteredTool[]) {
  const first = new Map<string, RegisteredTool>();
  const hidden: string[] = [];
  for (const tool of tools) {
    if (first.has(tool.name)) hidden.push(tool.name);
    else first.set(tool.name, tool);
  }
  return { tools: [...first.values()], hidden };
}
