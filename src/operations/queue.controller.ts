import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { KeysNeedScope, Unowned } from '../access/owned.decorator.js';
import { CONFIG, type Config } from '../config/config.js';
import { untilAborted } from '../platform/async/deadlines.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { TURN_QUEUE, type TurnQueue } from '../turn/face.js';
import { QueueDto } from './queue.dto.js';
import { findUnendedTurns, viewStatuses } from './unended-turns.js';

/** Turns shown from either end of a status. */
const MAX_SHOWN = 25;

/** Timeout of the queue's answers, in ms. */
const ANSWER_TIMEOUT_MS = 1_000;

@ApiTags('admin')
@Controller('api/admin/queue')
@KeysNeedScope('admin')
export class QueueController {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redis' | 'workerConcurrency'>,
  ) {}

  /** Turns that have not ended, and the workers’ slots */
  @Get()
  @Unowned(
    'the queue is the server’s; of each turn it shows who sent it, where, and the beginning of the message',
  )
  async getQueue(): Promise<QueueDto> {
    const { db, queue } = this;
    const { redis, workerConcurrency: each } = this.config;
    const [turns, wakeUps, workers] = await Promise.all([
      findUnendedTurns(db, MAX_SHOWN),
      orNull(queue.depth()),
      orNull(queue.workers()),
    ]);
    const used = turns.find(({ status }) => status === 'running')?.slotsUsed ?? 0;
    return {
      backEnd: redis === undefined ? 'embedded' : 'distributed',
      statuses: viewStatuses(turns, MAX_SHOWN),
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
