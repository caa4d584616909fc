import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { compact } from '../platform/compact.js';
import { untilAborted } from '../platform/async/deadlines.js';
import { sessionTitle } from '../session/session-title.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { TURN_QUEUE, type TurnQueue } from '../turn/queue/turn-queue.js';
import type { QueueDto, QueuedTurnDto, StatusDto, StatusesDto } from './queue.dto.js';
import { findUnendedTurns, type UnendedStatus, type UnendedTurn } from './unended-turns.js';

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

  async look(): Promise<QueueDto> {
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

/** @param most turns of a status from each end. Pure. */
export function viewStatuses(turns: readonly UnendedTurn[], most: number): StatusesDto {
  const view = (status: UnendedStatus): StatusDto => {
    const ofStatus = turns.filter((turn) => turn.status === status);
    return {
      depth: ofStatus[0]?.depth ?? 0,
      oldest: ofStatus.filter(({ rank }) => rank <= most).map(viewTurn),
      newest: ofStatus
        .filter(({ rank }) => rank > most)
        .map(viewTurn)
        .toReversed(),
    };
  };
  return {
    held: view('held'),
    queued: view('queued'),
    running: view('running'),
    waiting: view('waiting'),
  };
}

function viewTurn(turn: UnendedTurn): QueuedTurnDto {
  return {
    turnId: turn.id,
    sessionId: turn.sessionId,
    principal: turn.principalId,
    ...compact({ message: sessionTitle(turn.request) }),
    agent: turn.agent,
    projectRoot: turn.projectRoot,
    attempt: turn.attempt,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    waitingSince: turn.waitingSince?.toISOString() ?? null,
    placed: turn.hasSlot,
    ...compact({ parentTurnId: turn.parentTurnId ?? undefined }),
  };
}
