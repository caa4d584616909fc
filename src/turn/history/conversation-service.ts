import { Inject, Injectable } from '@nestjs/common';
import { cutPage } from '../../http/paging/load-page.js';
import { compact } from '../../platform/compact.js';
import { isId } from '../../platform/ids.js';
import { badCursor, type PageQueryDto } from '../../http/paging/page-query.dto.js';
import { SessionStore } from '../../session/session-store.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { ToolRegistry } from '../../tools/registry.js';
import { formatCallToken, listCalls, parseCallToken, viewCall } from './list-calls.js';
import { listTurns, isTurnOf, pageTurns, viewListedTurn } from './list-turns.js';
import { loadTurn, loadTurns } from '../state/stored-turn.js';
import { findCompaction } from '../prompt/compaction.js';
import { getTurn } from '../state/turn-row.js';
import { TurnLog } from '../stream/turn-log.js';
import type { CallPageDto, LogPageDto, SupersededChoice, TurnPageDto } from './history.dto.js';
import type { MessagePageDto, StepPageDto } from './messages.dto.js';
import { viewMessages, viewSteps } from './view-messages.js';

/** The largest number of a step that the database takes. */
const MOST_STEPS = 2 ** 31 - 1;

/** A page of a conversation; `superseded` is hide where it is absent. */
type LineQuery = PageQueryDto & { superseded?: SupersededChoice };

/** The turns of sessions as clients see them: messages, events, steps and tool calls, page by page. */
@Injectable()
export class ConversationService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly sessions: SessionStore,
    private readonly tools: ToolRegistry,
    private readonly turnLog: TurnLog,
  ) {}

  /** A page of turns' messages, oldest first. @throws TypedError SESSION_NOT_FOUND 404. */
  async messages(sessionId: string, page: LineQuery): Promise<MessagePageDto> {
    const { db, sessions } = this;
    await sessions.get(sessionId);
    const { cursor, limit, superseded } = page;
    const after = await this.#checkCursor(sessionId, cursor);
    const compaction = await findCompaction(db, sessionId);
    const summarisedThrough = compaction?.throughTurnId;
    // The turn after the page shows whether there is a next page.
    const wanted = { after, limit: limit + 1, summarisedThrough, ...compact({ superseded }) };
    const found = await pageTurns(db, sessionId, wanted);
    const { rows: shown, ...next } = cutPage(found, limit, ({ id }) => id);
    const stored = await loadTurns(
      db,
      shown.map(({ id }) => id),
    );
    const summarised = new Set(shown.flatMap((turn) => (turn.isSummarised ? [turn.id] : [])));
    const { leftOut } = (await sessions.prefixOf(sessionId)) ?? {};
    const messages = viewMessages(stored, leftOut).map((message) =>
      summarised.has(message.turnId) ? { ...message, compacted: true } : message,
    );
    return { messages, ...next };
  }

  /** A page of a session's turns, the newest first. @throws TypedError SESSION_NOT_FOUND 404. */
  async turns(sessionId: string, page: LineQuery): Promise<TurnPageDto> {
    const { db, sessions } = this;
    await sessions.get(sessionId);
    const { cursor, limit, superseded } = page;
    const after = await this.#checkCursor(sessionId, cursor);
    const wanted = { after, limit: limit + 1, ...compact({ superseded }) };
    const found = await listTurns(db, sessionId, wanted);
    const { rows, ...next } = cutPage(found, limit, ({ id }) => id);
    return { turns: rows.map(viewListedTurn), ...next };
  }

  /** A page of a turn's events: see `TurnLog`. */
  log(turnId: string, page: PageQueryDto): Promise<LogPageDto> {
    return this.turnLog.page(turnId, page);
  }

  /** A page of a turn's steps, in order. @throws TypedError TURN_NOT_FOUND 404. */
  async steps(turnId: string, page: PageQueryDto): Promise<StepPageDto> {
    const { db } = this;
    const turn = await getTurn(db, turnId);
    const { cursor, limit } = page;
    const after = parseStepCursor(cursor);
    const found = viewSteps(await loadTurn(db, turn, { after, limit: limit + 1 }));
    const { rows, ...next } = cutPage(found, limit, ({ step }) => String(step));
    return { steps: rows, ...next };
  }

  /** A page of a turn's tool calls, as the ledger has them. @throws TypedError TURN_NOT_FOUND 404. */
  async calls(turnId: string, page: PageQueryDto): Promise<CallPageDto> {
    const { db, tools } = this;
    const turn = await getTurn(db, turnId);
    const { cursor, limit } = page;
    const after = cursor === undefined ? undefined : parseCallToken(cursor);
    if (after === undefined && cursor !== undefined) throw badCursor();
    const found = await listCalls(db, turn.id, { after, limit: limit + 1 });
    const { rows, ...next } = cutPage(found, limit, formatCallToken);
    const calls = rows.map((row) => viewCall(row, tools.select([row.name]).tools[0]?.retry));
    return { calls, ...next };
  }

  async #checkCursor(sessionId: string, cursor: string | undefined): Promise<string | undefined> {
    if (cursor === undefined) return undefined;
    const isKnown = isId('turn', cursor) && (await isTurnOf(this.db, sessionId, cursor));
    if (!isKnown) throw badCursor();
    return cursor;
  }
}

function parseStepCursor(cursor: string | undefined): number {
  const after = cursor === undefined ? 0 : Number(cursor);
  if (Number.isInteger(after) && after >= 0 && after <= MOST_STEPS) return after;
  throw badCursor();
}
