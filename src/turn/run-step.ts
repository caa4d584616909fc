import { noUsage } from '../events/turn-event.js';
import { unreachable } from '../platform/exhaustive.js';
import { moveTime } from '../governance/agent-state.js';
import type { ModelEvent, ModelRequest } from '../provider/model-types.js';
import { insertFenced } from '../storage/insert-from.js';
import { steps } from '../storage/schema.js';
import { makeRoom } from './budgets/make-room.js';
import { settleLeft } from './budgets/settle-left.js';
import { settleFact } from './budgets/usage-days.js';
import { hearJoined } from './busy/hear-joined.js';
import { applyRemedy } from './apply-remedy.js';
import { buildRequest } from './build-request.js';
import { chooseRemedy, type LostCall } from './choose-remedy.js';
import { loopState } from './loop-state.js';
import { nextAction, settleStopReason } from './next-action.js';
import { recoverRequest } from './recover-request.js';
import { postNotices } from './post-notices.js';
import { storePrefix } from './store-prefix.js';
import { refusalNotice, stepEnded } from './turn-facts.js';
import type { Budget, StepDraft, TurnRun } from './turn-run.js';
import { addStep } from './turn-state.js';

type Ended = Extract<ModelEvent, { type: 'ended' }>;

/**
 * One call of the model: streams it to the readers and stores the reply, before any of its tools
 * runs. Its `step.ended` comes when its tools are done, or at once when it has none. A call that
 * comes to nothing may be made again: see `chooseRemedy`.
 *
 * @returns the budget that has no room for another reply; nothing was called then.
 */
export async function runStep(run: TurnRun, step: number): Promise<'done' | Budget> {
  let state = run.tree.onTurnStart(moveTime(run.progress.state, run.clock.now()));
  await hearJoined(run, step);
  await postNotices(run, state, step);
  if (run.progress.steps.at(-1)?.stopReason === 'context_window') await run.shorten();
  for (let retries = 0; ;) {
    const startedAt = new Date(run.clock.now());
    const { request, sent } = buildRequest(run);
    const room = await makeRoom(run, { step, state, request, now: startedAt.getTime() });
    if ('budget' in room) return room.budget;
    run.progress.state = state;
    const draft: StepDraft = { step, startedAt, parts: [], openText: '', usage: noUsage, sent };
    if (run.progress.draft === undefined) run.writer.emit({ type: 'step.started', step });
    run.progress.draft = draft;
    const lost = await callModel(run, draft, { ...request, ...room });
    if (lost === undefined) return 'done';
    if (!(await recoverRequest(run, lost.outcome))) {
      const remedy = chooseRemedy(describeLost(run, draft, { outcome: lost.outcome, retries }));
      if (remedy === undefined) {
        if (lost.ended === undefined) throw lost.outcome;
        await storeStep(run, draft, lost.ended);
        return 'done';
      }
      await applyRemedy(run, { step, usage: draft.usage, remedy });
      retries = remedy.type === 'fallback' ? 0 : retries + 1;
    }
    state = run.progress.state;
  }
}

/** A reply that is not stored yet, and maybe never: what was thrown, or the end of a refusal. */
type Lost = { outcome: unknown; ended?: Ended };

async function callModel(
  run: TurnRun,
  draft: StepDraft,
  request: ModelRequest,
): Promise<Lost | undefined> {
  try {
    for await (const batch of run.provider.stream(request, run.lease.signal)) {
      for (const event of batch) {
        if (event.type === 'ended') {
          draft.usage = event.usage;
          if (event.stopReason === 'refusal') return { outcome: 'refusal', ended: event };
          await storeStep(run, draft, event);
          return undefined;
        }
        apply(run, draft, event);
      }
    }
  } catch (error) {
    if (run.lease.reason === 'shutdown') await settleLeft(run);
    if (run.lease.signal.aborted) throw error;
    return { outcome: error };
  }
  throw new Error(`The model's stream of step ${draft.step} ended without its last event`);
}

function describeLost(
  { turn, limits, deadline }: TurnRun,
  { parts, openText }: StepDraft,
  call: Pick<LostCall, 'outcome' | 'retries'>,
): LostCall {
  const { model, fallbackModel, fallbackFrom } = turn.options.options;
  return {
    ...call,
    hasText: openText !== '' || parts.some((part) => part.type === 'text' && part.text !== ''),
    mostRetries: limits.overloadRetries,
    fallbackModel:
      fallbackFrom === undefined && fallbackModel !== model ? fallbackModel : undefined,
    leftMs: deadline.leftMs,
    random: Math.random(),
  };
}

function apply(run: TurnRun, draft: StepDraft, event: Exclude<ModelEvent, Ended>): void {
  const { step } = draft;
  switch (event.type) {
    case 'started':
      draft.usage = event.usage;
      return;
    case 'text.delta':
      draft.openText += event.text;
      return run.writer.emit({ type: 'text.delta', step, text: event.text });
    case 'thinking.delta':
      return run.writer.emit({ type: 'thinking.delta', step, text: event.text });
    case 'source.cited':
      return run.writer.emit({ type: 'source.cited', step, source: event.source });
    case 'tool.requested': {
      const { callId, name } = event;
      return run.writer.emit({ type: 'tool.requested', step, callId, name });
    }
    case 'tool.args.delta':
      return run.writer.emit({ type: 'tool.args.delta', callId: event.callId, json: event.json });
    case 'part.ended':
      draft.parts.push(event.part);
      draft.openText = '';
      return;
    default:
      return unreachable(event);
  }
}

async function storeStep(run: TurnRun, draft: StepDraft, ended: Ended): Promise<void> {
  const { parts, startedAt, sent } = draft;
  const asksForTools = parts.some((part) => part.type === 'tool_use');
  const stopReason = settleStopReason(ended.stopReason, asksForTools);
  const endedAt = new Date(run.clock.now());
  const finished = { step: draft.step, parts, stopReason, usage: ended.usage, sent, endedAt };
  const events = [
    ...(stopReason === 'refusal' ? [refusalNotice(ended)] : []),
    ...(asksForTools ? [] : [stepEnded(finished)]),
  ];
  const { id: turnId } = run.turn;
  const { reserved } = run.progress;
  // Settled with the step, or, where nobody knows whether that was stored, not at all.
  run.progress.reserved = undefined;
  const facts = [
    insertFenced(steps, { ...finished, turnId, attempt: run.attempt, startedAt }),
    ...(reserved === undefined ? [] : [settleFact(reserved, ended.usage)]),
    ...(run.isPrefixStored ? [] : [storePrefix(run.turn.sessionId, run.prefix)]),
  ];
  const progress = {
    ...run.progress,
    state: addStep(run.progress.state, finished, run.turn.options.options.costLimit),
    steps: [...run.progress.steps, finished],
    draft: undefined,
  };
  // A turn's last step is stored with its end.
  const next = nextAction(loopState({ ...run, progress }));
  if (next.type === 'end') run.writer.hold(events, facts);
  else await run.writer.commit(events, facts);
  Object.assign(run.progress, progress);
  run.isPrefixStored = true;
}
