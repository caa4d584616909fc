import type { Requester } from '../../attachments/requester.js';
import { Inject, Injectable } from '@nestjs/common';
import { untilAborted } from '../../platform/abort.js';
import { isId } from '../../platform/ids.js';
import { badCursor, parseLimit } from '../../http/page-request.js';
import type { DayLimits } from '../../storage/shapes/stored-limits.js';
import { budgetExhausted } from '../budgets/budget-errors.js';
import { settleSummary } from '../budgets/settle-summary.js';
import { compactSession } from '../prompt/compact-session.js';
import { formatPageToken, listCalls, parsePageToken } from './list-calls.js';
import { listTurns } from './list-turns.js';
import { loadSessionTurns, loadTurn, loadTurns } from '../state/load-turn.js';
import { afterCompaction, namesOfFiles } from '../prompt/history-opener.js';
import { openFrame } from '../prompt/open-frame.js';
import { sentTurns } from '../prompt/sent-turns.js';
import { TranscriptBuilder } from '../prompt/transcript-builder.js';
import { FileShowers } from '../prompt/file-showers.js';
import { findCompaction } from '../prompt/find-compaction.js';
import { contextBefore } from '../state/turn-context.js';
import { isTurnOf, pageTurns } from './page-turns.js';
import { turnInProgress } from '../state/turn-errors.js';
import { findActiveTurn, getTurn } from '../state/turn-lookup.js';
import { TurnLog, type TurnLogPage } from '../stream/turn-log.js';
import { TURN_SERVICES, type TurnServices } from '../state/turn-services.js';
import { viewListedTurn, type ListedTurnView } from './view-listed-turn.js';
import { viewCall, type CallView } from './view-call.js';
import { viewMessages, type MessageView } from './view-messages.js';
import { viewSteps, type StepView } from './view-steps.js';

/** No turn has more: the largest number of a step the database takes. */
const MOST_STEPS = 2 ** 31 - 1;

export interface PageRequest {
  /** `nextCursor` of the page before. */
  cursor: unknown;
  limit: unknown;
}

export interface CompactReport {
  compacted: boolean;
  /** Of the compaction; absent where there was nothing to compact. */
  summary?: string;
  throughTurnId?: string;
}

/** What a session's turns said, as clients read it. */
@Injectable()
export class ConversationService {
  constructor(
    @Inject(TURN_SERVICES) private readonly services: TurnServices,
    private readonly turnLog: TurnLog,
  ) {}

  /** A page of turns' messages, oldest first. @throws TypedError SESSION_NOT_FOUND 404. */
  async messages(
    sessionId: string,
    page: PageRequest,
  ): Promise<{ messages: MessageView[]; nextCursor?: string }> {
    const { db, sessions } = this.services;
    await sessions.get(sessionId);
    const limit = parseLimit(page.limit);
    const after = await this.#readCursor(sessionId, page.cursor);
    const compaction = await findCompaction(db, sessionId);
    const summarisedThrough = compaction?.throughTurnId;
    // One more: whether another page follows.
    const found = await pageTurns(db, sessionId, { after, limit: limit + 1, summarisedThrough });
    const shown = found.slice(0, limit);
    const stored = await loadTurns(
      db,
      shown.map(({ id }) => id),
    );
    const summarised = new Set(shown.flatMap((turn) => (turn.isSummarised ? [turn.id] : [])));
    const messages = viewMessages(stored).map((message) =>
      summarised.has(message.turnId) ? { ...message, compacted: true } : message,
    );
    const last = found.length > limit ? shown.at(-1)?.id : undefined;
    return { messages, ...(last === undefined ? {} : { nextCursor: last }) };
  }

  /** A page of a session's turns, the newest first. @throws TypedError SESSION_NOT_FOUND 404. */
  async turns(
    sessionId: string,
    page: PageRequest,
  ): Promise<{ turns: ListedTurnView[]; nextCursor?: string }> {
    const { db, sessions } = this.services;
    await sessions.get(sessionId);
    const limit = parseLimit(page.limit);
    const after = await this.#readCursor(sessionId, page.cursor);
    const found = await listTurns(db, sessionId, { after, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1)?.id : undefined;
    const turns = shown.map(viewListedTurn);
    return { turns, ...(last === undefined ? {} : { nextCursor: last }) };
  }

  /** A page of what a turn said, as it was said: see `TurnLog`. */
  log(turnId: string, page: PageRequest): Promise<TurnLogPage> {
    return this.turnLog.page(turnId, page);
  }

  /** A page of a turn's steps, in order. @throws TypedError TURN_NOT_FOUND 404. */
  async steps(
    turnId: string,
    page: PageRequest,
  ): Promise<{ steps: StepView[]; nextCursor?: string }> {
    const { db } = this.services;
    const turn = await getTurn(db, turnId);
    const limit = parseLimit(page.limit);
    const after = readStepCursor(page.cursor);
    const found = viewSteps(await loadTurn(db, turn, { after, limit: limit + 1 }));
    const steps = found.slice(0, limit);
    const last = found.length > limit ? steps.at(-1)?.step : undefined;
    return { steps, ...(last === undefined ? {} : { nextCursor: String(last) }) };
  }

  /** A page of a turn's tool calls, as the ledger has them. @throws TypedError TURN_NOT_FOUND 404. */
  async calls(
    turnId: string,
    page: PageRequest,
  ): Promise<{ calls: CallView[]; nextCursor?: string }> {
    const { db, tools } = this.services;
    const turn = await getTurn(db, turnId);
    const limit = parseLimit(page.limit);
    const after = page.cursor === undefined ? undefined : parsePageToken(page.cursor);
    if (after === undefined && page.cursor !== undefined) throw badCursor();
    const found = await listCalls(db, turn.id, { after, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const calls = shown.map((row) => viewCall(row, tools.select([row.name]).tools[0]?.retry));
    const last = found.length > limit ? shown.at(-1) : undefined;
    return { calls, ...(last === undefined ? {} : { nextCursor: formatPageToken(last) }) };
  }

  /**
   * Has the conversation summarised now, all but its last turn.
   *
   * @param limits of its principal; undefined: none.
   * @throws TypedError SESSION_NOT_FOUND 404, TURN_IN_PROGRESS 409, BUDGET_EXHAUSTED 429, what the
   *   provider throws.
   */
  async compact(
    sessionId: string,
    limits: DayLimits | undefined,
    signal: AbortSignal,
  ): Promise<CompactReport> {
    const { db, sessions, provider, models, clock, todos } = this.services;
    const session = await sessions.get(sessionId);
    provider.assertReady();
    if ((await findActiveTurn(db, sessionId)) !== undefined) throw turnInProgress(sessionId);
    const before = await findCompaction(db, sessionId);
    const stored = await loadSessionTurns(db, sessionId);
    const turns = sentTurns(afterCompaction(stored, before?.throughTurnId), []);
    if (turns.length < 2) return { compacted: false };
    const { resolution } = await this.services.options.load(session, undefined);
    const { options } = resolution;
    const { principalId } = session;
    const model = models.describe(options.model);
    const contextTokens = Math.min(contextBefore(turns), model.contextWindow);
    // Turns of earlier versions stored no prefix: their summary is asked for without one.
    const prefix = (await sessions.prefixOf(sessionId)) ?? { system: '', tools: [] };
    const requester: Requester = { principalId, wait: (work) => untilAborted(work(), signal) };
    const { attachments, settings } = this.services;
    const shower = new FileShowers(attachments, models).open(options, { sessionId, requester });
    const { maxTokens } = settings.limits;
    const transcripts = new TranscriptBuilder(models, settings);
    const source = {
      sessionId,
      contextTokens,
      summary: before?.summary,
      reason: 'requested' as const,
      turns: await transcripts.build(turns.slice(0, -1), shower),
      todos: await todos.get(sessionId),
      files: namesOfFiles(stored),
      frame: openFrame(model, { options, prefix, maxTokens }),
    };
    const done = await settleSummary(
      { ...this.services, signal },
      { principalId, limits, contextTokens, price: model.price },
      (onUsage) =>
        compactSession({ db, provider, now: new Date(clock.now()), onUsage }, source, signal),
    );
    if ('shortage' in done) throw budgetExhausted(done.shortage, clock.now());
    return { compacted: true, summary: done.summary, throughTurnId: done.throughTurnId };
  }

  async #readCursor(sessionId: string, cursor: unknown): Promise<string | undefined> {
    if (cursor === undefined) return undefined;
    const isKnown =
      typeof cursor === 'string' &&
      isId('turn', cursor) &&
      (await isTurnOf(this.services.db, sessionId, cursor));
    if (!isKnown) throw badCursor();
    return cursor;
  }
}

function readStepCursor(cursor: unknown): number {
  const after = cursor === undefined ? 0 : Number(cursor);
  if (Number.isInteger(after) && after >= 0 && after <= MOST_STEPS) return after;
  throw badCursor();
}
