import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '../../platform/logger.js';
import { untilAborted, withTimeout } from '../../platform/async/deadlines.js';
import { withoutTraceContext } from '../../telemetry/tracing.js';
import { turnLogger } from '../attempt/attempt-telemetry.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';
import type { Claim } from '../state/attempt.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';
import { Lease } from '../state/lease.js';
import { keepLease, RunningTurns } from './keep-lease.js';
import { TakeoverGuard } from '../queue/takeover-guard.js';
import { QueueNotifier } from '../queue/queue-notifier.js';
import { AttemptServices } from '../state/attempt-services.js';
import { ToolSources } from '../state/tool-source.js';
import { Delegator } from '../subagents/delegator.js';
import { runAttempt } from './run-attempt.js';
import { WorkerLives } from './worker-lives.js';
import { WorkerSlots, type WorkerSlot } from './worker-slot.js';

/** Turns that a worker claims at once: those that come in a burst spread over workers. */
const MAX_CLAIMED_TURNS = 16;

/** Time beyond the drain that a stop waits for turns, in ms: for their tools and their logs. */
const HAND_BACK_MS = 10_000;

/**
 * Claims the turns that are next for the slots that are free, for each token of the queue, and runs each to its end
 * or leaves it to its next attempt.
 */
@Injectable()
export class TurnWorker {
  readonly #running = new RunningTurns();
  #stopped: Promise<void> | undefined;
  readonly #slots: WorkerSlots;
  readonly #takeovers: TakeoverGuard;
  /** Turns until they have left their slots. */
  readonly #turns = new Set<Promise<void>>();
  /** Settles when no claim is under way. */
  #claiming: Promise<unknown> = Promise.resolve();
  /** Turns that hints named while a claim is under way, which may not have seen their cause; absent: none is. */
  #hinted: Set<string> | undefined;
  #stopListening = (): void => undefined;
  /** Settles when no turn waits. */
  #claims: Promise<void> | undefined;
  /** Whether turns may have come that the claims under way do not see. */
  #isAsked = false;
  readonly #stopping = new AbortController();
  #isDrained = false;

  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    private readonly claims: TurnClaims,
    private readonly services: AttemptServices,
    private readonly delegator: Delegator,
    private readonly toolSources: ToolSources,
    private readonly notifier: QueueNotifier,
    private readonly lives: WorkerLives,
  ) {
    const { config, metrics } = services;
    this.#takeovers = new TakeoverGuard(config.maxAttempts);
    this.#slots = new WorkerSlots(config.workerConcurrency);
    metrics.workerSlots.set(config.workerConcurrency);
  }

  async start(): Promise<void> {
    const { queue, bus, lives } = this;
    await lives.start();
    const stops = await Promise.all([
      bus.onCancel((turnId) => this.#look(turnId)),
      bus.onTurn(() => this.#claimOnHint()),
    ]);
    this.#stopListening = () => stops.forEach((stop) => stop());
    // The queue of one process hands the token on within the request that sent it.
    await queue.consume(() => withoutTraceContext(() => this.#claimWaiting()));
  }

  /** Takes no more turns, gives those that run `drainMs` to end, and releases the rest. May be called again. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#drain());
  }

  async #drain(): Promise<void> {
    const {
      queue,
      lives,
      services: { clock, config },
    } = this;
    this.#stopping.abort();
    const cancelTimer = clock.after(config.drainMs, () => {
      this.#isDrained = true;
      this.#running.endAll('shutdown');
    });
    await queue.close();
    await Promise.allSettled([this.#claims]);
    await withTimeout(config.drainMs + HAND_BACK_MS, Promise.all(this.#turns));
    cancelTimer();
    this.#stopListening();
    await lives.stop();
  }

  /** Claims until no turn waits that came before this call. Calls at the same time share their claims. */
  #claimWaiting(): Promise<void> {
    this.#isAsked = true;
    const claimAsked = async (): Promise<void> => {
      while (this.#isAsked) {
        this.#isAsked = false;
        await this.#claimForSlots();
      }
    };
    return (this.#claims ??= claimAsked().finally(() => (this.#claims = undefined)));
  }

  #claimOnHint(): void {
    if (this.#stopping.signal.aborted) return;
    this.#claimWaiting().catch((error: unknown) =>
      this.services.logger.warn(
        { error },
        'could not claim queued turns; the sweeper wakes the worker again',
      ),
    );
  }

  /** Claims until no turn waits: for the slots that are free, and again whenever one is. */
  async #claimForSlots(): Promise<void> {
    const { signal } = this.#stopping;
    const handOn = once(() => {
      const warn = (error: unknown): void =>
        this.services.logger.warn(
          { error },
          'could not wake another worker for queued turns; the sweeper wakes one',
        );
      this.queue.wake().catch(warn);
    });
    while (!signal.aborted) {
      const claiming = this.#claimForFree(handOn);
      this.#claiming = claiming.catch(() => undefined);
      if (!(await claiming)) return;
      try {
        await untilAborted(this.#slots.untilFree(), signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  /**
   * Claims until no slot is free or no turn waits, some turns at a time.
   *
   * @param handOn is called where turns may wait for which other workers have slots: their token is here.
   * @returns whether turns may wait.
   */
  async #claimForFree(handOn: () => void): Promise<boolean> {
    while (!this.#stopping.signal.aborted) {
      const slots = await this.#slots.takeFree(MAX_CLAIMED_TURNS);
      if (slots.length === 0) return true;
      if (!(await this.#claimFor(slots))) return false;
      handOn();
    }
    return false;
  }

  /** Claims a turn for each slot. @returns whether turns may wait. */
  async #claimFor(slots: WorkerSlot[]): Promise<boolean> {
    const {
      claims,
      services: { clock },
    } = this;
    const most = slots.length;
    this.#hinted = new Set();
    try {
      const claimed = await claims.claimNext(most, new Date(clock.now()), this.bus.workerId);
      const postponed: Promise<void>[] = [];
      for (const claim of claimed) {
        const proven = this.#takeovers.begin(claim);
        const slot = proven && slots.pop();
        if (proven !== undefined && slot !== undefined) this.#begin(claim, { slot, proven });
        // The turn has to wait for takeovers that run here.
        else postponed.push(claims.postpone(claim));
      }
      await Promise.all(postponed);
      return claimed.length === most;
    } finally {
      this.#hinted = undefined;
      for (const slot of slots) slot.leave();
    }
  }

  #begin(claim: Claim, { slot, proven }: { slot: WorkerSlot; proven: () => void }): void {
    const turn = this.#run(claim, { slot, proven }).finally(() => {
      slot.leave();
      this.#turns.delete(turn);
    });
    this.#turns.add(turn);
  }

  /** Runs one attempt. Its faults are logged: the turn waits for the end of its lease. */
  async #run(
    claim: Claim,
    { slot, proven }: { slot: WorkerSlot; proven: () => void },
  ): Promise<void> {
    const { claims, services, delegator, toolSources, notifier } = this;
    const { clock, config, metrics } = services;
    const lease = new Lease();
    if (this.#isDrained) lease.end('shutdown');
    lease.onProgress = proven;
    // Mostly there is nothing to be said: the attempt has a logger of its own.
    const logger = (): Logger => turnLogger(services.logger, claim);
    const heartbeat = keepLease({
      claims,
      claim,
      lease,
      clock,
      leaseMs: config.leaseMs,
      onError: (error) =>
        logger().warn(
          { error },
          'could not renew the lease of a turn; trying again, and another worker takes the turn if the lease ends',
        ),
    });
    metrics.turnsRunning.inc();
    const remove = this.#running.add(claim.id, { lease, beat: heartbeat.beat });
    if (this.#hinted?.has(claim.id) === true) void heartbeat.beat();
    try {
      // A turn that ends its process must not cost those an attempt that are being claimed.
      if (claim.attempt > 1) await this.#claiming;
      await runAttempt({ services, delegator, toolSources, notifier }, claim, { lease, slot });
    } catch (error) {
      logger().error(
        { error },
        'could not end a turn after its attempt failed; the next attempt starts when the lease ends',
      );
    } finally {
      heartbeat.stop();
      proven();
      remove();
      metrics.turnsRunning.dec();
      if (lease.reason === 'shutdown') await this.#release(claim);
    }
  }

  async #release(claim: Claim): Promise<void> {
    try {
      await this.claims.release(claim);
    } catch (error) {
      turnLogger(this.services.logger, claim).warn(
        { error },
        'could not hand a turn back at the stop; another worker takes it when its lease ends',
      );
    }
  }

  /** A hint: the owner of the turn and a request for its end are in the database. */
  #look(turnId: string): void {
    this.#hinted?.add(turnId);
    this.#running.beat(turnId);
  }
}

/** @returns does the work on the first call alone. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
