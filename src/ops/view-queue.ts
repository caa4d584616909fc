import type { UnendedStatus, UnendedTurn } from './unended-turns.js';

/** Turns that have not ended: `GET /api/admin/queue`. Times are ISO-8601. */
export interface QueueView {
  backEnd: 'embedded' | 'distributed';
  statuses: Record<UnendedStatus, StatusView>;
  /** Entries of the queue that wait; null where it does not answer. */
  wakeUps: number | null;
  places: PlacesView;
  /** Where the board of the queue's jobs is; absent where there is none. */
  board?: string;
}

export interface StatusView {
  depth: number;
  /** Oldest first. */
  oldest: QueuedTurnView[];
  /** Newest first; none that is among the oldest. */
  newest: QueuedTurnView[];
}

export interface PlacesView {
  /** Processes that run turns; null where the queue cannot tell. */
  workers: number | null;
  /** Turns one of them runs at a time, as this process is set. */
  each: number;
  /** Turns that have a place; those that wait for their subagents have none. */
  used: number;
}

export interface QueuedTurnView {
  turnId: string;
  sessionId: string;
  principal: string;
  attempt: number;
  createdAt: string;
  startedAt: string | null;
  waitingSince: string | null;
  /** Whether it has a place on a worker. */
  placed: boolean;
  /** Of a subagent. */
  parentTurnId?: string;
}

/** @param most turns of a status that are the oldest, and the newest. Pure. */
export function viewStatuses(
  turns: readonly UnendedTurn[],
  most: number,
): Record<UnendedStatus, StatusView> {
  const view = (status: UnendedStatus): StatusView => {
    const inLine = turns.filter((turn) => turn.status === status);
    return {
      depth: inLine[0]?.depth ?? 0,
      oldest: inLine.filter(({ place }) => place <= most).map(viewTurn),
      newest: inLine
        .filter(({ place }) => place > most)
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

function viewTurn(turn: UnendedTurn): QueuedTurnView {
  return {
    turnId: turn.id,
    sessionId: turn.sessionId,
    principal: turn.principalId,
    attempt: turn.attempt,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    waitingSince: turn.waitingSince?.toISOString() ?? null,
    placed: turn.hasPlace,
    ...(turn.parentTurnId === null ? {} : { parentTurnId: turn.parentTurnId }),
  };
}
