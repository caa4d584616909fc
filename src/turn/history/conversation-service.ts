import { Injectable } from '@nestjs/common';
import type { Requester } from '../../attachments/file-memory.js';
import { hasArchive, loadArchiveAfter } from '../../events/archive.js';
import {
  followsOn,
  formatCursor,
  logStart,
  parseCursor,
  type EventCursor,
} from '../../events/cursor.js';
import type { EventLog } from '../../events/event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { budgetExhausted } from '../../governance/budgets/reserve-call.js';
import { cutPage } from '../../http/paging/load-page.js';
import { badCursor, type PageQueryDto } from '../../http/paging/page-query.dto.js';
import { loadTodos } from '../../session/todos.js';
import { OptionLoader } from '../../options/option-loader.js';
import { untilAborted } from '../../platform/async/deadlines.js';
import { compact } from '../../platform/compact.js';
import { isId } from '../../platform/ids.js';
import { SessionStore } from '../../session/session-store.js';
import type { Database } from '../../storage/connection.js';
import type { DayLimits, ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { inConversation } from '../../telemetry/tracing.js';
import { compactSession, findCompaction, settleSummary } from '../prompt/compaction.js';
import { ConversationFiles, openRenderer } from '../prompt/conversation-files.js';
import { afterCompaction, namesOfFiles, sentTurns } from '../prompt/history.js';
import { openFrame } from '../prompt/model-request.js';
import { buildTranscripts } from '../prompt/transcripts.js';
import { AttemptServices } from '../state/attempt-services.js';
import { loadPastTurns } from '../state/past-turn.js';
import { loadTurn, loadTurns } from '../state/load-turns.js';
import { streamExpired, turnInProgress } from '../state/turn-errors.js';
import { findActiveTurn, getTurn } from '../state/turn-row.js';
import { contextBefore } from '../state/turn-state.js';
import { callBefore, findMiss } from '../budgets/cache-misses.js';
import type {
  CallPageDto,
  CompactReportDto,
  LogPageDto,
  LogPageQueryDto,
  SupersededChoice,
  TurnPageDto,
} from './history.dto.js';
import { formatCallToken, listCalls, parseCallToken, viewCall } from './list-calls.js';
import { isTurnOf, listTurns, pageTurns, viewListedTurn } from './list-turns.js';
import type { MessagePageDto, StepPageDto } from './messages.dto.js';
import { viewMessages, viewSteps } from './view-messages.js';

/** The largest number of a step that the database takes. */
const MAX_STEPS = 2 ** 31 - 1;

/** A page of a conversation; `superseded` is hide where it is absent. */
type LineQuery = PageQueryDto & { superseded?: SupersededChoice };

/** The turns of sessions as clients see them: messages, events, steps and tool calls, page by page; and their summary on request. */
@Injectable()
export class ConversationService {
  constructor(
    private readonly services: AttemptServices,
    private readonly sessions: SessionStore,
    private readonly options: OptionLoader,
  ) {}

  /** A page of turns' messages, oldest first. @throws TypedError SESSION_NOT_FOUND 404. */
  async messages(sessionId: string, page: LineQuery): Promise<MessagePageDto> {
    const {
      sessions,
      services: { db },
    } = this;
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
    const {
      sessions,
      services: { db },
    } = this;
    await sessions.get(sessionId);
    const { cursor, limit, superseded } = page;
    const after = await this.#checkCursor(sessionId, cursor);
    const wanted = { after, limit: limit + 1, ...compact({ superseded }) };
    const found = await listTurns(db, sessionId, wanted);
    const { rows, ...next } = cutPage(found, limit, ({ id }) => id);
    return { turns: rows.map(viewListedTurn), ...next };
  }

  /** A page of a turn's events: see `loadLogPage`. */
  log(turnId: string, page: LogPageQueryDto): Promise<LogPageDto> {
    return loadLogPage(this.services, turnId, page);
  }

  /** A page of a turn's steps, in order. @throws TypedError TURN_NOT_FOUND 404. */
  async steps(turnId: string, page: PageQueryDto): Promise<StepPageDto> {
    const { db, models } = this.services;
    const turn = await getTurn(db, turnId);
    const { cursor, limit } = page;
    const after = parseStepCursor(cursor);
    const stored = await loadTurn(db, turn, { after, limit: limit + 1 });
    let before = await callBefore(db, turn, after + 1);
    const found = viewSteps(stored).map((view, index) => {
      const step = stored.steps[index];
      const price = models.find(step?.model ?? '')?.price;
      const cacheMiss = before && step && findMiss(before, step, price);
      before = step;
      return { ...view, ...compact({ cacheMiss }) };
    });
    const { rows, ...next } = cutPage(found, limit, ({ step }) => String(step));
    return { steps: rows, ...next };
  }

  /** A page of a turn's tool calls, as the ledger has them. @throws TypedError TURN_NOT_FOUND 404. */
  async calls(turnId: string, page: PageQueryDto): Promise<CallPageDto> {
    const { db, tools } = this.services;
    const turn = await getTurn(db, turnId);
    const { cursor, limit } = page;
    const after = cursor === undefined ? undefined : parseCallToken(cursor);
    if (after === undefined && cursor !== undefined) throw badCursor();
    const found = await listCalls(db, turn.id, { after, limit: limit + 1 });
    const { rows, ...next } = cutPage(found, limit, formatCallToken);
    const calls = rows.map((row) =>
      viewCall(row, {
        retry: tools.select([row.name]).tools[0]?.retry,
        sampled: turn.sampled?.[row.callId],
      }),
    );
    return { calls, ...next };
  }

  /**
   * Summarises a conversation now, all but its last turn.
   *
   * @param limits of its principal; undefined: none.
   * @throws TypedError SESSION_NOT_FOUND 404, TURN_IN_PROGRESS 409, BUDGET_EXHAUSTED 429, what the
   *   provider throws.
   */
  async compact(
    sessionId: string,
    limits: DayLimits | undefined,
    signal: AbortSignal,
  ): Promise<CompactReportDto> {
    const { services, sessions, options: loader } = this;
    const { db, clock, logger, provider } = services;
    const session = await sessions.get(sessionId);
    provider.assertReady();
    if ((await findActiveTurn(db, sessionId)) !== undefined) throw turnInProgress(sessionId);
    const { options } = (await loader.load(session, undefined)).resolution;
    const { principalId } = session;
    const requester: Requester = { principalId, wait: (work) => untilAborted(work(), signal) };
    const opened = await this.#openSummary(sessionId, options, requester);
    if (opened === undefined) return { compacted: false };
    const { source, price } = opened;
    const { contextTokens } = source;
    const done = await settleSummary(
      { db, clock, logger, signal },
      { principalId, limits, contextTokens, price },
      (onUsage) =>
        inConversation(sessionId, () =>
          compactSession({ db, provider, now: new Date(clock.now()), onUsage }, source, signal),
        ),
    );
    if ('shortage' in done) throw budgetExhausted(done.shortage, clock.now());
    return { compacted: true, summary: done.summary, throughTurnId: done.throughTurnId };
  }

  /** @returns undefined where a conversation has nothing to summarise before its last turn. */
  async #openSummary(sessionId: string, options: ResolvedOptions, requester: Requester) {
    const { services } = this;
    const { db, models, config } = services;
    const before = await findCompaction(db, sessionId);
    const stored = await loadPastTurns(db, sessionId);
    const turns = sentTurns(afterCompaction(stored, before?.throughTurnId), []);
    if (turns.length < 2) return undefined;
    const model = models.describe(options.model);
    // Without a reply in the session, no prefix is stored.
    const prefix = (await this.sessions.prefixOf(sessionId)) ?? { system: '', tools: [] };
    const files = new ConversationFiles({
      open: (images) => openRenderer(services, options, { sessionId, requester, images }),
      rules: () => options.model,
      turnId: '',
      emit: () => undefined,
    });
    const source = {
      sessionId,
      contextTokens: Math.min(contextBefore(turns), model.contextWindow),
      summary: before?.summary,
      reason: 'requested' as const,
      turns: await files.show(buildTranscripts(services, turns.slice(0, -1))),
      todos: await loadTodos(services.db, sessionId),
      files: namesOfFiles(stored),
      frame: openFrame(model, { options, prefix, maxTokens: config.maxTokens }),
    };
    return { source, price: model.price };
  }

  async #checkCursor(sessionId: string, cursor: string | undefined): Promise<string | undefined> {
    if (cursor === undefined) return undefined;
    const isKnown = isId('turn', cursor) && (await isTurnOf(this.services.db, sessionId, cursor));
    if (!isKnown) throw badCursor();
    return cursor;
  }
}

function parseStepCursor(cursor: string | undefined): number {
  const after = cursor === undefined ? 0 : Number(cursor);
  if (Number.isInteger(after) && after >= 0 && after <= MAX_STEPS) return after;
  throw badCursor();
}

/**
 * A page of a turn's events in order: those that are archived, then those that only its log has.
 * Events that an attempt streamed after its last commit, before its worker was lost, are left out.
 *
 * @throws TypedError TURN_NOT_FOUND 404, STREAM_EXPIRED 410, INVALID_REQUEST 400.
 */
export async function loadLogPage(
  { db, log }: { db: Database; log: Pick<EventLog, 'read'> },
  turnId: string,
  { cursor, limit }: LogPageQueryDto,
): Promise<LogPageDto> {
  const turn = await getTurn(db, turnId);
  const after = cursor === undefined ? logStart : parseCursor(turnId, cursor);
  if (turn.endedAt !== null && !(await hasArchive(db, turnId))) {
    throw streamExpired(turnId, turn.sessionId);
  }
  // The event after the page shows whether there is a next page.
  const most = limit + 1;
  const stored = await loadArchiveAfter(db, turnId, { after, most });
  const last = stored.at(-1) ?? after;
  const isAll = stored.length === most || turn.endedAt !== null;
  const logged = isAll ? [] : await log.read(turnId, last);
  const found = [...stored, ...continuing(last, logged)];
  const events = found.slice(0, limit);
  const end = found.length > limit ? events.at(-1) : undefined;
  return { events, ...(end === undefined ? {} : { nextCursor: formatCursor(turnId, end) }) };
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
