import { loadArchive } from '../../events/archive.js';
import { EventWriter } from '../../events/event-writer.js';
import { restoreLog } from '../../events/restore-log.js';
import { noUsage, type TurnEvent } from '../../events/turn-event.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { untilAborted } from '../../platform/abort.js';
import { loadApprovals } from '../approvals/load-approvals.js';
import { toSteeredMessage, loadDeliveredMessages } from '../loop/steered-messages.js';
import { exhaustionOf, isProgress } from './attempts-in-vain.js';
import { assistantMessageId } from '../state/assistant-message-id.js';
import { findOverhead } from './find-overhead.js';
import type { Lease } from '../state/lease.js';
import { loadSessionTurns, loadTurns, type StoredTurn } from '../state/load-turn.js';
import type { Claim } from '../queue/turn-claims.js';
import type { Attempt } from '../state/turn-run.js';
import { findSessionTokens } from './session-tokens.js';
import { loadChildren, withTold, type ChildTurn } from '../state/child-turn.js';
import { openState } from '../state/turn-state.js';
import type { TurnServices } from '../state/turn-services.js';

/**
 * Opens an attempt: fences off earlier ones in the log, gives it what they stored and could not
 * say, and loads what they did. What it gives is enough to end the turn, whatever goes wrong after.
 */
export async function openAttempt(
  services: TurnServices,
  claim: Claim,
  lease: Lease,
): Promise<{ attempt: Attempt; earlier: StoredTurn[] }> {
  const { tools, clock, trees, modelNames } = services;
  // A session has one turn at a time: while this one is active, all others came before it.
  const [said, conversation, session, overhead, approvals, heard, found] = await Promise.all([
    openLog(services, claim, lease),
    loadConversation(services, claim),
    findSessionTokens(services, claim),
    findOverhead(services.db, claim),
    claim.attempt === 1 ? [] : loadApprovals(services.db, claim.id),
    claim.joinedMessages === 0 ? [] : loadDeliveredMessages(services.db, [claim.id]),
    claim.attempt > 1 && claim.delegation?.allowed === true
      ? loadChildren(services.db, claim.id)
      : [],
    learnModels(modelNames, claim.options.options),
  ]);
  const stored = conversation.find((other) => other.turn.id === claim.id);
  const { decisionTree = 'default', agentConfig, costLimit } = claim.options.options;
  const tree = trees.find(decisionTree, agentConfig);
  const [steps, calls] = [stored?.steps ?? [], stored?.calls ?? []];
  const children = withTold(found, said);
  const startedAt = ownStart(claim, children, clock.now());
  lease.joined = claim.joinedMessages;
  const { projectRoot } = claim.session;
  const attempt: Attempt = {
    turn: claim,
    attempt: claim.attempt,
    session: claim.session,
    said,
    messageId: assistantMessageId(claim.id),
    clock,
    lease,
    writer: openWriter(services, claim, lease),
    effectOf: (name) => tools.select([name]).tools[0]?.effect,
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
      state: openState(
        tree,
        {
          principalId: claim.principalId,
          projectRoot,
          startedAt,
          steps,
          calls,
          overhead,
          costLimit,
          session,
          children,
        },
        clock.now(),
      ),
      overhead,
      elidedThrough: claim.elidedThrough,
      canShorten: false,
      discarded: claim.discardedUsage ?? noUsage,
      clampedStep: undefined,
      clampedBy: undefined,
      serverStarts: new Map(),
      notices: [...(stored?.notices ?? [])],
      joined: heard.map(toSteeredMessage),
    },
    approvals,
    children,
    startedAt,
    storedParts: claim.userParts,
  };
  return { attempt, earlier: conversation.filter((other) => other.turn.id !== claim.id) };
}

/**
 * When it began, without the time that people were waited for since, by it or by a subagent that
 * still does: its own time counts from here.
 */
function ownStart(
  { startedAt, createdAt, waitedMs }: Claim,
  children: readonly ChildTurn[],
  now: number,
): Date {
  const waiting = children.flatMap(({ waitingSince, usage }) =>
    waitingSince === null || usage !== undefined ? [] : [now - waitingSince.getTime()],
  );
  const stood = waitedMs + Math.max(0, ...waiting);
  return new Date(Math.min(now, (startedAt ?? createdAt).getTime() + stood));
}

/** The session's turns; of the claimed one what earlier attempts did. */
async function loadConversation(services: TurnServices, claim: Claim): Promise<StoredTurn[]> {
  const { db, settings } = services;
  const { id, sessionId, attempt, hasHistory } = claim;
  // What is not needed for its end may be what ended its processes.
  if (exhaustionOf(claim, settings.mostAttemptsInVain) !== undefined) return loadTurns(db, [id]);
  const isFirst = attempt === 1;
  if (isFirst && !hasHistory) return [];
  return loadSessionTurns(db, sessionId, isFirst ? id : undefined);
}

/** @returns what earlier attempts said, of which readers lack nothing from now on. */
async function openLog(
  { log, db }: TurnServices,
  { id: turnId, attempt, wasAnnounced }: Claim,
  lease: Lease,
): Promise<readonly TurnEvent[]> {
  // Nothing was said, by nobody who could say more: the first append opens the log.
  if (attempt === 1 && !wasAnnounced) return [];
  const end = await untilAborted(log.begin(turnId, attempt), lease.signal);
  const said = await loadArchive(db, turnId);
  await restoreLog(log, { turnId, attempt }, said, end);
  return said;
}

function openWriter(services: TurnServices, claim: Claim, lease: Lease): EventWriter {
  const { log, db, clock, logger, settings } = services;
  return new EventWriter({
    log,
    db,
    clock,
    turnId: claim.id,
    attempt: claim.attempt,
    commitTimeoutMs: settings.leaseMs,
    isLost: () => lease.reason === 'lost',
    onStored: (events) => {
      if (events.some(({ type }) => isProgress(type))) lease.onProgress();
    },
    onLogError: (error) => logger.warn({ turnId: claim.id, error }, 'the log took no append'),
    onFailure: (error) => {
      logger.warn({ turnId: claim.id, error }, 'a write of the turn failed');
      lease.end('lost');
    },
  });
}

/** The process that took the turn may be the only one that has asked for its models. */
async function learnModels(
  names: TurnServices['modelNames'],
  { model, fallbackModel }: ResolvedOptions,
): Promise<void> {
  await names.load(model);
  if (fallbackModel !== undefined) await names.load(fallbackModel);
}
