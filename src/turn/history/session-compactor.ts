import type { CompactReportDto } from './history.dto.js';
import { Injectable } from '@nestjs/common';
import type { Requester } from '../../attachments/file-memory.js';
import { TodoStore } from '../../notices/todos.js';
import { OptionLoader } from '../../options/option-loader.js';
import { untilAborted } from '../../platform/async/deadlines.js';
import { SessionStore } from '../../session/session-store.js';
import { inConversation } from '../../telemetry/tracing.js';
import type { DayLimits, ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { budgetExhausted } from '../../governance/budgets/reserve-call.js';
import { compactSession, findCompaction, settleSummary } from '../prompt/compaction.js';
import { ConversationFiles, openShower } from '../prompt/conversation-files.js';
import { afterCompaction, namesOfFiles, sentTurns } from '../prompt/history.js';
import { openFrame } from '../prompt/model-request.js';
import { buildTranscripts } from '../prompt/transcripts.js';
import { loadSessionTurns } from '../state/stored-turn.js';
import { contextBefore } from '../state/turn-state.js';
import { AttemptServices } from '../state/attempt-services.js';
import { turnInProgress } from '../state/turn-errors.js';
import { findActiveTurn } from '../state/turn-row.js';

/** Compacts conversations when a client asks for it. */
@Injectable()
export class SessionCompactor {
  constructor(
    private readonly services: AttemptServices,
    private readonly sessions: SessionStore,
    private readonly options: OptionLoader,
    private readonly todos: TodoStore,
  ) {}

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
    const { sessions } = this;
    const { db, clock, logger, provider } = this.services;
    const session = await sessions.get(sessionId);
    provider.assertReady();
    if ((await findActiveTurn(db, sessionId)) !== undefined) throw turnInProgress(sessionId);
    const { options } = (await this.options.load(session, undefined)).resolution;
    const { principalId } = session;
    const requester: Requester = { principalId, wait: (work) => untilAborted(work(), signal) };
    const opened = await this.#openSource(sessionId, options, requester);
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
  async #openSource(sessionId: string, options: ResolvedOptions, requester: Requester) {
    const { services } = this;
    const { db, models, config } = services;
    const before = await findCompaction(db, sessionId);
    const stored = await loadSessionTurns(db, sessionId);
    const turns = sentTurns(afterCompaction(stored, before?.throughTurnId), []);
    if (turns.length < 2) return undefined;
    const model = models.describe(options.model);
    // Turns of earlier versions stored no prefix: their summary is asked for without a prefix.
    const prefix = (await this.sessions.prefixOf(sessionId)) ?? { system: '', tools: [] };
    const files = new ConversationFiles({
      open: (images) => openShower(services, options, { sessionId, requester, images }),
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
      todos: await this.todos.get(sessionId),
      files: namesOfFiles(stored),
      frame: openFrame(model, { options, prefix, maxTokens: config.maxTokens }),
    };
    return { source, price: model.price };
  }
}
