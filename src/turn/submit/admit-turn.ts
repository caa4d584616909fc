import type { OnBusy } from '../../storage/shapes/stored-options.js';
import { assertNever } from '../../platform/assert-never.js';
import { sessionNotFound } from '../../session/session-errors.js';
import { acceptTurn, type Refusal } from './accept-turn.js';
import type { NewTurn } from './insert-turn.js';
import { queueFull, sessionQueueFull, tooManyTurns, turnInProgress } from '../state/turn-errors.js';
import type { TurnServices } from '../state/turn-services.js';
import type { Disposition } from './disposition.js';
import { holdTurn, type HeldRoom } from './hold-turn.js';

export interface Admitted {
  turnId: string;
  disposition: Disposition;
  onBegun: () => void;
}

/**
 * Takes a turn in, at once or behind the one that is active, as its request wants it.
 *
 * @returns `key-taken` when a racing request took the idempotency key: its turn is the one to join.
 *   `busy` where the request is not to be held.
 * @throws TypedError QUEUE_FULL, SESSION_QUEUE_FULL, TOO_MANY_TURNS, SESSION_NOT_FOUND.
 */
export async function admitTurn(
  services: TurnServices,
  turn: NewTurn,
  { onBusy, concurrentTurns }: { onBusy: OnBusy; concurrentTurns: number },
): Promise<Admitted | 'busy' | 'key-taken'> {
  const { queueDepth, sessionQueue } = services.settings;
  const room = { queueDepth, sessionQueue, concurrentTurns };
  const accepted = await acceptTurn(services.db, turn, room);
  if (accepted.type === 'accepted') {
    const { turnId } = accepted;
    const onBegun = services.waker.wake(turnId, turn.options.options.priority);
    return { turnId, disposition: { type: 'started' }, onBegun };
  }
  if (accepted.type !== 'busy') return refuse(accepted.type, turn, room);
  if (onBusy === 'reject' || onBusy === 'steer') return 'busy';
  // One at a time: those who wait for their session's lock must not have all connections.
  return services.holding.run(turn.sessionId, () =>
    holdBehind(services, turn, { room, interrupts: onBusy === 'interrupt' }),
  );
}

async function holdBehind(
  services: TurnServices,
  turn: NewTurn,
  { room, interrupts }: { room: HeldRoom; interrupts: boolean },
): Promise<Admitted | 'key-taken'> {
  const holding = await holdTurn(services.db, turn, { room, goesFirst: interrupts });
  if (holding.type !== 'held') {
    return holding.type === 'session-queue-full'
      ? refuseHolding(turn, room)
      : refuse(holding.type, turn, room);
  }
  const { turnId, position, activeTurnId, superseded } = holding;
  try {
    for (const id of superseded) {
      await services.ender.end(id, { reason: 'superseded', which: 'unstarted' });
    }
    if (activeTurnId === undefined) await services.promoter.promoteNext(turn.sessionId);
    else if (interrupts) await services.canceller.cancel(activeTurnId, 'superseded');
    if (interrupts) await services.positions.publish(turn.sessionId);
    else await services.positions.publishOne(turnId, position);
  } catch (error) {
    // The turn is stored: whatever is left to do of this, the sweeper does.
    services.logger.warn({ turnId, error }, 'the turns before a held one were not seen to');
  }
  const disposition: Disposition = interrupts
    ? { type: 'interrupting', turnId: activeTurnId }
    : { type: 'enqueued', position };
  return { turnId, disposition, onBegun: () => undefined };
}

function refuseHolding(turn: NewTurn, room: HeldRoom): never {
  throw sessionQueueFull(turn.sessionId, room.sessionQueue);
}

function refuse(refusal: Refusal, turn: NewTurn, room: HeldRoom): 'key-taken' {
  switch (refusal) {
    case 'key-taken':
      return refusal;
    case 'busy':
      throw turnInProgress(turn.sessionId);
    case 'session-gone':
      throw sessionNotFound(turn.sessionId);
    case 'queue-full':
      throw queueFull(room.queueDepth);
    case 'too-many-turns':
      throw tooManyTurns(room.concurrentTurns);
    default:
      return assertNever(refusal);
  }
}
