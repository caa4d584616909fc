import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { assertNever } from '../../platform/assert-never.js';
import { KeyedMutex } from '../../platform/async/keyed-mutex.js';
import type { Logger } from '../../platform/logger.js';
import { sessionNotFound } from '../../session/session-errors.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import type { OnBusy } from '../../storage/shapes/stored-options.js';
import { QueuePositions, WorkerWaker } from '../queue/queue-positions.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import { TurnPromoter } from '../lifecycle/turn-promoter.js';
import { IdleTurnEnder } from '../lifecycle/idle-turn-ender.js';
import { queueFull, sessionQueueFull, tooManyTurns, turnInProgress } from '../state/turn-errors.js';
import { TurnAcceptor, type Refusal } from './turn-acceptor.js';
import type { Disposition } from './disposition.js';
import { holdTurn, type HoldLimits } from './hold-turn.js';
import type { NewTurn } from './insert-turn.js';
import type { StoredBeside } from './turn-submission.js';

export interface Admitted {
  turnId: string;
  disposition: Disposition;
  onBegun: () => void;
}

export interface Admission {
  onBusy: OnBusy;
  /** Turns of the principal that may not have ended; 0: no limit. */
  concurrentTurns: number;
  /** Logger of the request. */
  logger: Pick<Logger, 'warn'>;
  /** What is stored together with the turn. */
  beside?: StoredBeside | undefined;
}

/** Stores turns by the busy policy of their requests. */
@Injectable()
export class TurnAdmitter {
  /** Keyed by session: requests that wait for a session's lock must take no connection. */
  readonly #holding = new KeyedMutex();

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'queueDepth' | 'sessionQueue'>,
    private readonly acceptor: TurnAcceptor,
    private readonly waker: WorkerWaker,
    private readonly positions: QueuePositions,
    private readonly promoter: TurnPromoter,
    private readonly ender: IdleTurnEnder,
    private readonly canceller: TurnCanceller,
  ) {}

  /**
   * Admits a turn, at once or held behind the active turn of its session.
   *
   * @returns `key-taken` when a racing request took the idempotency key; `busy` where the session is
   *   busy and the request is not to be held.
   * @throws TypedError QUEUE_FULL, SESSION_QUEUE_FULL, TOO_MANY_TURNS, SESSION_NOT_FOUND.
   */
  async admit(turn: NewTurn, admission: Admission): Promise<Admitted | 'busy' | 'key-taken'> {
    const { onBusy, concurrentTurns, beside } = admission;
    const { queueDepth, sessionQueue } = this.config;
    const limits = { queueDepth, sessionQueue, concurrentTurns };
    const accepted = await this.acceptor.accept(turn, limits, beside);
    if (accepted.type === 'accepted') {
      const { turnId } = accepted;
      const onBegun = this.waker.wake(turnId, admission.logger);
      return { turnId, disposition: { type: 'started' }, onBegun };
    }
    if (accepted.type !== 'busy') return refuse(accepted.type, turn, limits);
    if (onBusy === 'reject' || onBusy === 'steer') return 'busy';
    return this.#holding.run(turn.sessionId, () => this.#hold(turn, limits, admission));
  }

  async #hold(
    turn: NewTurn,
    limits: HoldLimits,
    { onBusy, logger, beside }: Admission,
  ): Promise<Admitted | 'key-taken'> {
    const interrupts = onBusy === 'interrupt';
    const held = await holdTurn(this.db, turn, { limits, goesFirst: interrupts, beside });
    if (held.type !== 'held') {
      return held.type === 'session-queue-full'
        ? refuseHolding(turn, limits)
        : refuse(held.type, turn, limits);
    }
    const { turnId, position, activeTurnId, superseded } = held;
    try {
      for (const id of superseded) {
        await this.ender.end(id, { reason: 'superseded', which: 'unstarted' });
      }
      if (activeTurnId === undefined) await this.promoter.promoteNext(turn.sessionId);
      else if (interrupts) await this.canceller.cancel(activeTurnId, 'superseded');
      if (interrupts) await this.positions.publish(turn.sessionId);
      else await this.positions.publishOne(turnId, position);
    } catch (error) {
      // The turn is stored: the sweeper does what is left to do.
      logger.warn({ turnId, error }, 'the turns before a held one were not seen to');
    }
    const disposition: Disposition = interrupts
      ? { type: 'interrupting', turnId: activeTurnId }
      : { type: 'enqueued', position };
    return { turnId, disposition, onBegun: () => undefined };
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
