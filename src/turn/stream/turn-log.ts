import { Inject, Injectable } from '@nestjs/common';
import { hasArchive, loadArchiveAfter } from '../../events/archive.js';
import {
  followsOn,
  formatCursor,
  logStart,
  parseCursor,
  type EventCursor,
} from '../../events/cursor.js';
import { EVENT_LOG, type EventLog } from '../../events/event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { LogPageQueryDto } from '../history/log-page-query.dto.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { streamExpired } from '../state/turn-errors.js';
import { getTurn } from '../state/turn-row.js';

export interface TurnLogPage {
  events: TurnEvent[];
  /** Cursor of the next page; absent while there are no more events. */
  nextCursor?: string;
}

@Injectable()
export class TurnLog {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(EVENT_LOG) private readonly log: Pick<EventLog, 'read'>,
  ) {}

  /**
   * A page of a turn's events in order: those that are archived, then those that only its log has.
   * Events that an attempt streamed after its last commit, before its worker was lost, are left out.
   *
   * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400.
   */
  async page(turnId: string, { cursor, limit }: LogPageQueryDto): Promise<TurnLogPage> {
    const { db } = this;
    const turn = await getTurn(db, turnId);
    const after = parseOptionalCursor(turnId, cursor);
    if (turn.endedAt !== null && !(await hasArchive(db, turnId))) {
      throw streamExpired(turnId, turn.sessionId);
    }
    // The event after the page shows whether there is a next page.
    const most = limit + 1;
    const stored = await loadArchiveAfter(db, turnId, { after, most });
    const last = stored.at(-1) ?? after;
    const isAll = stored.length === most || turn.endedAt !== null;
    const logged = isAll ? [] : await this.log.read(turnId, last);
    const found = [...stored, ...continuing(last, logged)];
    const events = found.slice(0, limit);
    const end = found.length > limit ? events.at(-1) : undefined;
    return { events, ...(end === undefined ? {} : { nextCursor: formatCursor(turnId, end) }) };
  }
}

/** The events that follow a cursor without a gap: missing events are archived by the next request. */
function continuing(cursor: EventCursor, logged: readonly TurnEvent[]): TurnEvent[] {
  const events: TurnEvent[] = [];
  let last = cursor;
  for (const event of logged) {
    const continuity = followsOn(last, event, event);
    if (continuity === 'gap') return events;
    if (continuity === 'repeated') continue;
    events.push(event);
    last = event;
  }
  return events;
}

function parseOptionalCursor(turnId: string, cursor: string | undefined): EventCursor {
  if (cursor === undefined) return logStart;
  const { attempt, seq } = parseCursor(turnId, cursor);
  return { attempt, seq };
}
