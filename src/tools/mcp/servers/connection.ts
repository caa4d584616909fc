import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { untilAborted } from '../../../platform/async/abort.js';
import type { Clock } from '../../../platform/clock.js';
import type { Logger } from '../../../platform/logger.js';
import { withDeadline } from '../../../platform/async/with-deadline.js';
import { Backoff } from './backoff.js';
import { describeFault, McpFault } from '../offered/describe-fault.js';
import { listTools, type McpToolList } from '../offered/list-tools.js';

export interface ConnectionOptions {
  server: string;
  openTransport(): Transport;
  /** Time limit to connect and list the tools, in ms. */
  connectMs: number;
  clock: Clock;
  logger: Logger;
  /** Removes the server's credentials from a text. */
  redact(text: string): string;
}

/** A server that is up. */
export interface LiveServer {
  client: Client;
  listed: McpToolList;
  /** Whether the server has announced a change of its tools. */
  stale: boolean;
}

/**
 * The connection to one server: opened on demand, and again after a loss, with exponential backoff. Many
 * turns may use it at once.
 */
export class McpConnection {
  readonly #options: ConnectionOptions;
  readonly #backoff: Backoff;
  #live: Promise<LiveServer> | undefined;
  #current: Client | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock);
  }

  get server(): string {
    return this.#options.server;
  }

  redact(text: string): string {
    return this.#options.redact(text);
  }

  /**
   * The server, started unless it is up.
   *
   * @throws McpFault, redacted; the signal's reason, which does not stop the start for other callers.
   */
  async ready(signal: AbortSignal): Promise<LiveServer> {
    if (this.#live === undefined) {
      const starting = this.#start();
      this.#live = starting;
      starting.catch(() => {
        if (this.#live === starting) this.#live = undefined;
      });
    }
    return untilAborted(this.#live, signal);
  }

  /** The server's tools, listed again after a change. @throws as `ready` does. */
  async listTools(signal: AbortSignal): Promise<McpToolList> {
    const live = await this.ready(signal);
    if (live.stale) {
      live.stale = false;
      live.listed = await untilAborted(
        this.#guard(() => this.#inTime((limit) => listTools(live.client, limit))),
        signal,
      );
    }
    return live.listed;
  }

  isUp(client: Client): boolean {
    return this.#current === client;
  }

  /** A call was answered. */
  worked(): void {
    this.#backoff.worked();
  }

  /** Drops a client whose session the server has lost; the next call connects anew. */
  drop(client: Client): void {
    if (this.#current !== client) return;
    this.#forget();
    this.#end(client);
  }

  async close(): Promise<void> {
    const client = this.#current;
    this.#forget();
    await client?.close().catch(() => undefined);
  }

  async #start(): Promise<LiveServer> {
    const waitMs = this.#backoff.waitMs();
    if (waitMs > 0) {
      throw new McpFault(`it failed before; it is tried again in ${Math.ceil(waitMs / 1000)} s`);
    }
    const client = this.#openClient();
    try {
      return await this.#guard(async () => {
        const transport = this.#options.openTransport();
        return this.#inTime(async (limit) => {
          this.#backoff.started();
          await client.connect(transport, { signal: limit });
          const live = { client, listed: await listTools(client, limit), stale: false };
          client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
            live.stale = true;
          });
          return live;
        });
      });
    } catch (error) {
      // False when the connection was closed meanwhile, which is no failure.
      if (this.#current === client) {
        this.#forget();
        this.#backoff.failed();
      }
      this.#end(client);
      throw error;
    }
  }

  #openClient(): Client {
    const { logger, redact, server } = this.#options;
    const client = new Client({ name: 'turnpike', version: '0.1.0' }, { capabilities: {} });
    this.#current = client;
    const hooks: Pick<Client, 'onerror' | 'onclose'> = {
      onerror: (error) =>
        logger.debug({ server, reason: redact(describeFault(error)) }, 'an MCP server has a fault'),
      onclose: () => {
        if (this.#current !== client) return;
        logger.debug({ server }, 'an MCP server ended');
        // An end during the start is a failure to start, and counted there.
        if (client.getServerCapabilities() === undefined) return;
        this.#forget();
        this.#backoff.died();
      },
    };
    Object.assign(client, hooks);
    return client;
  }

  #forget(): void {
    this.#current = undefined;
    this.#live = undefined;
  }

  #end(client: Client): void {
    client.close().catch(() => undefined);
  }

  /** Rejects after the connection's time limit; work that hangs is not waited for. */
  #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, connectMs: ms } = this.#options;
    const reason = new McpFault(`it did not answer within ${ms} ms`);
    return withDeadline(clock, { ms, reason }, (signal) => untilAborted(work(signal), signal));
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new McpFault(this.#options.redact(describeFault(error)));
    }
  }
}
