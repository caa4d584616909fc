import { untilAborted } from '../platform/abort.js';
import type { Database } from '../storage/connection.js';
import { findUnendedTurns } from './unended-turns.js';
import { viewStatuses, type QueueView } from './view-queue.js';

/** Turns of a status that are shown from either end. */
const MOST_SHOWN = 25;

/** How long the queue may take to answer, in ms. */
const PATIENCE_MS = 1_000;

export interface QueueDeps {
  db: Database;
  queue: { depth(): Promise<number>; workers(): Promise<number | null> };
  backEnd: QueueView['backEnd'];
  /** Turns a worker runs at a time. */
  workerConcurrency: number;
  /** Path of the board of the queue's jobs; undefined where there is none. */
  board: string | undefined;
}

/** What waits, and for what: for whoever runs the server. */
export class QueueService {
  constructor(private readonly deps: QueueDeps) {}

  async look(): Promise<QueueView> {
    const { db, queue, backEnd, workerConcurrency: each, board } = this.deps;
    const [turns, wakeUps, workers] = await Promise.all([
      findUnendedTurns(db, MOST_SHOWN),
      orNull(queue.depth()),
      orNull(queue.workers()),
    ]);
    const used = turns.find(({ status }) => status === 'running')?.placed ?? 0;
    return {
      backEnd,
      statuses: viewStatuses(turns, MOST_SHOWN),
      wakeUps,
      places: { workers, each, used },
      ...(board === undefined ? {} : { board }),
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
