import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { TypedError } from '../../errors/typed-error.js';
import { assertNever } from '../../platform/assert-never.js';
import { KeyedMutex } from '../../platform/async/keyed-mutex.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import type { Logger } from '../../platform/logger.js';
import { sessionNotFound } from '../../session/session-errors.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import type { OnBusy } from '../../storage/shapes/stored-options.js';
import type { StoredTrace } from '../../storage/shapes/stored-turn.js';
import { attributes, queueAttributes, spanNames } from '../../telemetry/span-names.js';
import { Tracing } from '../../telemetry/tracing.js';
import { QueueNotifier, type Waking } from '../queue/queue-notifier.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import { queueFull, sessionQueueFull, tooManyTurns, turnInProgress } from '../state/turn-errors.js';
import { TurnInserter, type Refusal } from './insert-turn.js';
import type { Disposition, NewTurn, ExtraWrites } from './turn-submission.js';
import { holdTurn, type HoldLimits } from './hold-turn.js';
import { steerTurn, type Steering } from './steer-turn.js';

interface Admitted {
  turnId: string;
  disposition: Disposition;
  /** Absent: it is held. */
  waking?: Waking;
}

interface Admission {
  onBusy: OnBusy;
  /** Turns of the principal that may not have ended; 0: no limit. */
  concurrentTurns: number;
  /** Logger of the request. */
  logger: Pick<Logger, 'warn'>;
  /** The span of the request. */
  trace: StoredTrace | undefined;
  /** What is stored together with the turn. */
  extraWrites?: ExtraWrites | undefined;
}

/** Stores turns by the busy policy of their requests. */
@Injectable()
export class TurnAdmitter {
  /** Keyed by session: requests that wait for a session's lock must take no connection. */
  readonly #holding = new KeyedMutex();
  readonly #inserter: TurnInserter;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'queueDepth' | 'sessionQueue'>,
    private readonly queue: QueueNotifier,
    private readonly canceller: TurnCanceller,
    private readonly tracing: Tracing,
  ) {
    this.#inserter = new TurnInserter(db);
  }

  /**
   * Admits a turn, at once or held behind the active turn of its session, in the span that its first attempt is
   * below.
   *
   * @returns `key-taken` when a racing request took the idempotency key; `busy` where the session is
   *   busy and the request is not to be held.
   * @throws TypedError QUEUE_FULL, SESSION_QUEUE_FULL, TOO_MANY_TURNS, SESSION_NOT_FOUND.
   */
  async admit(turn: NewTurn, admission: Admission): Promise<Admitted | 'busy' | 'key-taken'> {
    const span = this.tracing.start(spanNames.send, {
      kind: 'producer',
      attributes: queueAttributes('send'),
      conversation: turn.sessionId,
      ...compact({ parent: admission.trace }),
    });
    try {
      const admitted = await this.#store({ ...turn, trace: span.trace }, admission);
      if (typeof admitted !== 'string') span.set({ [attributes.messageId]: admitted.turnId });
      return admitted;
    } catch (error) {
      span.fail(error instanceof TypedError ? error.type : '_OTHER');
      throw error;
    } finally {
      span.end();
    }
  }

  /** Wakes a worker once more for a turn that a repeated request found waiting. */
  wakeAgain(turnId: string, logger: Pick<Logger, 'warn'>): Waking {
    return this.queue.wakeWorker(turnId, undefined, logger);
  }

  /** Sends the message of a request into the turn that is running: see `steerTurn`. */
  steer(request: Steering): ReturnType<typeof steerTurn> {
    const { db, bus, clock, config } = this;
    return steerTurn({ db, bus, clock, config }, request);
  }

  async #store(turn: NewTurn, admission: Admission): Promise<Admitted | 'busy' | 'key-taken'> {
    const { onBusy, concurrentTurns, extraWrites } = admission;
    const { queueDepth, sessionQueue } = this.config;
    const limits = { queueDepth, sessionQueue, concurrentTurns };
    const inserted = await this.#inserter.insert(turn, limits, extraWrites);
    if (inserted.type === 'stored') {
      const { turnId } = inserted;
      const waking = this.queue.wakeWorker(turnId, turn.preferredWorker, admission.logger);
      return { turnId, disposition: { type: 'started' }, waking };
    }
    if (inserted.type !== 'busy') return refuse(inserted.type, turn, limits);
    if (onBusy === 'reject' || onBusy === 'steer') return 'busy';
    return this.#holding.run(turn.sessionId, () => this.#hold(turn, limits, admission));
  }

  async #hold(
    turn: NewTurn,
    limits: HoldLimits,
    { onBusy, logger, extraWrites }: Admission,
  ): Promise<Admitted | 'key-taken'> {
    const interrupts = onBusy === 'interrupt';
    const held = await holdTurn(this.db, turn, { limits, goesFirst: interrupts, extraWrites });
    if (held.type !== 'held') {
      return held.type === 'session-queue-full'
        ? refuseHolding(turn, limits)
        : refuse(held.type, turn, limits);
    }
    const { turnId, position, activeTurnId, superseded } = held;
    try {
      for (const id of superseded) {
        await this.canceller.endIdle(id, { reason: 'superseded', which: 'unstarted' });
      }
      if (activeTurnId === undefined) await this.queue.promoteNext(turn.sessionId);
      else if (interrupts) await this.canceller.cancel(activeTurnId, 'superseded');
      if (interrupts) await this.queue.publishHeld(turn.sessionId);
      else await this.queue.publishPosition(turnId, position);
    } catch (error) {
      // The turn is stored, and so is what it interrupts.
      logger.warn(
        { turnId, error },
        'could not finish queueing a held turn; it is stored, and the sweeper does what is left to do',
      );
    }
    const disposition: Disposition = interrupts
      ? { type: 'interrupting', turnId: activeTurnId }
      : { type: 'enqueued', position };
    return { turnId, disposition };
  }
}

function refuseHolding(turn: NewTurn, limits: HoldLimits): never {
  throw sessionQueueFull(turn.sessionId, limits.sessionQueue);
}

function refuse(refusal: Refusal, turn: NewTurn, limits: HoldLimits): 'key-taken' {
  switch (refusal) {
    case 'key-taken':
      return refusal;
    case 'busy':
      throw turnInProgress(turn.sessionId);
    case 'session-gone':
      throw sessionNotFound(turn.sessionId);
    case 'queue-full':
      throw queueFull(limits.queueDepth);
    case 'too-many-turns':
      throw tooManyTurns(limits.concurrentTurns);
    default:
      return assertNever(refusal);
  }
}
