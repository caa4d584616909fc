import {
  Client,
  InsufficientScopeError,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { untilAborted, withDeadline, withTimeout } from '../../platform/async/deadlines.js';
import { withCauses } from '../../platform/error-code.js';
import { AskingCalls, type Responder } from './asking-calls.js';
import { unwrapAsked, wrapAnswer } from './asked-params.js';
import type { ProtocolChoice } from './definitions.js';
import { samplingError } from './sampling.js';
import {
  describeFault,
  isConnectionLost,
  isFinal,
  isLasting,
  isSessionDoubtful,
  McpFault,
} from './faults.js';
import { capabilitiesOf, rootsOf, type Offers } from './offers.js';
import { attemptsOf, type EraVerdict } from './era-verdicts.js';
import { listTools, type McpToolList } from './offered-tools.js';
import { MessageTooLongError } from './messages.js';
import { Starts, type StartsOptions } from './starts.js';
import { LoginNeededError, OAuthLoginError } from './oauth/oauth-error.js';
import type { ServerAuth } from './oauth/server-auth.js';

export interface ConnectionOptions extends StartsOptions {
  protocol: ProtocolChoice;
  /** What the server may ask in its calls. */
  offers: Offers;
  /** Whether the server was found to know the protocol before 2026-07-28 only. */
  verdict: EraVerdict;
  /** Time limit to connect and list the tools, in ms. */
  connectMs: number;
  /** Longest wait of a turn for a start, in ms. */
  turnWaitMs: number;
  /** Longest time of a call that keeps reporting progress, in ms. */
  progressMs: number;
  /** Tokens for requests. Absent: none are sent. */
  auth?: ServerAuth | undefined;
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
  readonly #starts: Starts;
  #live: Promise<LiveServer> | undefined;
  #current: Client | undefined;
  /** The start under way or done; another object after each loss. */
  #starting: object | undefined;
  readonly #calls = new AskingCalls();
  /** Messages that were too long, by the client that they ended a call or the connection of. */
  readonly #tooLong = new WeakMap<Client, MessageTooLongError>();
  readonly #transports = new WeakMap<Client, Transport>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#starts = new Starts(options, () => {
      // A failure is noted by the start.
      this.ready(new AbortController().signal).catch(() => undefined);
    });
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

  /**
   * The server's tools, listed again after a change. A turn does not wait for a server that is known not to come up, nor
   * for long for another.
   *
   * @param isPatient whether the whole start is awaited. @throws as `ready` does.
   */
  async listTools(signal: AbortSignal, isPatient = false): Promise<McpToolList> {
    const live = await this.#readyForTurn(signal, isPatient);
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
    this.#starts.worked();
  }

  /**
   * Makes a call with a client, which is not ended before.
   *
   * @param responder answers what the server asks meanwhile, by a server of the protocol before 2026-07-28.
   */
  async use<T>(client: Client, work: () => Promise<T>, responder: Responder = {}): Promise<T> {
    try {
      return await this.#calls.run(client, responder, work);
    } finally {
      if (!this.#calls.has(client) && this.#current !== client) this.#end(client);
    }
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
    this.#starts.closed();
    const clients = new Set([...this.#calls.clients(), ...(this.#current ? [this.#current] : [])]);
    this.#forget();
    await Promise.all(
      [...clients].map((client) => this.#closeClient(client).catch(() => undefined)),
    );
  }

  async #readyForTurn(signal: AbortSignal, isPatient: boolean): Promise<LiveServer> {
    const { clock, turnWaitMs } = this.#options;
    // What failed the last time is tried in the background.
    const isTried = this.#starts.isBroken && !isPatient;
    const starting = this.ready(signal);
    try {
      if (isPatient || this.#starts.isUp) return await starting;
      const waitMs = isTried ? 0 : this.#starts.leftOf(turnWaitMs);
      if (waitMs > 0 && (await withTimeout(waitMs, starting, clock))) return await starting;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LoginNeededError) throw error;
      throw this.#starts.faultForTurn();
    }
    // Its end is noted by the start.
    starting.catch(() => undefined);
    if (isTried) throw this.#starts.faultForTurn();
    throw new McpFault('it is still starting, and turns that begin later have its tools');
  }

  async #start(): Promise<LiveServer> {
    this.#starts.begin();
    const isStarting = (): boolean => this.#starting === start;
    const start = {};
    this.#starting = start;
    try {
      const live = await this.#guard(() =>
        this.#inTime((limit) => this.#connect(isStarting, limit)),
      );
      this.#starts.succeeded(live.listed.tools.length);
      return live;
    } catch (error) {
      // False when the connection was closed meanwhile, which is no failure.
      if (isStarting()) {
        const client = this.#current;
        this.#forget();
        if (client !== undefined) this.#end(client);
        if (error instanceof LoginNeededError) this.#starts.needsLogin();
        else this.#starts.failed(error);
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
    const { protocol, verdict, door } = this.#options;
    const client = this.#openClient(mode, probeMs);
    const transport = door.open();
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
    this.#answerQuestions(client, offers);
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
        this.#starts.died(this.#tooLong.get(client)?.message ?? 'it ended');
      },
    };
    Object.assign(client, hooks);
    return client;
  }

  #answerQuestions(client: Client, { asks, root, sampling }: Offers): void {
    if (asks) {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const { answer, signal } = this.#calls.find(client, 'elicit');
        return wrapAnswer(await answer(unwrapAsked(params), signal));
      });
    }
    if (root !== undefined) client.setRequestHandler('roots/list', () => rootsOf(root));
    if (sampling === undefined) return;
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const { answer, signal } = this.#calls.find(client, 'sample');
      try {
        return await answer(unwrapAsked(params), AbortSignal.any([signal, mcpReq.signal]));
      } catch (error) {
        throw samplingError(error);
      }
    });
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
      throw new McpFault(this.#options.redact(describeFault(cause)), isLasting(cause));
    }
  }
}

/** Longest wait for the answer to the question for a server's versions, in ms. */
const MAX_PROBE_MS = 5_000;

/** Follows changes of a server's tools by a request that stays open. Without it, any use may find others. */
function followChanges(client: Client, setStale: () => void): void {
  if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
  client
    .listen({ toolsListChanged: true })
    .then((subscription) => subscription.closed)
    .then(setStale, setStale);
}
