import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { Backoff } from './backoff.js';
import { describeFault, McpFault } from './faults.js';
import type { ServerDoor } from './open-transport.js';
import type { NotedState } from './server-states.js';

export interface StartsOptions {
  server: string;
  door: ServerDoor;
  clock: Clock;
  logger: Logger;
  /** Removes the server's credentials from a text. */
  redact(text: string): string;
  /** Called with what is found of the server. */
  onState(state: NotedState): void;
}

/** The starts of one server: when the next one may be, and what turns are told until one succeeds. */
export class Starts {
  readonly #options: StartsOptions;
  readonly #again: () => void;
  readonly #backoff: Backoff;
  /** Why the server failed last, and the same with what explains it to turns and to the operator. */
  #fault = { short: 'it ended', forTurn: 'it ended', whole: 'it ended' };
  #state: 'down' | 'up' | 'broken' = 'down';
  /** Whether a server that is broken is tried again by itself. */
  #isRetried = false;
  #cancelRetry: (() => void) | undefined;

  /** @param again starts the server, in the background. */
  constructor(options: StartsOptions, again: () => void) {
    this.#options = options;
    this.#again = again;
    this.#backoff = new Backoff(options.clock);
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** Whether the last start failed, or the server keeps ending. */
  get isBroken(): boolean {
    return this.#state === 'broken';
  }

  /** Milliseconds that are left of `ms` since the start under way began; 0 at least. */
  leftOf(ms: number): number {
    return Math.max(0, this.#backoff.startedAt + ms - this.#options.clock.now());
  }

  /** A start begins. @throws McpFault where it is too early for another one. */
  begin(): void {
    const waitMs = this.#backoff.waitMs();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new McpFault(
        `it failed before (${this.#fault.short}), and is tried again in ${seconds} s`,
      );
    }
    this.#cancelRetry?.();
    this.#backoff.started();
    if (this.isBroken) return;
    this.#state = 'down';
    this.#options.onState({ state: 'starting' });
  }

  succeeded(tools: number): void {
    this.#state = 'up';
    this.#options.onState({ state: 'working', tools });
  }

  /** The server was started, and lists no tools before a log-in: that changes it, not time. */
  needsLogin(): void {
    this.#options.onState({ state: 'login', tools: 0 });
  }

  /** A start failed. Another one follows, whether or not a turn asks. */
  failed(error: unknown): void {
    const { server, door, logger, redact, onState } = this.#options;
    const reason = redact(describeFault(error));
    const isNews = !this.isBroken || reason !== this.#fault.short;
    this.#explain(reason);
    this.#backoff.failed();
    this.#broke(!(error instanceof McpFault && error.isLasting));
    onState({ state: 'failed', tools: 0, problems: [this.#fault.whole], stderr: door.stderr() });
    logger[isNews ? 'warn' : 'debug'](
      { server, reason, stderr: door.stderr(true) },
      'an MCP server did not start; turns continue without it, and it is tried again. Correct its definition, or the server',
    );
  }

  /** The server ended while it was up. @param reason a clause. */
  died(reason: string): void {
    const { door, onState } = this.#options;
    this.#explain(reason);
    this.#backoff.died();
    this.#state = 'down';
    if (this.#backoff.waitMs() > 0) this.#broke(true);
    onState({ state: 'stopped', problems: [this.#fault.whole], stderr: door.stderr() });
  }

  /** A call was answered. */
  worked(): void {
    this.#backoff.worked();
  }

  /** Why a turn does not have the server: the same sentence for as long as it fails in the same way. */
  faultForTurn(): McpFault {
    const again = this.#isRetried ? '; it is tried again in the background' : '';
    return new McpFault(`${this.#fault.forTurn}${again}`);
  }

  /** The connection is closed, and opened again when it is asked for. */
  closed(): void {
    this.#cancelRetry?.();
    if (this.isBroken) return;
    this.#state = 'down';
    this.#options.onState({ state: 'stopped' });
  }

  #explain(reason: string): void {
    const { door, redact } = this.#options;
    const { forTurn, whole } = door.explain(reason);
    this.#fault = { short: reason, forTurn: redact(forTurn), whole: redact(whole) };
  }

  #broke(isRetried: boolean): void {
    this.#state = 'broken';
    this.#isRetried = isRetried;
    if (isRetried) this.#retryLater();
  }

  #retryLater(): void {
    // A timer may come a moment too early.
    const retry = (): void => (this.#backoff.waitMs() > 0 ? this.#retryLater() : this.#again());
    this.#cancelRetry = this.#options.clock.after(this.#backoff.waitMs(), retry);
  }
}
