import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { untilAborted } from '../platform/async/abort.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { TURN_QUEUE, type TurnQueue } from '../turn/queue/turn-queue.js';
import { findUnendedTurns } from './unended-turns.js';
import { viewStatuses, type QueueView } from './view-queue.js';

/** Turns shown from either end of a status. */
const MOST_SHOWN = 25;

/** Timeout of the queue's answers, in ms. */
const ANSWER_TIMEOUT_MS = 1_000;

/** The operator's view of unended turns and of the workers' slots. */
@Injectable()
export class QueueService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redis' | 'workerConcurrency'>,
  ) {}

  async look(): Promise<QueueView> {
    const { db, queue } = this;
    const { redis, workerConcurrency: each } = this.config;
    const [turns, wakeUps, workers] = await Promise.all([
      findUnendedTurns(db, MOST_SHOWN),
      orNull(queue.depth()),
      orNull(queue.workers()),
    ]);
    const used = turns.find(({ status }) => status === 'running')?.slotsUsed ?? 0;
    return {
      backEnd: redis === undefined ? 'embedded' : 'distributed',
      statuses: viewStatuses(turns, MOST_SHOWN),
      wakeUps,
      places: { workers, each, used },
    };
  }
}

/**
 * Null where the queue does not answer: the turns are in the database, and are shown without it.
 */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await untilAborted(asked, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
  } catch {
    return null;
  }
}
