import { Inject, Injectable } from '@nestjs/common';
import { hasArchive, loadArchiveAfter } from '../../events/archive.js';
import {
  followsOn,
  formatCursor,
  logStart,
  parseCursor,
  type EventCursor,
  compareCursors,
  type Cursor,
} from '../../events/cursor.js';
import { EVENT_LOG, type EventLog } from '../../events/event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { streamExpired } from '../state/turn-errors.js';
import { getTurn, type TurnRow } from '../state/turn-row.js';
import { invalidRequest } from '../../errors/typed-error.js';

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
  async page(
    turnId: string,
    { cursor, limit }: { cursor?: string | undefined; limit: number },
  ): Promise<TurnLogPage> {
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

/**
 * Refuses a cursor that no reader of the turn can have. Of a turn that runs, a cursor ahead of its log
 * is fine: a log that lost its tail has readers ahead of it. Pure.
 *
 * @param last the last event of a turn that has ended.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function checkCursor(
  { id: turnId, attempt }: Pick<TurnRow, 'id' | 'attempt'>,
  after: Cursor,
  last: EventCursor | undefined,
): void {
  const given = formatCursor(turnId, after);
  if (last !== undefined && compareCursors(after, last) > 0) {
    throw invalidRequest(
      `'${given}' is past the end of turn ${turnId}, whose last event is ${formatCursor(turnId, last)}. ` +
        'Read the turn from its start: send no cursor.',
      { turnId },
    );
  }
  if (last === undefined && after.attempt > attempt) {
    throw invalidRequest(
      `'${given}' is of an attempt that turn ${turnId} has not had. ` +
        'Send the id of the last frame you received, or none to read from the start.',
      { turnId },
    );
  }
}
