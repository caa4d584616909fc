import { stepEnded, type Attempt, type Progress, type StepDraft } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import type { ModelEvent } from '../../provider/model-types.js';
import { writeKind, type StoreWrite } from '../../storage/write-kind.js';
import type { AssistantPart, Usage } from '../../storage/shapes/stored-step.js';
import type { TurnTools } from '../../tools/registry.js';
import { compact } from '../../platform/compact.js';
import { sessions } from '../../storage/schema.js';
import { insertStep } from '../state/stored-turn.js';
import { countUsage, takeReservation } from '../budgets/estimate-call.js';
import { settlement } from '../../governance/budgets/usage-days.js';
import { addStep } from '../state/turn-state.js';
import type { TurnEventBody } from '../../events/turn-event.js';
import type { Queryable } from '../../storage/connection.js';
import { countMiss } from '../budgets/cache-misses.js';
import { isReplyOpen } from '../state/server-calls.js';
import { settleStopReason } from './next-action.js';
import { replyNotices } from './reply-notices.js';
import { deliverWaiting } from './steered-messages.js';

/** A model call that is done: the draft of its step, and the last event of its stream. */
export interface Reply {
  draft: StepDraft;
  ended: Extract<ModelEvent, { type: 'ended' }>;
}

/** A reply as a step that is to be stored. */
interface NewStep {
  draft: StepDraft;
  usage: Usage;
  /** Progress with the step. */
  progress: Progress;
  events: TurnEventBody[];
  writes: StoreWrite[];
}

type StepContext = Attempt & Pick<AttemptContext, 'conversation' | 'toolset'>;

/** The turn's next step, of a reply. `step.ended` comes with it, or after its tools where it asks for some. */
export function finishStep(run: StepContext, { draft, ended }: Reply): NewStep {
  const { step, startedAt, firstTokenAt = null, sent } = draft;
  const parts = draft.parts.map((part) => withDigest(part, run.toolset));
  const asksForTools = parts.some((part) => part.type === 'tool_use');
  const stopReason = settleStopReason(ended.stopReason, asksForTools);
  const endedAt = new Date(run.clock.now());
  const usage = countUsage(ended.usage, draft);
  const stored = { step, parts, stopReason, usage, sent, endedAt };
  const finished = { ...stored, clampedBy: draft.clampedBy };
  const { id: turnId, sessionId, attempt } = run.turn;
  const { model } = run.turn.options.options;
  const { prefix, isPrefixStored, broken: cacheBroken = null } = run.conversation;
  const events = [
    ...(isPlain(ended, stopReason) ? [] : replyNotices(ended, { step, stopReason })),
    ...(asksForTools ? [] : [stepEnded(finished)]),
  ];
  const writes = [
    insertStep({ ...stored, turnId, attempt, model, cacheBroken, startedAt, firstTokenAt }),
    ...(isPrefixStored ? [] : [storePrefix({ id: sessionId, prefix })]),
  ];
  const progress = {
    ...run.progress,
    state: addStep(run.progress.state, finished, run.turn.options.options.costLimit),
    steps: [...run.progress.steps, finished],
    draft: undefined,
  };
  return { draft, usage, progress, events, writes };
}

function isPlain({ unknownReason, notHonoured }: Reply['ended'], stopReason: string): boolean {
  return stopReason !== 'refusal' && unknownReason === undefined && notHonoured === undefined;
}

/** A call with the hash of its tool: the call may wait for days, and be run by another process. */
function withDigest(part: AssistantPart, toolset: Pick<TurnTools, 'get'>): AssistantPart {
  if (part.type !== 'tool_use') return part;
  return { ...part, ...compact({ digest: toolset.get(part.name)?.digest }) };
}

/**
 * Stores a step before any of its tools runs; the turn's last step is stored with the turn's end.
 *
 * @param isLast the turn ends with the step.
 */
export async function storeStep(run: StepContext, step: NewStep, isLast: boolean): Promise<void> {
  const { writer, progress, conversation } = run;
  const reserved = takeReservation(step.draft);
  const { usage, events } = step;
  const writes = [...step.writes, ...(reserved === undefined ? [] : [settlement(reserved, usage)])];
  if (isLast) writer.defer(events, writes);
  else await writer.commit(events, writes);
  const isFirst = run.earlier.length + progress.steps.length === 0;
  const isMissed = usage.cacheReadTokens === 0 && usage.cacheWriteTokens > 0;
  if (isMissed && !isFirst) await countMiss(run, step.draft, usage);
  Object.assign(progress, step.progress);
  conversation.isPrefixStored = true;
  conversation.broken = undefined;
}

/** Stores the prefix of a session's next requests. Part of a fenced statement. */
const storePrefix = writeKind(
  { id: sessions.id, prefix: sessions.prefix },
  (input) => `update sessions set prefix = input.prefix from ${input} input
    where sessions.id = input.id`,
);

/**
 * Delivers the messages steered since the last model call: stored with the step they come after,
 * announced as events, and part of every later call.
 */
export async function deliverSteeredMessages(
  { progress, lease, turn, writer }: Attempt,
  db: Queryable,
  step: number,
): Promise<void> {
  if (lease.steered <= progress.steered.length) return;
  // A paused reply goes on where it stopped: nothing can stand between its parts.
  if (isReplyOpen(progress.steps)) return;
  const delivered = await deliverWaiting({ turn, writer }, db, step);
  progress.steered = [...progress.steered, ...delivered];
}
