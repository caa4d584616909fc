import { Inject, Injectable } from '@nestjs/common';
import type { Requester } from '../../attachments/file-memory.js';
import { OptionLoader } from '../../options/option-loader.js';
import { untilAborted } from '../../platform/async/abort.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import { SessionStore } from '../../session/session-store.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { inConversation } from '../../tracing/tracing.js';
import type { DayLimits } from '../../storage/shapes/stored-options.js';
import { budgetExhausted } from '../../governance/budgets/reserve-call.js';
import { settleSummary } from '../budgets/settle-summary.js';
import { compactSession } from '../prompt/compact-session.js';
import { turnInProgress } from '../state/turn-errors.js';
import { findActiveTurn } from '../state/turn-row.js';
import { SummarySources } from './summary-sources.js';

export interface CompactReport {
  compacted: boolean;
  /** Text of the summary; absent where there was nothing to compact. */
  summary?: string;
  throughTurnId?: string;
}

/** Compacts conversations when a client asks for it. */
@Injectable()
export class SessionCompactor {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly sessions: SessionStore,
    private readonly options: OptionLoader,
    private readonly provider: AnthropicProvider,
    private readonly sources: SummarySources,
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
  ): Promise<CompactReport> {
    const { db, clock, logger, sessions, provider } = this;
    const session = await sessions.get(sessionId);
    provider.assertReady();
    if ((await findActiveTurn(db, sessionId)) !== undefined) throw turnInProgress(sessionId);
    const { options } = (await this.options.load(session, undefined)).resolution;
    const { principalId } = session;
    const requester: Requester = { principalId, wait: (work) => untilAborted(work(), signal) };
    const opened = await this.sources.open(sessionId, options, requester);
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
}
