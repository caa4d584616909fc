import { publishQueuePosition } from '../lifecycle/publish-queue-positions.js';
import type { TurnPriority } from './turn-queue.js';
import type { TurnServices } from '../state/turn-services.js';

type Services = Pick<TurnServices, 'db' | 'queue' | 'log' | 'clock' | 'logger'>;

/** A free worker takes a turn in a few milliseconds: one that waits longer waits for a worker. */
const ANNOUNCE_AFTER_MS = 250;

/**
 * Wakes a worker for an accepted turn, and tells its readers if it has to wait. Nobody waits for
 * this: the turn is stored, and whatever fails here, the sweeper finds it.
 *
 * @returns what to call when a worker has it: there is nothing to tell any more.
 */
export function wakeWorker(services: Services, turnId: string, priority: TurnPriority): () => void {
  const { queue, clock, logger } = services;
  const warn = (error: unknown): void =>
    logger.warn({ turnId, error }, 'an accepted turn was not enqueued at once');
  queue.enqueue([turnId], priority).catch(warn);
  return clock.after(ANNOUNCE_AFTER_MS, () => {
    announceWait(services, turnId).catch(warn);
  });
}

async function announceWait(services: Services, turnId: string): Promise<void> {
  const position = await services.queue.position(turnId);
  if (position > 0) await publishQueuePosition(services, turnId, position);
}
