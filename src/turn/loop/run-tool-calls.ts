import { assertNever } from '../../platform/assert-never.js';
import { type CallEnd, claimToolCall, endToolCall, releaseToolCall } from '../../tools/ledger.js';
import { capOutput, runTool, type ToolOutcome } from '../../tools/calls/run-tool.js';
import type { CallableTool } from '../../tools/registry.js';
import { runCalls } from '../../tools/calls/run-calls.js';
import { type CallQuestion, CallWaits, type SampleRequest } from '../../tools/tool.js';
import type { StoreWrite } from '../../storage/write-kind.js';
import { requesterOf } from '../prompt/conversation-files.js';
import { fitOutput } from '../budgets/reserve-headroom.js';
import {
  requestApprovals,
  type ApprovalQuestion,
  takeGrants,
} from '../approvals/request-approvals.js';
import { isAsked, openAnswers, refuseQuestion } from '../approvals/call-questions.js';
import { canAsk } from '../state/turn-row.js';
import { closeQuestions, holdQuestion, type ClosedQuestions } from '../approvals/hold-question.js';
import { type CallVerdict, judgeAnswered, outcomeUnknown } from '../approvals/judge-call.js';
import { clientNotice, type TurnEventBody } from '../../events/turn-event.js';
import {
  ledgerCall,
  type Attempt,
  isClaimed,
  knownEnd,
  openCalls,
  stepEnded,
  toolEnded,
  type Progress,
  type ToolUse,
} from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';
import { addResults } from '../state/turn-state.js';
import { printJson } from '../../platform/exact-json.js';
import { attributes, spanNames } from '../../telemetry/span-names.js';
import { describeMissing, findTool, judgeOpenCall } from './judge-open-call.js';
import { sampleModel } from './sample-model.js';

/**
 * Runs the calls of the last step that have no result yet. Each goes through the ledger: claimed in
 * the database before it starts, ended after, so that a call whose process died is known as lost.
 * Ends the step; or requests the approvals that are needed, and parks the turn.
 */
export async function runToolCalls(run: AttemptContext): Promise<'done' | 'parked'> {
  const calls = openCalls(run.progress).map((call) => {
    const tool = findTool(run, call);
    // An unknown tool is answered at once: its call may run beside any other.
    return { call, tool, effect: tool?.effect ?? ('read' as const), inOrder: tool?.inOrder };
  });
  const { maxParallelTools: limit } = run.tree.getConfig();
  const cut = await refuseTooMany(run);
  const within = calls.filter(({ call }) => !cut.has(call.id));
  let needsPeople = false;
  /** Questions that calls ask themselves. */
  const asked: ApprovalQuestion[] = [];
  // Calls after one that waits for people wait as well.
  const settle = async ({ call, tool }: (typeof calls)[number]): Promise<void> => {
    if (needsPeople) return;
    const settled = await settleCall(run, call, tool);
    if (settled === 'ended') return;
    needsPeople = true;
    if (settled !== 'waits') asked.push(settled);
  };
  await runCalls(within, settle, limit);
  if (needsPeople) {
    const { questions, isWaiting } = await findQuestions(run, asked);
    // Calls that ran meanwhile may have changed the rules' verdict.
    if (questions.length === 0 && !isWaiting) return runToolCalls(run);
    await requestApprovals(run, run.rules.approvals, questions);
    return 'parked';
  }
  await endLastStep(run);
  return 'done';
}

/** The approvals to request before the open calls of the last step can run. */
async function findQuestions(
  run: AttemptContext,
  asked: readonly ApprovalQuestion[],
): Promise<{ questions: ApprovalQuestion[]; isWaiting: boolean }> {
  const questions: ApprovalQuestion[] = [];
  let isWaiting = false;
  // Side by side: a hook that does not answer takes its time once, however many calls there are.
  const judged = await Promise.all(
    openCalls(run.progress).map(async (call) => {
      const own = asked.find((one) => one.call.id === call.id);
      if (own !== undefined) return { call, own };
      const tool = findTool(run, call);
      return { call, verdict: tool && (await judgeOpenCall(run, call, tool)) };
    }),
  );
  for (const { call, own, verdict } of judged) {
    if (own !== undefined) questions.push(own);
    if (verdict?.type === 'ask') questions.push({ ...verdict, call, input: call.input });
    if (verdict?.type === 'wait') isWaiting = true;
  }
  return { questions, isWaiting };
}

/** Answers the calls of the last step beyond its cap. @returns their ids. */
async function refuseTooMany(run: Attempt): Promise<ReadonlySet<string>> {
  const { maxToolCallsPerTurn: cap } = run.tree.getConfig();
  const asked = (run.progress.steps.at(-1)?.parts ?? []).filter((part) => part.type === 'tool_use');
  const beyond = new Set(asked.slice(cap).map((call) => call.id));
  const open = openCalls(run.progress).filter((call) => beyond.has(call.id));
  if (open.length === 0) return beyond;
  const reason = `not run: one step may ask for ${cap} tool calls, and this one asked for ${asked.length}. Ask again for what is still needed.`;
  const now = new Date(run.clock.now());
  const result = unrun('refused', reason);
  await run.writer.commit(
    [
      ...open.map((call) => toolEnded(run.turn.id, call, result)),
      tooManyCalls({ asked: asked.length, cap, cut: open.map((call) => call.name) }),
    ],
    open.map((call) => endToolCall(ledgerCall(run, call), result, now)),
  );
  for (const call of open) keepResult(run.progress, call, result);
  return beyond;
}

/** The notice of a step's calls that were cut, for clients; the model has each call's result. */
function tooManyCalls(cut: { asked: number; cap: number; cut: string[] }): TurnEventBody {
  return clientNotice(
    'step',
    'tool-limit',
    `${cut.asked} tool calls were asked for in one step; the limit is ${cut.cap}. Not run: ${cut.cut.join(', ')}.`,
    { current_value: cut.asked, limit_value: cut.cap },
  );
}

/** Answers every open call of the last step without running it. Ends the step. */
export async function refuseToolCalls(run: Attempt, reason: string): Promise<void> {
  for (const call of openCalls(run.progress)) await end(run, call, unrun('refused', reason));
  await endLastStep(run);
}

/** Brings a call to its result. @returns whether it ended, or waits for people, or what it asks them itself. */
async function settleCall(
  run: AttemptContext,
  call: ToolUse,
  tool: CallableTool | undefined,
): Promise<'ended' | 'waits' | ApprovalQuestion> {
  // Before any rule, person or tool is asked: no call of a replay runs.
  const recorded = run.recording?.answer(run.progress.steps, call);
  const known = recorded ?? knownEnd(run.progress, call);
  if (known !== undefined) {
    // Those of a recorded call belong to the session that was recorded.
    await run.services.outputs.hold(run.turn.sessionId, known.files ?? []);
    await end(run, call, shown(run, known));
    return 'ended';
  }
  const given =
    tool === undefined
      ? judgeAnswered(run.approvals.filter(({ callId }) => callId === call.id))
      : undefined;
  if (given?.type === 'answer') {
    await end(run, call, answered(run, call, given));
    return 'ended';
  }
  if (tool === undefined) {
    await endWithoutTool(run, call);
    return 'ended';
  }
  const verdict = await judgeOpenCall(run, call, tool);
  switch (verdict.type) {
    case 'run':
      return runOne(run, { ...call, input: verdict.input }, tool);
    case 'answer':
      await end(run, call, answered(run, call, verdict));
      return 'ended';
    case 'ask':
    case 'wait':
      return 'waits';
    default:
      return assertNever(verdict);
  }
}

async function runOne(
  run: AttemptContext,
  call: ToolUse,
  tool: CallableTool,
): Promise<'ended' | ApprovalQuestion> {
  const answers = await openAnswers(run, call);
  if (!isClaimed(run.progress, call)) await claim(run, call, await takeGrants(run, call, tool));
  // A second run begins once its approval is stored as used, or the next crash forgets that.
  else await run.writer.commit([], []);
  const samples: Promise<unknown>[] = [];
  const options = {
    callId: call.id,
    idempotencyKey: `${run.turn.id}:${call.id}`,
    signal: run.lease.signal,
    timeoutMs: run.toolset.timeoutMs,
    outputLimit: run.toolset.outputLimit,
    clock: run.clock,
    progress: (note: string, elapsedMs: number) =>
      run.writer.emit({ type: 'tool.progress', callId: call.id, note, elapsedMs }),
    answers,
    ...(canAsk(run.turn.request, run.rules.permissions.layers) && {
      ask: (asked: CallQuestion, signal: AbortSignal) => holdQuestion(run, call, asked, signal),
    }),
    sample: (asked: SampleRequest, signal: AbortSignal) => {
      const sample = sampleModel(run, call, asked, signal);
      samples.push(sample);
      return sample;
    },
  };
  let outcome: ToolOutcome;
  try {
    outcome = await traceTool(run, call, () => runTool(tool, call.input, options));
  } catch (error) {
    if (error instanceof CallWaits) return askForCall(run, call, error);
    throw error;
  } finally {
    // The end of the call has stopped those that are open: what they used is stored before the turn goes on, or ends.
    await Promise.allSettled(samples);
  }
  const { status, durationMs } = outcome;
  const kept = await keepFiles(run, outcome);
  const isEdited = run.approvals.some(
    ({ callId, editedInput }) => callId === call.id && editedInput !== null,
  );
  const note = isEdited
    ? `[A person changed the input of this call to ${printJson(call.input)}]\n`
    : '';
  // Tools are not given secrets, but they may read or receive some.
  const output = fitOutput(run, note + run.services.redact(kept.output));
  await end(run, call, { ...kept, status, output, durationMs });
  return 'ended';
}

/** The question of a call; or, where nobody can be asked, its end. */
async function askForCall(
  run: AttemptContext,
  call: ToolUse,
  waits: CallWaits,
): Promise<'ended' | ApprovalQuestion> {
  const { asked, executed } = waits;
  const refusal = refuseQuestion(run, call, waits);
  if (refusal !== undefined) {
    await end(run, call, unrun('error', fitOutput(run, run.services.redact(refusal))));
    return 'ended';
  }
  if (!executed) {
    // Nothing has happened: a crash before the question is stored must not leave the call as lost.
    await run.writer.commit([], [releaseToolCall({ callId: call.id })]);
    run.progress.results.delete(call.id);
  }
  return { call, input: call.input, kind: asked.kind, reason: asked.reason, asked: waits };
}

/** An output as it is stored, cut: its files are kept as long as the session. */
async function keepFiles(
  run: AttemptContext,
  { output: text, blocks }: ToolOutcome,
): Promise<Pick<CallEnd, 'output' | 'files'>> {
  if (blocks === undefined) return { output: text };
  const { services, toolset } = run;
  const { sessionId } = run.turn;
  const requester = requesterOf(run);
  const { output, files } = await services.outputs.keep(blocks, { sessionId, requester });
  return { output: capOutput(output, toolset.outputLimit), files };
}

/** A client's output is cut and redacted as the output of a tool here is. */
function answered(
  run: AttemptContext,
  call: ToolUse,
  { status, output, files = [], durationMs = 0 }: Extract<CallVerdict, { type: 'answer' }>,
): CallEnd {
  if (!run.toolset.clientTools.has(call.name)) return { status, output, durationMs };
  return shown(run, { status, output, files, durationMs });
}

/** A result that did not come through `runTool`, cut and redacted as all are. */
function shown(run: AttemptContext, { status, output, files = [], durationMs }: CallEnd): CallEnd {
  const kept = fitOutput(run, run.services.redact(capOutput(output, run.toolset.outputLimit)));
  return { status, output: kept, files, durationMs };
}

function unrun(status: CallEnd['status'], output: string): CallEnd {
  return { status, output, durationMs: 0 };
}

/** Ends a call that no tool can run, and what it asked people. A tool that went or changed may have run it before. */
async function endWithoutTool(run: AttemptContext, call: ToolUse): Promise<void> {
  const why = describeMissing(run, call);
  if (call.digest !== undefined) {
    run.logger.warn(
      { callId: call.id, tool: call.name },
      'a tool was changed or removed while a call of it was open; the call does not run, and the model is told',
    );
  }
  const result = isClaimed(run.progress, call)
    ? unrun('unknown', `${outcomeUnknown} ${why}`)
    : unrun('error', why);
  const closing = closeQuestions(run, call);
  await end(run, call, result, closing);
}

async function claim(run: Attempt, call: ToolUse, writes: readonly StoreWrite[]): Promise<void> {
  const { id: callId, name, input } = call;
  // The first run of a call that asked has started it.
  const isStarted = run.approvals.some((one) => one.callId === callId && isAsked(one));
  await run.writer.commit(isStarted ? [] : [{ type: 'tool.started', callId, name, input }], [
    claimToolCall(ledgerCall(run, call), new Date(run.clock.now())),
    ...writes,
  ]);
  run.progress.results.set(callId, { status: 'claimed', output: null });
}

async function end(
  run: Attempt,
  call: ToolUse,
  result: CallEnd,
  closing: ClosedQuestions = { events: [], writes: [] },
): Promise<void> {
  await run.writer.commit(
    [...closing.events, toolEnded(run.turn.id, call, result)],
    [...closing.writes, endToolCall(ledgerCall(run, call), result, new Date(run.clock.now()))],
  );
  keepResult(run.progress, call, result);
}

function keepResult(
  { results }: Progress,
  call: ToolUse,
  { status, output, files = [] }: CallEnd,
): void {
  results.set(call.id, { status, output, ...(files.length === 0 ? {} : { files }) });
}

async function endLastStep({ tree, progress, writer }: Attempt): Promise<void> {
  const last = progress.steps.at(-1);
  if (last === undefined) return;
  await writer.commit([stepEnded(last)], []);
  progress.state = addResults(tree, progress.state, { step: last, results: progress.results });
}

/** Runs a tool's call in a span of its own, which what the tool does is below. */
async function traceTool(
  { services: { tracing } }: Attempt,
  { id, name, input }: ToolUse,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const span = tracing.start(spanNames.tool(name), {
    kind: 'internal',
    attributes: {
      [attributes.operation]: 'execute_tool',
      [attributes.toolName]: name,
      [attributes.toolCallId]: id,
      [attributes.toolType]: 'function',
    },
  });
  try {
    if (span.showsContent) span.show(attributes.toolArguments, input);
    const outcome = await span.run(work);
    if (span.showsContent) span.show(attributes.toolResult, outcome.output);
    if (outcome.status === 'error') span.fail('tool_error');
    return outcome;
  } finally {
    span.end();
  }
}
