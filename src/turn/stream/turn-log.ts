import { hasArchive, loadArchiveAfter } from '../../events/archive.js';
import {
  followsOn,
  formatCursor,
  logStart,
  parseCursor,
  type EventCursor,
} from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { badCursor, readLimit, type PageSize } from '../../http/page-request.js';
import { streamExpired } from '../state/turn-errors.js';
import { getTurn } from '../state/turn-lookup.js';
import type { TurnServices } from '../state/turn-services.js';

const pageSize: PageSize = { standard: 200, most: 1_000 };

export interface TurnLogPage {
  events: TurnEvent[];
  /** For the events after these; absent where there are none yet. */
  nextCursor?: string;
}

/**
 * A page of a turn's events as they were said, in order: what is stored of it, then what its log
 * has beyond that. What an attempt streamed after its last fact, before its worker was lost, is not
 * among them.
 *
 * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400.
 */
export async function readTurnLog(
  { db, log }: Pick<TurnServices, 'db' | 'log'>,
  turnId: string,
  asked: { cursor: unknown; limit: unknown },
): Promise<TurnLogPage> {
  const turn = await getTurn(db, turnId);
  const limit = readLimit(asked.limit, pageSize);
  const after = readCursor(turnId, asked.cursor);
  if (turn.endedAt !== null && !(await hasArchive(db, turnId))) {
    throw streamExpired(turnId, turn.sessionId);
  }
  // One more: whether another page follows.
  const most = limit + 1;
  const stored = await loadArchiveAfter(db, turnId, { after, most });
  const last = stored.at(-1) ?? after;
  const isAll = stored.length === most || turn.endedAt !== null;
  const found = isAll ? stored : [...stored, ...continuing(last, await log.read(turnId, last))];
  const events = found.slice(0, limit);
  const end = found.length > limit ? events.at(-1) : undefined;
  return { events, ...(end === undefined ? {} : { nextCursor: formatCursor(turnId, end) }) };
}

/** What comes after a position without a gap: what lies in one is in the archive by the next request. */
function continuing(position: EventCursor, logged: readonly TurnEvent[]): TurnEvent[] {
  const events: TurnEvent[] = [];
  let last = position;
  for (const event of logged) {
    const continuity = followsOn(last, event, event);
    if (continuity === 'gap') return events;
    if (continuity === 'repeated') continue;
    events.push(event);
    last = event;
  }
  return events;
}

function readCursor(turnId: string, cursor: unknown): EventCursor {
  if (cursor === undefined) return logStart;
  if (typeof cursor !== 'string') throw badCursor();
  const { attempt, seq } = parseCursor(turnId, cursor);
  return { attempt, seq };
}
