import { noUsage } from '../../events/turn-event.js';
import { type AgentState, moveTime } from '../../governance/decision-tree/agent-state.js';
import type { LastCallLimit } from '../../governance/limits/limit-reached.js';
import { isSessionBudget } from '../../governance/limits/limit-warnings.js';
import { assertNever } from '../../platform/assert-never.js';
import type { ModelCall, ModelEvent, ModelRequest } from '../../provider/model-types.js';
import type { SentPrefix } from '../../storage/shapes/sent-request.js';
import { capOutput } from '../../tools/calls/run-tool.js';
import { discardedUsage, releaseReservation, estimateAdded } from '../budgets/estimate-call.js';
import {
  countAdded,
  reserveHeadroom,
  type CallHeadroom,
  type NoHeadroom,
} from '../budgets/reserve-headroom.js';
import { buildRequest } from '../prompt/model-request.js';
import { showFiles } from '../prompt/conversation-files.js';
import { shorten } from '../prompt/history.js';
import type { Budget, StepDraft, Attempt } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import { deliverSteeredMessages, type Reply } from './store-step.js';
import {
  applyRemedy,
  beginElsewhere,
  chooseRemedy,
  countFailure,
  describeLost,
  hasBegun,
  retryNotice,
} from './remedies.js';
import { postLastCall } from './last-call.js';
import { RequestRecovery } from './recover-request.js';
import { postFormat, postTriggered } from './post-notices.js';
import { serverToolEnded, serverToolStarted } from '../state/server-calls.js';

type Ended = Extract<ModelEvent, { type: 'ended' }>;

/**
 * Calls the model once, streaming to the readers. A call that fails may be made again: see
 * `chooseRemedy`.
 *
 * @param last the limit whose last call it is; undefined: not the last, as far as is known.
 * @returns the reply, for `storeStep`; or the budget that has no headroom for a reply, and nothing
 * was called.
 */
export async function runStep(
  run: AttemptContext,
  step: number,
  last?: LastCallLimit,
): Promise<Reply | Budget> {
  // Shortening comes first: the summary's cost is part of the state that this step begins with.
  if (run.progress.steps.at(-1)?.stopReason === 'context_window') await shorten(run);
  let state = run.tree.onTurnStart(moveTime(run.progress.state, run.clock.now()));
  await deliverSteeredMessages(run, run.services.db, step);
  await postTriggered(run, state, step);
  const { fallbackModel, fallbackModels } = run.turn.options.options;
  const hasOthers = (fallbackModel ?? fallbackModels) !== undefined;
  if (hasOthers) await beginElsewhere(run, step);
  let recovery: RequestRecovery | undefined;
  for (let retries = 0; ;) {
    await postFormat(run);
    const begun = await beginCall(run, { step, state, last });
    if ('budget' in begun) {
      // Tokens that could not be sent count all the same: the end shows by how many it is too much.
      if (begun.budget === 'token_budget')
        run.progress.state = countAdded(run.progress.state, begun);
      return begun.budget;
    }
    const { draft } = begun;
    const called = await readReply(run, begun);
    if (called.type === 'replied') {
      if (hasOthers) run.services.outages.answered(run.turn.options.options.model);
      return { draft, ended: called.ended };
    }
    const { outcome, ended } = called;
    // A provider that has begun a reply took the request, whatever error ends the stream.
    recovery ??= new RequestRecovery(run);
    if (hasBegun(draft) || !(await recovery.recover(outcome))) {
      const remedy = chooseRemedy(describeLost(run, draft, { outcome, retries }));
      if (remedy === undefined) {
        if (ended === undefined) throw outcome;
        return { draft, ended };
      }
      await applyRemedy(run, { step, usage: discardedUsage(draft), remedy });
      retries = remedy.type === 'fallback' ? 0 : retries + 1;
    }
    state = run.progress.state;
  }
}

interface Plan {
  step: number;
  /** The state of the iteration that begins. */
  state: AgentState;
  last: LastCallLimit | undefined;
}

interface PlannedCall extends CallHeadroom {
  request: ModelRequest;
  sent: SentPrefix | null;
}

/** A call that was made. What was sent is not kept: it is as long as the conversation. */
interface BegunCall {
  draft: StepDraft;
  call: ModelCall;
}

async function beginCall(run: AttemptContext, plan: Plan): Promise<BegunCall | NoHeadroom> {
  const { step, state } = plan;
  const startedAt = new Date(run.clock.now());
  const planned = await planCall(run, plan);
  run.progress.shortage = planned.shortage;
  if ('budget' in planned) return planned;
  const { request, sent, maxTokens, added, clampedBy, reserved } = planned;
  run.progress.state = state;
  const draft = newDraft(run, { step, startedAt, added, sent, clampedBy, reserved });
  if (run.progress.draft === undefined) run.writer.emit({ type: 'step.started', step });
  run.progress.draft = draft;
  return {
    draft,
    call: run.services.provider.stream({ ...request, maxTokens }, run.lease.signal),
  };
}

/** Plans the request and its headroom: as the turn's last where its budget allows no other. */
async function planCall(
  run: AttemptContext,
  { step, state, last }: Plan,
): Promise<PlannedCall | NoHeadroom> {
  await showFiles(run);
  if (last !== undefined)
    await postLastCall(run, last, countAdded(state, { added: estimateAdded(run) }));
  const { request: built, sent } = buildRequest(run);
  const request = last === undefined ? built : { ...built, toolChoice: 'none' as const };
  const now = run.clock.now();
  const headroom = await reserveHeadroom(run, {
    state,
    request,
    now,
    isLast: last !== undefined,
  });
  if (!('budget' in headroom)) return { ...headroom, request, sent };
  const mayBeLast = last === undefined && step > 1 && isTurnBudget(headroom, state);
  return mayBeLast ? planCall(run, { step, state, last: 'token_budget' }) : headroom;
}

/** The session's budget keeps nothing for a last call. */
function isTurnBudget({ budget }: NoHeadroom, state: AgentState): boolean {
  return budget === 'token_budget' && !isSessionBudget(state);
}

function newDraft(
  { model, turn }: AttemptContext,
  begun: Pick<StepDraft, 'step' | 'startedAt' | 'added' | 'sent' | 'clampedBy' | 'reserved'>,
): StepDraft {
  return {
    ...begun,
    parts: [],
    openText: [],
    openThinking: [],
    openInput: [],
    usage: noUsage,
    model: model.frame.model,
    price: turn.options.options.costLimit?.price ?? model.price,
  };
}

/** `lost`: the call threw, or the model refused to go on, and the reply may be discarded. */
type Called = { type: 'replied'; ended: Ended } | { type: 'lost'; outcome: unknown; ended?: Ended };

async function readReply(run: AttemptContext, { draft, call }: BegunCall): Promise<Called> {
  let isAwaited = true;
  let ended: Ended | undefined;
  try {
    await call.read((events) => {
      for (const event of events) {
        if (event.type === 'ended') {
          ended = event;
          return;
        }
        if (isAwaited && event.type !== 'started' && event.type !== 'retrying') {
          isAwaited = false;
          measureFirstToken(run, draft);
        }
        apply(run, draft, event);
      }
    });
  } catch (error) {
    if (run.lease.reason === 'shutdown') await releaseReservation(run, run.services.db);
    if (run.lease.signal.aborted) throw error;
    countFailure(run, error);
    return { type: 'lost', outcome: error };
  }
  if (ended === undefined) {
    throw new Error(`The model's stream of step ${draft.step} ended without its last event`);
  }
  draft.usage = ended.usage;
  return ended.stopReason === 'refusal'
    ? { type: 'lost', outcome: 'refusal', ended }
    : { type: 'replied', ended };
}

function apply(run: AttemptContext, draft: StepDraft, event: Exclude<ModelEvent, Ended>): void {
  const { step } = draft;
  switch (event.type) {
    case 'retrying':
      return run.writer.emit(retryNotice(event));
    case 'started':
      draft.usage = event.usage;
      return;
    case 'text.delta':
      draft.openText.push(event.text);
      return run.writer.emit({ type: 'text.delta', step, text: event.text });
    case 'thinking.delta':
      draft.openThinking.push(event.text);
      return run.writer.emit({ type: 'thinking.delta', step, text: event.text });
    case 'source.cited':
      return run.writer.emit({ type: 'source.cited', step, source: event.source });
    case 'tool.requested': {
      return run.writer.emit({ ...event, step });
    }
    case 'tool.args.delta':
      draft.openInput.push(event.json);
      return run.writer.emit({ type: 'tool.args.delta', callId: event.callId, json: event.json });
    case 'server-tool.started':
      return serverToolStarted(run, event.call);
    case 'server-tool.ended': {
      const output = run.services.redact(capOutput(event.result.output, run.toolset.outputLimit));
      return serverToolEnded(run, event.result, output);
    }
    case 'part.ended':
      draft.parts.push(event.part);
      draft.openText = [];
      draft.openThinking = [];
      draft.openInput = [];
      return;
    default:
      return assertNever(event);
  }
}

/** Measures a call's time to its first token; and the turn's, unless it had a reply before. */
function measureFirstToken({ clock, services, progress, turn }: Attempt, draft: StepDraft): void {
  const now = clock.now();
  draft.firstTokenAt = new Date(now);
  services.metrics.modelFirstToken.observe((now - draft.startedAt.getTime()) / 1_000);
  if (progress.steps.length > 0 || turn.attempt > 1) return;
  services.metrics.turnFirstToken.observe((now - turn.createdAt.getTime()) / 1_000);
}
