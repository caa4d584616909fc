import { Inject, Injectable } from '@nestjs/common';
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { loadArchiveAfter } from '../../events/archive.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { cutPage } from '../../http/paging/load-page.js';
import { badCursor, type PageQueryDto } from '../../http/paging/page-query.dto.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { loadTurns } from '../state/stored-turn.js';
import { turnNotFound } from '../state/turn-errors.js';
import { getTurn } from '../state/turn-row.js';
import { loadRecording } from '../branches/recording.js';
import { isId } from '../../platform/ids.js';
import { sessions, turns } from '../../storage/schema.js';
import type { ReplayTools } from '../../storage/shapes/stored-turn.js';
import { isOlderThan, listedColumns, viewListedTurn } from '../history/list-turns.js';
import type { TurnComparisonDto } from './comparison.dto.js';
import type { ReplayDto, ReplayPageDto } from './replay.dto.js';
import { compareTurns, type TurnToCompare } from './compare-turns.js';

/** Events loaded at a time to find the first of a reply. */
const EVENTS_AT_ONCE = 200;

/** Replays beside the turns that they are of, by what is stored of both. */
@Injectable()
export class ReplayService {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** A page of a turn's replays, the newest first. @throws TypedError TURN_NOT_FOUND 404. */
  async page(turnId: string, { cursor: after, limit }: PageQueryDto): Promise<ReplayPageDto> {
    const { id } = await getTurn(this.db, turnId);
    if (after !== undefined && !(await isReplayOf(this.db, id, after))) throw badCursor();
    const found = await pageReplays(this.db, id, { after, limit: limit + 1 });
    const { rows, ...next } = cutPage(found, limit, (replay) => replay.turnId);
    return { replays: rows, ...next };
  }

  /** Two turns side by side. @throws TypedError TURN_NOT_FOUND 404 for either. */
  async compare(leftId: string, rightId: string): Promise<TurnComparisonDto> {
    const [left, right] = await Promise.all([this.#load(leftId), this.#load(rightId)]);
    return compareTurns(left, right);
  }

  async #load(turnId: string): Promise<TurnToCompare> {
    const { db } = this;
    const { id } = await getTurn(db, turnId);
    const [stored] = await loadTurns(db, [id]);
    if (stored === undefined) throw turnNotFound(turnId);
    const [recording, firstTokenAt] = await Promise.all([
      loadRecording(db, stored.turn),
      this.#findFirstToken(id),
    ]);
    return { stored, recording, firstTokenAt };
  }

  async #findFirstToken(turnId: string): Promise<string | undefined> {
    for (let after = { attempt: 0, seq: 0 }; ;) {
      const events = await loadArchiveAfter(this.db, turnId, { after, most: EVENTS_AT_ONCE });
      const first = events.find(isOfReply);
      const last = events.at(-1);
      if (first !== undefined || last === undefined) return first?.at;
      after = last;
    }
  }
}

function isOfReply({ type }: TurnEvent): boolean {
  return type === 'text.delta' || type === 'thinking.delta' || type === 'tool.requested';
}

/**
 * Replays of a turn, the newest first.
 *
 * @param after the last one of the page before; undefined: from the newest.
 */
async function pageReplays(
  db: Queryable,
  turnId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ReplayDto[]> {
  const { sessionId } = turns;
  const tools = sql<ReplayTools>`${turns.request} -> 'replay' ->> 'tools'`;
  const found = await db
    .select({ ...listedColumns, sessionId, tools })
    .from(sessions)
    .innerJoin(turns, eq(turns.sessionId, sessions.id))
    .where(and(eq(sessions.replayOf, turnId), isNull(turns.copiedFrom), isOlderThan(after)))
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(limit);
  return found.map((turn) => ({
    ...viewListedTurn(turn),
    sessionId: turn.sessionId,
    tools: turn.tools,
  }));
}

/** Whether a text is the id of a turn that is a replay of another. */
async function isReplayOf(db: Queryable, turnId: string, given: string): Promise<boolean> {
  if (!isId('turn', given)) return false;
  const found = await db
    .select({ id: turns.id })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(turns.id, given), eq(sessions.replayOf, turnId)));
  return found.length > 0;
}
