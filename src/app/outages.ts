import type { Dependency } from '../operations/dependencies.js';
import { withTimeout } from '../platform/async/deadlines.js';
import type { Clock } from '../platform/clock.js';
import { errorCode } from '../platform/error-code.js';
import type { LogFields, Logger } from '../platform/logger.js';
import { driverError, isServiceAway } from '../storage/database-errors.js';

/** A service, whatever the server uses it for. */
type Service = Pick<Dependency, 'label' | 'ping'>;

/** Time between two looks for a service that is away, in ms. */
const LOOK_MS = 1_000;

/** Longest time for a service to answer, in ms. */
const ANSWER_MS = 2_000;

/** Time in which broken connections to services that answer are one line, in ms. */
const BROKEN_MS = 60_000;

/**
 * Says once that a service is away, and once that it is back. Everything that fails meanwhile for that reason would
 * be a line of its own, every second and in every part of the server: these lines are at `debug`.
 */
export class Outages {
  #services: readonly Service[] = [];
  /** When each service that is away was found to be, by its label. */
  readonly #awaySince = new Map<string, number>();
  #isLooking = false;
  #isStopped = false;
  #saidBrokenAt = Number.NEGATIVE_INFINITY;
  #cancelTimer = (): void => undefined;

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  /** The logger of a server, whose lines about services that are away become these few. */
  log(inner = this.logger): Logger {
    const lineAt =
      (level: 'warn' | 'error') =>
      (fields: LogFields, message: string): void => {
        const isOutage = fields['service'] !== undefined || isServiceAway(fields['error']);
        inner[isOutage ? 'debug' : level](fields, message);
        if (isOutage) this.#suspect(fields['error']);
      };
    return {
      debug: (fields, message) => inner.debug(fields, message),
      info: (fields, message) => inner.info(fields, message),
      warn: lineAt('warn'),
      error: lineAt('error'),
      child: (fields) => this.log(inner.child(fields)),
    };
  }

  /** From now on these services are looked at when something failed. Until then a start says what is away. */
  watch(dependencies: readonly Dependency[]): void {
    const labels = [...new Set(dependencies.map(({ label }) => label))];
    this.#services = labels.map((label) => {
      const own = dependencies.filter((one) => one.label === label);
      return { label, ping: async () => void (await Promise.all(own.map(({ ping }) => ping()))) };
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  #suspect(error: unknown): void {
    if (this.#isLooking || this.#isStopped || this.#services.length === 0) return;
    this.#isLooking = true;
    void this.#look(error);
  }

  async #look(suspicion?: unknown): Promise<void> {
    await Promise.all(this.#services.map((service) => this.#lookAt(service)));
    if (this.#isStopped) return;
    if (this.#awaySince.size > 0) {
      this.#cancelTimer = this.clock.after(LOOK_MS, () => void this.#look());
      return;
    }
    this.#isLooking = false;
    if (suspicion === undefined || this.clock.now() - this.#saidBrokenAt < BROKEN_MS) return;
    this.#saidBrokenAt = this.clock.now();
    const reason = reasonOf(suspicion);
    this.logger.warn(
      { reason },
      'a connection broke, but its service answers; turns go on, and requests that were in flight may have got 503',
    );
  }

  async #lookAt({ label, ping }: Service): Promise<void> {
    const reason = await withTimeout(ANSWER_MS, ping()).then(
      (isAnswered) => (isAnswered ? undefined : `no answer in ${ANSWER_MS / 1_000} s`),
      reasonOf,
    );
    if (this.#isStopped) return;
    const since = this.#awaySince.get(label);
    if (reason === undefined && since !== undefined) {
      this.#awaySince.delete(label);
      const seconds = Math.round((this.clock.now() - since) / 1_000);
      this.logger.info({ service: label }, `${label} is back after ${seconds} s`);
    }
    if (reason !== undefined && since === undefined) {
      this.#awaySince.set(label, this.clock.now());
      this.logger.warn(
        { service: label, reason },
        `${label} does not answer or takes no writes; requests that need it wait or get 503 or 507 until it does. No accepted turn is lost`,
      );
    }
  }
}

/** What the driver says, without the statement. */
function reasonOf(error: unknown): string {
  const cause = driverError(error);
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' ? (errorCode(cause) ?? cause.name) : cause.message;
}
