import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { withTimeout } from '../../platform/async/deadlines.js';
import { isExhausted } from '../queue/takeover-guard.js';
import { originOf } from '../attempt/attempt-telemetry.js';
import { endTurn, flushLog } from '../lifecycle/end-turn.js';
import type { QueueNotifier } from '../queue/queue-notifier.js';
import { buildContext } from '../attempt/build-context.js';
import { openAttempt } from '../attempt/open-attempt.js';
import { announceStart } from '../attempt/start-events.js';
import { runTurn } from '../loop/run-turn.js';
import { reserveFiles } from '../prompt/conversation-files.js';
import { turnsWithFiles } from '../prompt/history.js';
import { rememberConversation } from '../prompt/remember-conversation.js';
import type { AttemptServices } from '../state/attempt-services.js';
import type { Claim, Attempt } from '../state/attempt.js';
import { attemptsExhausted } from '../state/turn-errors.js';
import { Deadline, type Lease } from '../state/lease.js';
import type { OpenSpan, SpanStart } from '../../telemetry/tracing.js';
import { attributes, queueAttributes, spanNames } from '../../telemetry/span-names.js';
import type { AttemptContext } from '../state/attempt-context.js';
import type { ToolSources } from '../state/tool-source.js';
import type { Delegator } from '../subagents/delegator.js';
import { classifyFailure } from './classify-failure.js';
import type { WorkerSlot } from './worker-slot.js';

/** Longest time that a turn's tools may take to close, in ms. */
const CLOSE_WAIT_MS = 5_000;

interface ClaimedSlot {
  lease: Lease;
  slot: WorkerSlot;
}

/** How an attempt is over; undefined: the turn is parked, or left to its next attempt. */
type AttemptEnd = { hasNext: boolean } | undefined;

/** What attempts are run with. */
export interface AttemptConductors {
  services: AttemptServices;
  delegator: Delegator;
  toolSources: ToolSources;
  notifier: QueueNotifier;
}

/**
 * Runs one attempt until the turn has ended, is parked, or is left to its next attempt. Its span is below
 * `process turns` where the turn came over the queue; a subagent's is below the call that delegated to it.
 */
export async function runAttempt(
  conductors: AttemptConductors,
  claim: Claim,
  claimed: ClaimedSlot,
): Promise<void> {
  const origin = originOf(claim);
  if (claim.parentTurnId !== null) return runInSpan(conductors, claim, claimed, origin);
  const received = conductors.services.tracing.start(spanNames.process, {
    ...origin,
    kind: 'consumer',
    attributes: { ...queueAttributes('process'), [attributes.messageId]: claim.id },
    conversation: claim.sessionId,
  });
  try {
    await received.run(() => runInSpan(conductors, claim, claimed, {}));
  } finally {
    received.end();
  }
}

async function runInSpan(
  conductors: AttemptConductors,
  claim: Claim,
  claimed: ClaimedSlot,
  origin: Pick<SpanStart, 'parent' | 'links'>,
): Promise<void> {
  const span = conductors.services.tracing.start(...agentSpan(claim, origin));
  try {
    await span.run(() => attemptTurn(conductors, claim, { ...claimed, span }));
  } catch (error) {
    // An error that ends an attempt is caught within it: this one is a fault of the server or its database.
    span.fail('_OTHER');
    throw error;
  } finally {
    span.end();
  }
}

async function attemptTurn(
  { services, delegator, toolSources, notifier }: AttemptConductors,
  claim: Claim,
  { lease, slot, span }: ClaimedSlot & { span: OpenSpan },
): Promise<void> {
  const attempt = await openAttempt(services, claim, {
    lease,
    span,
    releaseSlotWhile: (wait) => slot.releaseWhile(wait),
  });
  attempt.logger.info({ model: attempt.turn.options.options.model }, 'turn started');
  const deadline = startDeadline(attempt);
  let run: AttemptContext | undefined;
  let releaseMemory = (): void => undefined;
  let end: AttemptEnd;
  // The end was asked for while the turn was queued.
  if (claim.cancelReason !== null) lease.end(claim.cancelReason);
  try {
    const announced = announceStart(attempt);
    // The model may begin before the events are stored, which readers see them after. Awaited below.
    announced.catch(() => undefined);
    // The statement of these events goes out first: the database is at work while the request is built.
    await yieldToEventLoop();
    const { maxAttempts } = services.config;
    if (isExhausted(claim, maxAttempts)) {
      await announced;
      throw attemptsExhausted(claim.id, maxAttempts);
    }
    const { todos, compaction } = claim;
    releaseMemory = await reserveFiles(attempt, turnsWithFiles(attempt, compaction));
    run = await buildContext(attempt, {
      todos,
      compaction,
      deadline,
      sources: toolSources.list(),
      delegate: (parent, work) => delegator.delegate(parent, work),
    });
    end = await runToEnd(run, delegator, announced);
    if (end === undefined) return await flushLog(attempt);
  } catch (error) {
    end = await endThrown(attempt, delegator, error);
  } finally {
    deadline.stop();
    lease.end('finished');
    releaseMemory();
    if (run !== undefined) await closeTools(run);
    // The log of a turn that goes on belongs to its next attempt.
    if (end !== undefined) await close(attempt, notifier, end);
  }
}

function startDeadline({ services, clock, startedAt, tree, lease }: Attempt): Deadline {
  const elapsedMs = clock.now() - startedAt.getTime();
  const { timeoutSeconds } = tree.getConfig();
  const timeoutMs = Math.min(services.config.turnTimeoutMs, timeoutSeconds * 1_000);
  return new Deadline(clock, timeoutMs - elapsedMs, () => lease.end('deadline'));
}

/** Runs the loop until the turn has ended or is parked; a message steered in late goes on with it. */
async function runToEnd(
  run: AttemptContext,
  delegator: Delegator,
  announced: Promise<void>,
): Promise<AttemptEnd> {
  for (;;) {
    const ending = await runTurn(run);
    await announced;
    if (ending === 'parked') {
      run.logger.info({}, 'turn parked; it goes on when an answer comes');
      run.span?.set({ [attributes.outcome]: 'parked' });
      return undefined;
    }
    if (run.children.length > 0) await delegator.cancelAll(run);
    const stored = await endTurn(run, ending);
    if (stored.type === 'stored') {
      if (ending.outcome === 'completed') rememberConversation(run, ending.reason);
      return stored;
    }
    run.lease.steered = stored.steered;
  }
}

/**
 * Ends a turn whose loop threw, unless the turn is left to its next attempt.
 *
 * @throws what the end throws, but where the turn was taken over or the database is down.
 */
async function endThrown(
  attempt: Attempt,
  delegator: Delegator,
  thrown: unknown,
): Promise<AttemptEnd> {
  const { lease, logger, writer, span } = attempt;
  const fate = classifyFailure(thrown, lease.reason);
  if (fate.type === 'leave') {
    logger.info(
      { lease: lease.reason },
      'an attempt stopped; the turn goes on in its next attempt',
    );
    span?.set({ [attributes.outcome]: 'left', [attributes.reason]: lease.reason ?? 'storage' });
    if (lease.reason === 'lost') span?.fail('lease_lost');
    return undefined;
  }
  if (fate.fault !== undefined)
    logger.error({ error: fate.fault }, 'an attempt failed; the turn ends with an error');
  writer.reopen();
  if (attempt.children.length > 0) await delegator.cancelAll(attempt);
  try {
    const ended = await endTurn(attempt, fate.ending, fate.failure);
    return { hasNext: ended.type === 'stored' && ended.hasNext };
  } catch (error) {
    // The turn was taken over, or the database went down, after the lease had its reason.
    if (classifyFailure(error, undefined).type !== 'leave') throw error;
    logger.info({ error }, 'could not store the end of the turn; the next attempt stores it');
    return undefined;
  }
}

/** Closes the log of a turn that has ended; the next turn of the session is promoted first. */
async function close(
  attempt: Attempt,
  notifier: QueueNotifier,
  { hasNext }: { hasNext: boolean },
): Promise<void> {
  if (hasNext) await promoteNext(attempt, notifier);
  await flushLog(attempt);
}

/** The sweeper promotes where this fails. */
async function promoteNext(
  { services, turn: { sessionId } }: Attempt,
  notifier: QueueNotifier,
): Promise<void> {
  try {
    await notifier.promoteNext(sessionId);
  } catch (error) {
    services.logger.warn(
      { sessionId, error },
      'could not promote the next held turn of the session; the sweeper tries again',
    );
  }
}

function agentSpan(
  { id, sessionId, attempt, options }: Claim,
  origin: Pick<SpanStart, 'parent' | 'links'>,
): [name: string, start: SpanStart] {
  const { persona, model } = options.options;
  return [
    spanNames.agent(persona),
    {
      ...origin,
      kind: 'internal',
      attributes: {
        [attributes.operation]: 'invoke_agent',
        [attributes.provider]: 'anthropic',
        [attributes.agent]: persona,
        [attributes.requestModel]: model,
        [attributes.turn]: id,
        [attributes.attempt]: attempt,
      },
      conversation: sessionId,
    },
  ];
}

/** Closes a turn's tools in a limited time: a tool that does not close would keep the worker's slot. */
async function closeTools({ toolset, clock, logger }: AttemptContext): Promise<void> {
  try {
    if (await withTimeout(CLOSE_WAIT_MS, toolset.close(), clock)) return;
    throw new Error(`not closed after ${CLOSE_WAIT_MS} ms`);
  } catch (error) {
    logger.warn(
      { error },
      'could not close a tool; its resources may stay open until the process ends',
    );
  }
}
