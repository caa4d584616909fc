import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Client,
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  type ClientCapabilities,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import {
  untilAborted,
  withDeadline,
  retryDelay,
  type RetryDelays,
} from '../../platform/async/deadlines.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { refusedHost } from '../../platform/net/addresses.js';
import { errorCode, withCauses } from '../../platform/error-code.js';
import type { ProtocolChoice } from './definitions.js';
import type { elicitResult } from './elicitation.js';
import { describeFault, isConnectionLost, isSessionDoubtful, McpFault } from './faults.js';
import { listTools, type McpToolList } from './offered-tools.js';
import { MessageTooLongError } from './messages.js';
import { LoginNeededError, OAuthLoginError } from './oauth/oauth-error.js';
import type { ServerAuth } from './oauth/server-auth.js';

export interface ConnectionOptions {
  server: string;
  openTransport(): Transport;
  protocol: ProtocolChoice;
  /** What the server may ask in its calls. */
  offers: Offers;
  /** Whether the server was found to know the protocol before 2026-07-28 only. */
  verdict: EraVerdict;
  /** Time limit to connect and list the tools, in ms. */
  connectMs: number;
  /** Longest time of a call that keeps reporting progress, in ms. */
  progressMs: number;
  clock: Clock;
  logger: Logger;
  /** Tokens for requests. Absent: none are sent. */
  auth?: ServerAuth | undefined;
  /** Removes the server's credentials from a text. */
  redact(text: string): string;
}

/** The questions that a server may ask in the middle of a call. Nothing else is declared to it. */
export interface Offers {
  /** Whether a person can be asked. */
  asks: boolean;
  /** The project's folder, which the server may be told. Absent: it may not. */
  root?: string;
}

/** Answers what a server asks while a call of it runs. */
export type Asker = (
  params: unknown,
  signal: AbortSignal,
) => Promise<ReturnType<typeof elicitResult>>;

/** A call under way, and what answers its questions. Absent: nobody. */
interface AskingCall {
  ask: Asker | undefined;
  signal: AbortSignal;
}

/** What is remembered of a server between its connections. */
export interface EraVerdict {
  isLegacy(): boolean;
  note(isLegacy: boolean): void;
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
  /** The start under way or done; another object after each loss. */
  #starting: object | undefined;
  /** Calls under way, by the client that they are made with, with what answers their questions. */
  readonly #calls = new Map<Client, Set<AskingCall>>();
  /** The call whose response a question came in, where each has a response of its own. */
  readonly #own = new AsyncLocalStorage<AskingCall>();
  /** Messages that were too long, by the client that they ended a call or the connection of. */
  readonly #tooLong = new WeakMap<Client, MessageTooLongError>();
  readonly #transports = new WeakMap<Client, Transport>();
  /** Why the server failed last. */
  #fault = 'it ended';

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock);
  }

  get server(): string {
    return this.#options.server;
  }

  get offers(): Offers {
    return this.#options.offers;
  }

  get progressMs(): number {
    return this.#options.progressMs;
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
    if (!live.stale) return live.listed;
    live.stale = false;
    const list = this.#inTime((limit) => listTools(live.client, limit));
    const listed = list.catch((error: unknown) => {
      live.stale = true;
      if (isSessionDoubtful(error)) this.retire(live.client);
      throw error;
    });
    live.listed = await untilAborted(
      this.#guard(() => listed),
      signal,
    );
    return live.listed;
  }

  isUp(client: Client): boolean {
    return this.#current === client;
  }

  /** A call was answered. */
  worked(): void {
    this.#backoff.worked();
  }

  /**
   * Makes a call with a client, which is not ended before.
   *
   * @param ask answers what the server asks meanwhile, by a server of the protocol before 2026-07-28. Absent: nobody.
   */
  async use<T>(client: Client, work: () => Promise<T>, ask?: Asker): Promise<T> {
    // What it asks is closed with it.
    const settled = new AbortController();
    const call = { ask, signal: settled.signal };
    const calls = this.#calls.get(client) ?? new Set();
    this.#calls.set(client, calls.add(call));
    try {
      return await this.#own.run(call, work);
    } finally {
      settled.abort(new Error('the call has ended'));
      calls.delete(call);
      if (calls.size === 0) {
        this.#calls.delete(client);
        if (this.#current !== client) this.#end(client);
      }
    }
  }

  /** Answers a question that came on a connection. On a pipe nothing says which call asks: there it must be the only one. */
  async #answer(client: Client, params: unknown): ReturnType<Asker> {
    const calls = [...(this.#calls.get(client) ?? [])];
    const own = this.#own.getStore();
    const asking = own !== undefined && calls.includes(own) ? own : calls.length === 1 && calls[0];
    if (asking === false || asking?.ask === undefined) {
      const why =
        calls.length > 1
          ? 'several calls are under way, and nothing says which one asks; set perSession for this server'
          : 'nobody can be asked now';
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, why);
    }
    return asking.ask(params, asking.signal);
  }

  /** Takes no more calls with a client whose session the server may have lost: the next one connects anew. */
  retire(client: Client): void {
    if (this.#current !== client) return;
    this.#forget();
    if (!this.#calls.has(client)) this.#end(client);
  }

  /** What ended a call, where all that the call has of it is that it ended. */
  causeOf(client: Client, error: unknown): unknown {
    return isConnectionLost(error) ? (this.#tooLong.get(client) ?? error) : error;
  }

  /** An error of a request; where a log-in would help, the question for it. */
  async faultOf(error: unknown): Promise<unknown> {
    const { auth } = this.#options;
    const known = withCauses(error);
    const own = known.find(
      (one) => one instanceof LoginNeededError || one instanceof OAuthLoginError,
    );
    const short = known.find((one) => one instanceof InsufficientScopeError);
    if (own !== undefined || short === undefined || auth === undefined) return own ?? error;
    return auth.needScopes(short.requiredScope).catch((reason: unknown) => reason);
  }

  async close(): Promise<void> {
    const clients = new Set([...this.#calls.keys(), ...(this.#current ? [this.#current] : [])]);
    this.#forget();
    await Promise.all(
      [...clients].map((client) => this.#closeClient(client).catch(() => undefined)),
    );
  }

  async #start(): Promise<LiveServer> {
    const waitMs = this.#backoff.waitMs();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new McpFault(`it failed before (${this.#fault}), and is tried again in ${seconds} s`);
    }
    const isStarting = (): boolean => this.#starting === start;
    const start = {};
    this.#starting = start;
    try {
      this.#backoff.started();
      return await this.#guard(() => this.#inTime((limit) => this.#connect(isStarting, limit)));
    } catch (error) {
      // False when the connection was closed meanwhile, which is no failure.
      if (isStarting()) {
        const client = this.#current;
        this.#forget();
        if (client !== undefined) this.#end(client);
        // A log-in changes that, not time.
        if (error instanceof LoginNeededError) throw error;
        this.#fault = describeFault(error);
        this.#backoff.failed();
      }
      throw error;
    }
  }

  /**
   * Connects as the server's era wants it: by what is remembered of it, otherwise with a question for its versions. A
   * server that takes that question badly (it ends, answers 500, or nothing) is asked in the older way by another
   * connection, and one that changed since it was remembered in the newer way.
   */
  async #connect(isStarting: () => boolean, limit: AbortSignal): Promise<LiveServer> {
    const { protocol, verdict, connectMs } = this.#options;
    const [first, second] = attemptsOf(protocol, verdict.isLegacy());
    const probeMs = Math.min(MAX_PROBE_MS, connectMs / 2);
    try {
      // A server that is not as it is remembered may keep silent: half of the time is left for the other way.
      const most = first === 'legacy' && second !== undefined ? connectMs / 2 : connectMs;
      return await this.#connectBy(first, { limit, probeMs, most });
    } catch (error) {
      if (second === undefined || limit.aborted || !isStarting() || isFinal(error)) throw error;
      if (this.#current !== undefined) this.#end(this.#current);
      return this.#connectBy(second, { limit, probeMs, most: connectMs });
    }
  }

  async #connectBy(
    mode: VersionNegotiationMode,
    { limit, probeMs, most }: { limit: AbortSignal; probeMs: number; most: number },
  ): Promise<LiveServer> {
    const { protocol, verdict, openTransport } = this.#options;
    const client = this.#openClient(mode, probeMs);
    const transport = openTransport();
    this.#transports.set(client, transport);
    await client.connect(transport, { signal: limit, timeout: most });
    const era = client.getProtocolEra();
    if (protocol === 'auto') verdict.note(era === 'legacy');
    const live: LiveServer = { client, listed: await listTools(client, limit), stale: false };
    const setStale = (): void => {
      live.stale = true;
    };
    client.setNotificationHandler('notifications/tools/list_changed', setStale);
    if (era === 'modern') followChanges(client, setStale);
    return live;
  }

  #openClient(mode: VersionNegotiationMode, timeoutMs: number): Client {
    const { logger, redact, server, offers } = this.#options;
    const client = new Client(
      { name: 'turnpike', version: '0.1.0' },
      {
        capabilities: capabilitiesOf(offers),
        versionNegotiation: { mode, probe: { timeoutMs } },
        inputRequired: { autoFulfill: false },
      },
    );
    this.#current = client;
    const { root } = offers;
    if (offers.asks) {
      client.setRequestHandler('elicitation/create', ({ params }) => this.#answer(client, params));
    }
    if (root !== undefined) client.setRequestHandler('roots/list', () => rootsOf(root));
    const hooks: Pick<Client, 'onerror' | 'onclose'> = {
      onerror: (error) => {
        if (error instanceof MessageTooLongError) this.#tooLong.set(client, error);
        logger.debug(
          { server, reason: redact(describeFault(error)) },
          'an MCP server reported an error',
        );
      },
      onclose: () => {
        if (this.#current !== client) return;
        logger.debug(
          { server },
          'the connection to an MCP server ended; a later call opens it again',
        );
        // An end during the start is a failure to start, and counted there.
        if (client.getServerCapabilities() === undefined) return;
        this.#forget();
        this.#fault = this.#tooLong.get(client)?.message ?? 'it ended';
        this.#backoff.died();
      },
    };
    Object.assign(client, hooks);
    return client;
  }

  #forget(): void {
    this.#current = undefined;
    this.#starting = undefined;
    this.#live = undefined;
  }

  #end(client: Client): void {
    this.#closeClient(client).catch(() => undefined);
  }

  /** Closes a client. While it asks for versions, the client has no transport yet. */
  async #closeClient(client: Client): Promise<void> {
    await (client.transport === undefined ? this.#transports.get(client) : client)?.close();
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
      const cause = await this.faultOf(error);
      if (cause instanceof LoginNeededError) throw cause;
      throw new McpFault(this.#options.redact(describeFault(cause)));
    }
  }
}

function capabilitiesOf({ asks, root }: Offers): ClientCapabilities {
  return {
    ...(asks && { elicitation: { form: {}, url: {} } }),
    ...(root !== undefined && { roots: {} }),
  };
}

/** The folder that a server is told of, as the protocol has it. */
export function rootsOf(root: string): { roots: { uri: string; name: string }[] } {
  return { roots: [{ uri: pathToFileURL(root).href, name: path.basename(root) }] };
}

/** Longest wait for the answer to the question for a server's versions, in ms. */
const MAX_PROBE_MS = 5_000;

/** The ways to connect, in order. */
function attemptsOf(
  protocol: ProtocolChoice,
  isLegacy: boolean,
): [VersionNegotiationMode, VersionNegotiationMode?] {
  if (protocol === 'legacy') return ['legacy'];
  if (protocol !== 'auto') return [{ pin: protocol }];
  return isLegacy ? ['legacy', 'auto'] : ['auto', 'legacy'];
}

/**
 * Whether a connection fails in any era: there is no process, or no host, or a log-in is needed. A refusal alone says
 * nothing: some servers answer 401 to whatever has no session.
 */
function isFinal(error: unknown): boolean {
  if (refusedHost(error) !== undefined || error instanceof LoginNeededError) return true;
  return withCauses(error).some((one) => {
    const code = errorCode(one);
    return code !== undefined && /^E[A-Z]+$/.test(code);
  });
}

/** Follows changes of a server's tools by a request that stays open. Without it, any use may find others. */
function followChanges(client: Client, setStale: () => void): void {
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
  client
    .listen({ toolsListChanged: true })
    .then((subscription) => subscription.closed)
    .then(setStale, setStale);
}

const retryDelays: RetryDelays = { firstMs: 1_000, maxMs: 60_000 };
/** Uptime after which a death is no longer a failure to start, in ms. */
const steadyMs = 60_000;

/** Exponential backoff for the restart of a server: at once after the first death, then ever later. */
export class Backoff {
  #failures = 0;
  #notBefore = 0;
  #startedAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the server may be started; 0: now. */
  waitMs(): number {
    return Math.max(0, this.#notBefore - this.clock.now());
  }

  started(): void {
    this.#startedAt = this.clock.now();
  }

  /** The server answered a call. */
  worked(): void {
    this.#failures = 0;
  }

  /** The server could not be started. */
  failed(): void {
    this.#failures += 1;
    this.#wait(this.#failures);
  }

  /** The server ended while it was up. */
  died(): void {
    if (this.clock.now() - this.#startedAt >= steadyMs) this.#failures = 0;
    this.#failures += 1;
    if (this.#failures > 1) this.#wait(this.#failures - 1);
  }

  #wait(failures: number): void {
    this.#notBefore = this.clock.now() + retryDelay(retryDelays, failures - 1);
  }
}
