import { Inject, Injectable } from '@nestjs/common';
import { compact } from '../../platform/compact.js';
import { isId } from '../../platform/ids.js';
import { badCursor, type PageQueryDto } from '../../http/paging/page-query.dto.js';
import { SessionStore } from '../../session/session-store.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { ToolRegistry } from '../../tools/registry.js';
import {
  formatCallToken,
  listCalls,
  parseCallToken,
  viewCall,
  type CallView,
} from './list-calls.js';
import {
  listTurns,
  type SupersededChoice,
  isTurnOf,
  pageTurns,
  viewListedTurn,
  type ListedTurnView,
} from './list-turns.js';
import { loadTurn, loadTurns } from '../state/stored-turn.js';
import { findCompaction } from '../prompt/compaction.js';
import { getTurn } from '../state/turn-row.js';
import { TurnLog, type TurnLogPage } from '../stream/turn-log.js';
import { viewMessages, type MessageView } from './view-messages.js';
import { viewSteps, type StepView } from './view-steps.js';

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
  async messages(
    sessionId: string,
    page: LineQuery,
  ): Promise<{ messages: MessageView[]; nextCursor?: string }> {
    const { db, sessions } = this;
    await sessions.get(sessionId);
    const { cursor, limit, superseded } = page;
    const after = await this.#checkCursor(sessionId, cursor);
    const compaction = await findCompaction(db, sessionId);
    const summarisedThrough = compaction?.throughTurnId;
    // The turn after the page shows whether there is a next page.
    const wanted = { after, limit: limit + 1, summarisedThrough, ...compact({ superseded }) };
    const found = await pageTurns(db, sessionId, wanted);
    const shown = found.slice(0, limit);
    const stored = await loadTurns(
      db,
      shown.map(({ id }) => id),
    );
    const summarised = new Set(shown.flatMap((turn) => (turn.isSummarised ? [turn.id] : [])));
    const { leftOut } = (await sessions.prefixOf(sessionId)) ?? {};
    const messages = viewMessages(stored, leftOut).map((message) =>
      summarised.has(message.turnId) ? { ...message, compacted: true } : message,
    );
    const last = found.length > limit ? shown.at(-1)?.id : undefined;
    return { messages, ...(last === undefined ? {} : { nextCursor: last }) };
  }

  /** A page of a session's turns, the newest first. @throws TypedError SESSION_NOT_FOUND 404. */
  async turns(
    sessionId: string,
    page: LineQuery,
  ): Promise<{ turns: ListedTurnView[]; nextCursor?: string }> {
    const { db, sessions } = this;
    await sessions.get(sessionId);
    const { cursor, limit, superseded } = page;
    const after = await this.#checkCursor(sessionId, cursor);
    const wanted = { after, limit: limit + 1, ...compact({ superseded }) };
    const found = await listTurns(db, sessionId, wanted);
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1)?.id : undefined;
    const turns = shown.map(viewListedTurn);
    return { turns, ...(last === undefined ? {} : { nextCursor: last }) };
  }

  /** A page of a turn's events: see `TurnLog`. */
  log(turnId: string, page: PageQueryDto): Promise<TurnLogPage> {
    return this.turnLog.page(turnId, page);
  }

  /** A page of a turn's steps, in order. @throws TypedError TURN_NOT_FOUND 404. */
  async steps(
    turnId: string,
    page: PageQueryDto,
  ): Promise<{ steps: StepView[]; nextCursor?: string }> {
    const { db } = this;
    const turn = await getTurn(db, turnId);
    const { cursor, limit } = page;
    const after = parseStepCursor(cursor);
    const found = viewSteps(await loadTurn(db, turn, { after, limit: limit + 1 }));
    const steps = found.slice(0, limit);
    const last = found.length > limit ? steps.at(-1)?.step : undefined;
    return { steps, ...(last === undefined ? {} : { nextCursor: String(last) }) };
  }

  /** A page of a turn's tool calls, as the ledger has them. @throws TypedError TURN_NOT_FOUND 404. */
  async calls(
    turnId: string,
    page: PageQueryDto,
  ): Promise<{ calls: CallView[]; nextCursor?: string }> {
    const { db, tools } = this;
    const turn = await getTurn(db, turnId);
    const { cursor, limit } = page;
    const after = cursor === undefined ? undefined : parseCallToken(cursor);
    if (after === undefined && cursor !== undefined) throw badCursor();
    const found = await listCalls(db, turn.id, { after, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const calls = shown.map((row) => viewCall(row, tools.select([row.name]).tools[0]?.retry));
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { calls, ...(last === undefined ? {} : { nextCursor: formatCallToken(last) }) };
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
