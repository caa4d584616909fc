import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { untilAborted } from '../platform/abort.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { TURN_QUEUE, type TurnQueue } from '../turn/queue/turn-queue.js';
import { BOARD_PATH, BoardService } from './board-service.js';
import { findUnendedTurns } from './unended-turns.js';
import { viewStatuses, type QueueView } from './view-queue.js';

/** Turns of a status that are shown from either end. */
const MOST_SHOWN = 25;

/** How long the queue may take to answer, in ms. */
const PATIENCE_MS = 1_000;

/** What waits, and for what: for whoever runs the server. */
@Injectable()
export class QueueService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(TURN_QUEUE) private readonly queue: Pick<TurnQueue, 'depth' | 'workers'>,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisUrl' | 'workerConcurrency'>,
    private readonly board: BoardService,
  ) {}

  async look(): Promise<QueueView> {
    const { db, queue, board } = this;
    const { redisUrl, workerConcurrency: each } = this.config;
    const [turns, wakeUps, workers] = await Promise.all([
      findUnendedTurns(db, MOST_SHOWN),
      orNull(queue.depth()),
      orNull(queue.workers()),
    ]);
    const used = turns.find(({ status }) => status === 'running')?.placed ?? 0;
    return {
      backEnd: redisUrl === undefined ? 'embedded' : 'distributed',
      statuses: viewStatuses(turns, MOST_SHOWN),
      wakeUps,
      places: { workers, each, used },
      ...(board.hasPages ? { board: BOARD_PATH } : {}),
    };
  }
}

/** What waits is in the database: a queue that is away does not hide it. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await untilAborted(asked, AbortSignal.timeout(PATIENCE_MS));
  } catch {
    return null;
  }
}
