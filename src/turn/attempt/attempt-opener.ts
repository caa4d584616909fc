import type { Usage } from '../../storage/shapes/stored-step.js';
import { Inject, Injectable } from '@nestjs/common';
import { and, eq, gte } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.js';
import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ModelResolver } from '../../provider/model-resolver.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { compactions } from '../../storage/schema.js';
import { ToolRegistry } from '../../tools/registry.js';
import type { OpenSpan } from '../../tracing/open-span.js';
import { traceIdOf } from '../../tracing/trace-context.js';
import { addUsage, noUsage } from '../../events/turn-event.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { loadApprovals } from '../approvals/approval-store.js';
import {
  toSteeredMessage,
  loadDeliveredMessages,
  loadSessionTurns,
  loadTurns,
  type StoredTurn,
} from '../state/stored-turn.js';
import { acceptedIn } from './trace-origin.js';
import { AttemptLogs } from './attempt-logs.js';
import { isExhausted } from '../queue/attempts-in-vain.js';
import type { Lease } from '../state/lease.js';
import type { Claim, Attempt } from '../state/attempt.js';
import { findSessionTokens } from './session-tokens.js';
import { loadChildren, withRelayed, type ChildTurn } from '../state/child-turn.js';
import { openState } from '../state/turn-state.js';

/** Opens attempts: fences off earlier ones in the log, and loads what they stored. */
@Injectable()
export class AttemptOpener {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly logs: AttemptLogs,
    private readonly tools: ToolRegistry,
    private readonly trees: DecisionTrees,
    private readonly modelNames: ModelResolver,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG)
    private readonly config: Pick<Config, 'mostAttempts' | 'sessionTokens'>,
  ) {}

  /** @returns all that an end of the turn needs, whatever fails later, and the session's other turns. */
  async open(
    claim: Claim,
    lease: Lease,
    span?: OpenSpan,
  ): Promise<{ attempt: Attempt; earlier: StoredTurn[] }> {
    const { db, clock } = this;
    const { options } = claim.options;
    const logger = turnLogger(this.logger, claim, span);
    // A session has one active turn: all others came before this one.
    const [archived, conversation, session, overhead, approvals, delivered, children] =
      await Promise.all([
        this.logs.open(claim, lease),
        this.#loadConversation(claim),
        findSessionTokens(db, claim, this.config.sessionTokens),
        findOverhead(db, claim),
        claim.attempt === 1 ? [] : loadApprovals(db, claim.id),
        claim.steeredMessages === 0 ? [] : loadDeliveredMessages(db, [claim.id]),
        claim.attempt > 1 && claim.delegation?.allowed === true ? loadChildren(db, claim.id) : [],
        this.#loadModels(options),
      ]);
    const stored = conversation.find((other) => other.turn.id === claim.id);
    const { decisionTree = 'default', agentConfig, costLimit } = options;
    const tree = this.trees.find(decisionTree, agentConfig);
    const [steps, calls] = [stored?.steps ?? [], stored?.calls ?? []];
    const relayed = withRelayed(children, archived);
    const startedAt = ownStart(claim, relayed, clock.now());
    lease.steered = claim.steeredMessages;
    const earlier = conversation.filter((other) => isEarlier(other, claim));
    const { principalId } = claim;
    const { projectRoot } = claim.session;
    const limits = { costLimit, session };
    const source = { principalId, projectRoot, startedAt, steps, calls, overhead, ...limits };
    const attempt: Attempt = {
      turn: claim,
      session: claim.session,
      archived,
      clock,
      logger,
      lease,
      ...compact({ span }),
      writer: this.logs.openWriter(claim, { archived, lease, logger }),
      isHarmless: (name) =>
        this.tools
          .select([name])
          .tools.some(({ effect, timeLimit }) => effect === 'read' && timeLimit !== 'none'),
      tree,
      progress: {
        steps: steps.map(({ step, parts, stopReason, usage, sent, endedAt }) => ({
          step,
          parts,
          stopReason,
          usage,
          sent,
          endedAt,
        })),
        results: new Map(calls.map((call) => [call.callId, call])),
        draft: undefined,
        state: openState(tree, { ...source, children: relayed }, clock.now()),
        overhead,
        elidedThrough: claim.elidedThrough,
        discarded: claim.discardedUsage ?? noUsage,
        clampedStep: undefined,
        clampedBy: undefined,
        serverStarts: new Map(),
        notices: [...(stored?.notices ?? [])],
        steered: delivered.map(toSteeredMessage),
      },
      approvals,
      grants: claim.grants,
      children: relayed,
      startedAt,
      storedParts: claim.userParts,
      ...compact({ previous: earlier.at(-1) }),
    };
    return { attempt, earlier };
  }

  /** Loads the session's turns; the claimed one with what earlier attempts stored. */
  async #loadConversation(claim: Claim): Promise<StoredTurn[]> {
    const { id, sessionId, attempt, hasHistory } = claim;
    // The other turns may be what ended the processes of the earlier attempts.
    if (isExhausted(claim, this.config.mostAttempts)) return loadTurns(this.db, [id]);
    const isFirst = attempt === 1;
    if (isFirst && !hasHistory) return [];
    return loadSessionTurns(this.db, sessionId, isFirst ? id : undefined);
  }

  /** Loads the models: the process that accepted the turn may be the only one that knows them. */
  async #loadModels({ model, fallbackModel }: ResolvedOptions): Promise<void> {
    await this.modelNames.load(model);
    if (fallbackModel !== undefined) await this.modelNames.load(fallbackModel);
  }
}

/** A logger that puts the ids of a claim on every line, and the trace of its attempt or of its acceptance. */
export function turnLogger(logger: Logger, claim: Claim, span?: OpenSpan): Logger {
  const { id: turnId, sessionId, attempt, request } = claim;
  const { requestId } = request;
  const trace = span?.trace ?? acceptedIn(claim);
  const traceId = trace && traceIdOf(trace);
  return logger.child({ turnId, sessionId, attempt, ...compact({ requestId, traceId }) });
}

/**
 * Whether a turn of the session ended before the claimed turn began, whatever the clock was when it was
 * accepted. A turn behind the claimed one is not part of its conversation, even where it was ended there:
 * each attempt sends the same conversation.
 */
function isEarlier({ turn, steps }: StoredTurn, { id, startedAt }: Claim): boolean {
  if (turn.id === id || turn.endedAt === null) return false;
  return steps.length > 0 || startedAt === null || turn.endedAt <= startedAt;
}

/** The start of a turn's own time: the time for which it, or one of its subagents, was parked is added. */
function ownStart(
  { startedAt, createdAt, waitedMs }: Claim,
  children: readonly ChildTurn[],
  now: number,
): Date {
  const parked = children.flatMap(({ waitingSince, usage }) =>
    waitingSince === null || usage !== undefined ? [] : [now - waitingSince.getTime()],
  );
  const parkedMs = waitedMs + Math.max(0, ...parked);
  return new Date(Math.min(now, (startedAt ?? createdAt).getTime() + parkedMs));
}

/** The usage of earlier attempts for summaries of the conversation before the turn, and for discarded replies. */
async function findOverhead(
  db: Queryable,
  turn: Pick<Claim, 'sessionId' | 'attempt' | 'startedAt' | 'createdAt' | 'discardedUsage'>,
): Promise<Usage> {
  if (turn.attempt === 1) return noUsage;
  // A session has one active turn: the automatic summaries since its start are its own.
  const summaries = await db
    .select({ usage: compactions.usage })
    .from(compactions)
    .where(
      and(
        eq(compactions.sessionId, turn.sessionId),
        eq(compactions.reason, 'automatic'),
        gte(compactions.createdAt, turn.startedAt ?? turn.createdAt),
      ),
    );
  return summaries.reduce((sum, { usage }) => addUsage(sum, usage), turn.discardedUsage ?? noUsage);
}
