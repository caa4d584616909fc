import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { turnLogger } from '../attempt/attempt-opener.js';
import { chooseFairly } from '../queue/choose-fairly.js';
import { claimFairly, type WakeUp } from '../queue/claim-fairly.js';
import { FairChoice } from '../queue/fair-choice.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';
import type { Claim } from '../queue/claim-statements.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';
import { Lease } from '../state/lease.js';
import { AttemptRunner } from './attempt-runner.js';
import { keepLease } from './keep-lease.js';
import { Recoveries } from './recoveries.js';
import { RunningTurns } from './running-turns.js';
import { WorkerSlot, WorkerSlots } from './worker-slot.js';

interface Claimed {
  claim: Claim;
  lease: Lease;
  /** A hint came during the claim, which may not have seen its cause. */
  isHinted: boolean;
}

/** Takes turns from the queue and runs each to its end, or leaves it to its next attempt. */
@Injectable()
export class TurnWorker {
  readonly #running = new RunningTurns();
  readonly #choice: FairChoice;
  readonly #slots: WorkerSlots;
  readonly #recoveries: Recoveries;
  /** Turns that go on though the queue has their slots back. */
  readonly #away = new Set<Promise<void>>();
  #stopListening = (): void => undefined;
  #stopping = false;

  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(SIGNAL_BUS) private readonly bus: Pick<SignalBus, 'onCancel'>,
    @Inject(TurnClaims) private readonly claims: TurnClaims,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(DATABASE) db: Database,
    @Inject(CONFIG)
    private readonly config: Pick<
      Config,
      'drainMs' | 'leaseMs' | 'mostAttempts' | 'workerConcurrency'
    >,
    private readonly runner: AttemptRunner,
  ) {
    this.#recoveries = new Recoveries(config.mostAttempts);
    this.#slots = new WorkerSlots(config.workerConcurrency);
    this.#choice = new FairChoice((choice) => chooseFairly(db, choice));
  }

  async start(): Promise<void> {
    const { queue, bus } = this;
    // A hint: the owner of the turn and a request for its end are in the database.
    const look = (turnId: string): void => this.#running.beat(turnId);
    this.#stopListening = await bus.onCancel(look);
    await queue.consume({
      handle: (turnId, isRecovered) => this.#take({ turnId, isRecovered }),
      onDoubt: look,
    });
  }

  /** Takes no more turns, gives those that run `drainMs` to end, and releases the rest. */
  async stop(): Promise<void> {
    const { queue, clock, config } = this;
    this.#stopping = true;
    const cancelTimer = clock.after(config.drainMs, () => this.#running.endAll('shutdown'));
    await queue.close();
    await Promise.all(this.#away);
    cancelTimer();
    this.#stopListening();
  }

  /** Resolves when the attempt is over or has given its slot away, and goes on beside others. */
  async #take(wakeUp: WakeUp): Promise<void> {
    const slot = new WorkerSlot(this.#slots);
    await slot.take();
    const done = this.#work(wakeUp, slot).finally(() => slot.leave());
    const isDone = await Promise.race([done.then(() => true), slot.givenAway.then(() => false)]);
    if (isDone) return;
    const away = done.catch((error: unknown) =>
      this.logger.error({ wakeUp, error }, 'a turn could not be worked on'),
    );
    this.#away.add(away);
    void away.finally(() => this.#away.delete(away));
  }

  async #work(wakeUp: WakeUp, slot: WorkerSlot): Promise<void> {
    const { claims, clock, config } = this;
    const claimed = await claimFairly(wakeUp, {
      now: clock.now(),
      choice: this.#choice,
      claim: (turnId) => this.#claim(turnId),
    });
    if (claimed === undefined) return;
    const { claim, lease, isHinted } = claimed;
    const recovered = this.#recoveries.begin(claim);
    if (recovered === undefined) return claims.postpone(claim);
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
    // A doubt about the wake-up's job is a doubt about the turn that was claimed for it.
    const ids = [claim.id, wakeUp.turnId];
    const remove = this.#running.add(ids, { lease, beat: heartbeat.beat });
    if (isHinted) void heartbeat.beat();
    try {
      await this.runner.run(claim, { lease, slot });
    } finally {
      heartbeat.stop();
      recovered();
      remove();
      if (lease.reason === 'shutdown') await claims.release(claim);
    }
  }

  async #claim(turnId: string): Promise<Claimed | undefined> {
    if (this.#stopping) return undefined;
    const { claims, clock } = this;
    const lease = new Lease();
    let isHinted = false;
    const remove = this.#running.add([turnId], {
      lease,
      beat: async () => void (isHinted = true),
    });
    const claim = await claims.claim(turnId, new Date(clock.now())).finally(remove);
    return claim && { claim, lease, isHinted };
  }
}
