import { noUsage } from '../events/turn-event.js';
import { unreachable } from '../platform/exhaustive.js';
import type { ModelEvent } from '../provider/model-types.js';
import { insertFenced } from '../storage/insert-from.js';
import { steps } from '../storage/schema.js';
import { buildMessages } from './build-messages.js';
import { nextAction, settleStopReason } from './next-action.js';
import { refusalNotice, stepEnded } from './turn-facts.js';
import type { StepDraft, TurnRun } from './turn-run.js';

/**
 * One call of the model: streams it to the readers and stores the reply, before any of its tools
 * runs. Its `step.ended` comes when its tools are done, or at once when it has none.
 */
export async function runStep(run: TurnRun, step: number): Promise<void> {
  const startedAt = new Date(run.clock.now());
  const draft: StepDraft = { step, startedAt, parts: [], openText: '', usage: noUsage };
  run.progress.draft = draft;
  run.writer.emit({ type: 'step.started', step });
  const request = {
    model: run.turn.options.options.model,
    system: run.system,
    messages: buildMessages([...run.earlierTurns, currentTurn(run)]),
    tools: run.toolSpecs,
    maxTokens: run.limits.maxTokens,
  };
  for await (const batch of run.provider.stream(request, run.lease.signal)) {
    for (const event of batch) {
      if (event.type === 'ended') return await storeStep(run, draft, event);
      apply(run, draft, event);
    }
  }
  throw new Error(`The model's stream of step ${step} ended without its last event`);
}

function currentTurn(run: TurnRun) {
  const { steps: finished, results } = run.progress;
  const { status, endReason } = run.turn;
  return { userParts: run.userParts, steps: finished, results, status, endReason };
}

function apply(
  run: TurnRun,
  draft: StepDraft,
  event: Exclude<ModelEvent, { type: 'ended' }>,
): void {
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

async function storeStep(
  run: TurnRun,
  draft: StepDraft,
  ended: Extract<ModelEvent, { type: 'ended' }>,
): Promise<void> {
  const { parts, startedAt } = draft;
  const asksForTools = parts.some((part) => part.type === 'tool_use');
  const stopReason = settleStopReason(ended.stopReason, asksForTools);
  const finished = { step: draft.step, parts, stopReason, usage: ended.usage };
  const events = [
    ...(stopReason === 'refusal' ? [refusalNotice(ended.details)] : []),
    ...(asksForTools ? [] : [stepEnded(finished)]),
  ];
  const { id: turnId, options } = run.turn;
  const endedAt = new Date(run.clock.now());
  const fact = insertFenced(steps, {
    ...finished,
    turnId,
    attempt: run.attempt,
    startedAt,
    endedAt,
  });
  const { maxTurns } = options.options;
  const openCalls = asksForTools ? 1 : 0;
  const next = nextAction({ steps: draft.step, maxTurns, stopReason, openCalls });
  // A turn's last step is stored with its end.
  if (next.type === 'end') run.writer.hold(events, [fact]);
  else await run.writer.commit(events, [fact]);
  run.progress.steps.push(finished);
  run.progress.draft = undefined;
}
