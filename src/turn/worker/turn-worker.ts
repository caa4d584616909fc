import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Metrics } from '../../metrics/metrics.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { detached } from '../../tracing/tracing.js';
import { turnLogger } from '../attempt/attempt-opener.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';
import type { Claim } from '../queue/claim-statements.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';
import { Lease } from '../state/lease.js';
import { AttemptTracer } from './attempt-tracer.js';
import { keepLease } from './keep-lease.js';
import { Recoveries } from './recoveries.js';
import { RunningTurns } from './running-turns.js';
import { WorkerSlot, WorkerSlots } from './worker-slot.js';

/** Claims a turn for each wake-up, and runs it to its end or leaves it to its next attempt. */
@Injectable()
export class TurnWorker {
  readonly #running = new RunningTurns();
  readonly #slots: WorkerSlots;
  readonly #recoveries: Recoveries;
  /** Claims under way, and the turns that hints named meanwhile: a claim may not have seen their cause. */
  #claiming = 0;
  readonly #hinted = new Set<string>();
  /** Claims under way, until what they took has begun or is back among the turns that wait. */
  readonly #inHand = new Set<Promise<unknown>>();
  /** Turns that go on though the queue has their slots back. */
  readonly #away = new Set<Promise<void>>();
  #stopListening = (): void => undefined;
  #stopping = false;
  #isDrained = false;

  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(SIGNAL_BUS) private readonly bus: Pick<SignalBus, 'onCancel'>,
    @Inject(TurnClaims) private readonly claims: TurnClaims,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG)
    private readonly config: Pick<
      Config,
      'drainMs' | 'leaseMs' | 'mostAttempts' | 'workerConcurrency'
    >,
    private readonly attempts: AttemptTracer,
    private readonly metrics: Metrics,
  ) {
    this.#recoveries = new Recoveries(config.mostAttempts);
    this.#slots = new WorkerSlots(config.workerConcurrency);
    metrics.workerSlots.set(config.workerConcurrency);
  }

  async start(): Promise<void> {
    const { queue, bus } = this;
    this.#stopListening = await bus.onCancel((turnId) => this.#look(turnId));
    // The queue of one process hands the wake-up on within the request that sent it.
    await queue.consume(() => detached(() => this.#take()));
  }

  /** Takes no more turns, gives those that run `drainMs` to end, and releases the rest. */
  async stop(): Promise<void> {
    const { queue, clock, config } = this;
    this.#stopping = true;
    const cancelTimer = clock.after(config.drainMs, () => {
      this.#isDrained = true;
      this.#running.endAll('shutdown');
    });
    await queue.close();
    await Promise.all(this.#away);
    cancelTimer();
    this.#stopListening();
  }

  /** Resolves when the attempt is over or has given its slot away, and goes on beside others. */
  async #take(): Promise<void> {
    const slot = new WorkerSlot(this.#slots);
    await slot.take();
    const done = this.#work(slot).finally(() => slot.leave());
    const isDone = await Promise.race([done.then(() => true), slot.givenAway.then(() => false)]);
    if (isDone) return;
    // The error is in the log: nobody waits for this wake-up any more.
    const away = done.catch(() => undefined);
    this.#away.add(away);
    void away.finally(() => this.#away.delete(away));
  }

  async #work(slot: WorkerSlot): Promise<void> {
    const { claims, clock, config } = this;
    const begun = await this.#track(this.#begin());
    if (begun === undefined) return;
    const { claim, isHinted, recovered } = begun;
    const lease = new Lease();
    if (this.#isDrained) lease.end('shutdown');
    lease.onProgress = recovered;
    const logger = turnLogger(this.logger, claim);
    const heartbeat = keepLease({
      claims,
      claim,
      lease,
      clock,
      leaseMs: config.leaseMs,
      onError: (error) => logger.warn({ error }, 'the lease could not be extended'),
    });
    this.metrics.turnsRunning.inc();
    const remove = this.#running.add(claim.id, { lease, beat: heartbeat.beat });
    if (isHinted) void heartbeat.beat();
    try {
      // A turn that ends its process must not cost those an attempt that were to wait for it.
      if (claim.attempt > 1) await Promise.allSettled(this.#inHand);
      await this.attempts.run(claim, { lease, slot });
    } catch (error) {
      logger.error({ error }, 'a turn could not be worked on');
      throw error;
    } finally {
      heartbeat.stop();
      recovered();
      remove();
      this.metrics.turnsRunning.dec();
      if (lease.reason === 'shutdown') await claims.release(claim);
    }
  }

  /** Claims a turn, and puts it back where it has to wait for takeovers that run here. */
  async #begin(): Promise<{ claim: Claim; isHinted: boolean; recovered: () => void } | undefined> {
    const claimed = await this.#claim();
    if (claimed === undefined) return undefined;
    const recovered = this.#recoveries.begin(claimed.claim);
    if (recovered === undefined) await this.claims.postpone(claimed.claim);
    return recovered && { ...claimed, recovered };
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#inHand.add(work);
    try {
      return await work;
    } finally {
      this.#inHand.delete(work);
    }
  }

  async #claim(): Promise<{ claim: Claim; isHinted: boolean } | undefined> {
    if (this.#stopping) return undefined;
    this.#claiming += 1;
    try {
      const claim = await this.claims.claimNext(() => new Date(this.clock.now()));
      return claim && { claim, isHinted: this.#hinted.has(claim.id) };
    } finally {
      this.#claiming -= 1;
      if (this.#claiming === 0) this.#hinted.clear();
    }
  }

  /** A hint: the owner of the turn and a request for its end are in the database. */
  #look(turnId: string): void {
    if (this.#claiming > 0) this.#hinted.add(turnId);
    this.#running.beat(turnId);
  }
}
