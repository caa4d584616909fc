import { and, eq, gte, asc } from 'drizzle-orm';
import { loadArchive, restoreLog } from '../../events/archive.js';
import { logStart, compareCursors, type EventCursor } from '../../events/cursor.js';
import { FencedError } from '../../events/event-log.js';
import { EventWriter } from '../../events/event-writer.js';
import { addUsage, noUsage, type TurnEvent } from '../../events/turn-event.js';
import { tokensOf } from '../../governance/limits/cost.js';
import type { AgentState } from '../../governance/decision-tree/agent-state.js';
import { untilAborted } from '../../platform/async/deadlines.js';
import { compact } from '../../platform/compact.js';
import type { Logger } from '../../platform/logger.js';
import type { Queryable } from '../../storage/connection.js';
import { turns, compactions } from '../../storage/schema.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { OpenSpan } from '../../telemetry/tracing.js';
import { loadApprovals } from '../approvals/approval-store.js';
import { isExhausted, isProgress } from '../queue/takeover-guard.js';
import type { Attempt, ChildTurn, Claim, Progress, ReleaseSlotWhile } from '../state/attempt.js';
import type { AttemptServices } from '../state/attempt-services.js';
import type { Lease } from '../state/lease.js';
import { loadTurns } from '../state/load-turns.js';
import { loadDeliveredMessages, toSteeredMessage, type StoredTurn } from '../state/stored-turn.js';
import { loadPastTurns, type PastTurn } from '../state/past-turn.js';
import { openState } from '../state/turn-state.js';
import { countEvents, turnLogger } from './attempt-telemetry.js';

export interface AttemptResources {
  lease: Lease;
  /** Absent: the attempt only ends the turn. */
  span?: OpenSpan;
  /** Absent: the attempt has no slot. */
  releaseSlotWhile?: ReleaseSlotWhile;
}

/**
 * Opens an attempt: fences off earlier ones in the log, and loads what they stored.
 *
 * @returns all that an end of the turn needs, whatever fails later.
 */
export async function openAttempt(
  services: AttemptServices,
  claim: Claim,
  { lease, span, releaseSlotWhile = (wait) => wait() }: AttemptResources,
): Promise<Attempt> {
  const { clock, tools } = services;
  const logger = turnLogger(services.logger, claim, span);
  const loaded = await load(services, claim, lease);
  const { archived, earlier, session, stored, overhead, approvals, delivered } = loaded;
  const { decisionTree = 'default', agentConfig, costLimit } = claim.options.options;
  const tree = services.trees.find(decisionTree, agentConfig);
  const relayed = withRelayed(loaded.children, archived);
  const startedAt = ownStart(claim, relayed, clock.now());
  lease.steered = claim.steeredMessages;
  const sampled = new Map(Object.entries(claim.sampled ?? {}));
  const source = {
    principalId: claim.principalId,
    projectRoot: claim.session.projectRoot,
    startedAt,
    steps: stored?.steps ?? [],
    calls: stored?.calls ?? [],
    overhead,
    sampled,
    costLimit,
    session,
  };
  return {
    services,
    turn: claim,
    session: claim.session,
    worker: claim.worker,
    archived,
    clock,
    logger,
    lease,
    releaseSlotWhile,
    ...compact({ span }),
    writer: openWriter(services, claim, { archived, lease, logger }),
    isHarmless: (name) => isHarmless(tools, name),
    tree,
    progress: {
      ...openProgress(claim, stored),
      state: openState(tree, { ...source, children: relayed }, clock.now()),
      overhead,
      sampled,
      steered: delivered.map(toSteeredMessage),
    },
    approvals,
    grants: claim.grants,
    children: relayed,
    startedAt,
    beganAt: new Date(clock.now()),
    storedParts: claim.userParts,
    earlier,
  };
}

/** Loads all that is stored of a turn, at once. */
async function load(services: AttemptServices, claim: Claim, lease: Lease) {
  const { db } = services;
  const isFirst = claim.attempt === 1;
  // A session has one active turn: all others came before this one.
  const [archived, [earlier, session], stored, overhead, approvals, delivered, children] =
    await Promise.all([
      openLog(services, claim, lease),
      loadConversation(services, claim),
      isFirst ? undefined : loadStored(db, claim.id),
      findOverhead(db, claim),
      isFirst ? [] : loadApprovals(db, claim.id),
      claim.steeredMessages === 0 ? [] : loadDeliveredMessages(db, [claim.id]),
      !isFirst && claim.delegation?.allowed === true ? loadChildren(db, claim.id) : [],
      loadModels(services, claim),
    ]);
  return { archived, earlier, session, stored, overhead, approvals, delivered, children };
}

/** The progress that earlier attempts stored. @param stored absent: this attempt is the first. */
function openProgress(
  claim: Claim,
  stored: Awaited<ReturnType<typeof loadStored>> | undefined,
): Omit<Progress, 'state' | 'overhead' | 'sampled' | 'steered'> {
  const { steps = [], calls = [], notices = [] } = stored ?? {};
  return {
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
    elidedThrough: claim.elidedThrough,
    hasElidedEarlier: false,
    discarded: claim.discardedUsage ?? noUsage,
    serverStarts: new Map(),
    notices: [...notices],
  };
}

function isHarmless(tools: ToolRegistry, name: string): boolean {
  return tools
    .select([name])
    .tools.some(({ effect, timeLimit }) => effect === 'read' && timeLimit !== 'none');
}

/** @returns the archived events of earlier attempts, all of which readers find in the log. */
async function openLog(
  { log, db }: AttemptServices,
  { id: turnId, attempt, wasAnnounced }: Claim,
  lease: Lease,
): Promise<readonly TurnEvent[]> {
  // The log is empty, and no other attempt can append to it: the first append opens the log.
  if (attempt === 1 && !wasAnnounced) return [];
  const end = await untilAborted(log.begin(turnId, attempt), lease.signal);
  const archived = await loadArchive(db, turnId);
  await restoreLog(log, { turnId, attempt }, archived, end);
  return archived;
}

/** @param archived what `openLog` returned. */
function openWriter(
  { log, db, commits, clock, config, metrics, tools }: AttemptServices,
  claim: Claim,
  { archived, lease, logger }: { archived: readonly TurnEvent[]; lease: Lease; logger: Logger },
): EventWriter {
  const { id: turnId, attempt } = claim;
  const isServerTool = (name: string): boolean => tools.select([name]).tools.length > 0;
  return new EventWriter({
    log,
    db,
    commits,
    clock,
    turnId,
    attempt,
    before: archived.at(-1) ?? logStart,
    commitTimeoutMs: config.leaseMs,
    isLost: () => lease.reason === 'lost',
    onStored: (events) => {
      if (events.some(({ type }) => isProgress(type))) lease.onProgress();
      countEvents(metrics, { turn: claim, isServerTool }, events);
    },
    onLogError: (error) =>
      logger.warn(
        { error },
        'could not append to the event log; trying again, and readers wait for these events',
      ),
    onFailure: (error) => {
      if (error instanceof FencedError) metrics.fencedWrites.inc();
      logger.warn(
        { error },
        'could not store a write of the turn; this attempt stops, and the next one goes on from what is stored',
      );
      lease.end('lost');
    },
  });
}

async function loadConversation(services: AttemptServices, claim: Claim) {
  const { db, config } = services;
  const earlier = await loadEarlier(services, claim);
  const { sessionId } = claim;
  const session = await findSessionTokens(db, { sessionId, earlier }, config.sessionTokens);
  return [earlier, session] as const;
}

/**
 * Gives the turns of the conversation before the claimed turn, as this worker remembers them or else from the database.
 * A turn that was held behind the claimed one is left out, even if it has ended: each attempt sends the same
 * conversation.
 */
async function loadEarlier(services: AttemptServices, claim: Claim): Promise<readonly PastTurn[]> {
  const { db, config, conversations } = services;
  // The other turns may be what ended the processes of the earlier attempts.
  if (!claim.hasHistory || isExhausted(claim, config.maxAttempts)) return [];
  const remembered = claim.attempt === 1 ? conversations.take(claim.session) : undefined;
  if (remembered !== undefined) return remembered;
  return loadPastTurns(db, claim.sessionId, claim.startedAt);
}

/** Loads the rows of the turn that earlier attempts stored. */
async function loadStored(db: Queryable, turnId: string): Promise<StoredTurn | undefined> {
  const [stored] = await loadTurns(db, [turnId]);
  return stored;
}

/** Loads the models: the process that accepted the turn may be the only one that knows them. */
async function loadModels(
  { modelNames }: AttemptServices,
  { options: { options } }: Claim,
): Promise<void> {
  const { model, fallbackModel = [], fallbackModels = [] } = options;
  for (const name of [model, fallbackModel, fallbackModels].flat()) await modelNames.load(name);
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

/**
 * The tokens of a session's conversation before a turn, and their limit.
 *
 * @param limitTokens 0: no limit.
 * @returns undefined where there is no limit.
 */
export async function findSessionTokens(
  db: Queryable,
  { sessionId, earlier }: Pick<Claim, 'sessionId'> & Pick<Attempt, 'earlier'>,
  limitTokens: number,
): Promise<AgentState['session']> {
  if (limitTokens === 0) return undefined;
  if (earlier.length === 0) return { usedTokens: 0, limitTokens };
  // The usage of a turn includes its automatic summaries.
  const summaries = await db
    .select({ usage: compactions.usage })
    .from(compactions)
    .where(and(eq(compactions.sessionId, sessionId), eq(compactions.reason, 'requested')));
  const usages = [...earlier.map(({ turn }) => turn.usage), ...summaries.map(({ usage }) => usage)];
  const usedTokens = usages.reduce((sum, usage) => sum + (usage === null ? 0 : tokensOf(usage)), 0);
  return { usedTokens, limitTokens };
}

/** Loads the subagents that earlier attempts started, in the order of their start. */
async function loadChildren(
  db: Queryable,
  parentTurnId: string,
): Promise<Omit<ChildTurn, 'relayedTo' | 'isOver'>[]> {
  const rows = await db
    .select()
    .from(turns)
    .where(eq(turns.parentTurnId, parentTurnId))
    .orderBy(asc(turns.createdAt), asc(turns.id));
  return rows.map(({ id, parentCallId, options, usage, endedAt, waitingSince }) => ({
    id,
    callId: parentCallId ?? '',
    agent: options.options.persona,
    tokenBudget: options.options.agentConfig.tokenBudget,
    costLimit: options.options.costLimit,
    usage: endedAt === null ? undefined : (usage ?? undefined),
    waitingSince,
  }));
}

/** Adds how far each child was relayed, by the parent's archived events. */
function withRelayed(
  children: readonly Omit<ChildTurn, 'relayedTo' | 'isOver'>[],
  archived: readonly TurnEvent[],
): ChildTurn[] {
  return children.map((child) => {
    const relayedTo = archived.reduce<EventCursor>(
      (last, event) =>
        event.type === 'subagent.told' &&
        event.childTurnId === child.id &&
        compareCursors(event.event, last) > 0
          ? event.event
          : last,
      logStart,
    );
    const isOver = archived.some(
      (event) => event.type === 'subagent.ended' && event.childTurnId === child.id,
    );
    return { ...child, relayedTo, isOver };
  });
}
