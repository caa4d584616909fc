import { decidePermission } from '../governance/decide-permission.js';
import { denyWhatWouldAsk } from '../governance/deny-what-would-ask.js';
import type { CallEnd } from '../tools/ledger.js';
import { claimCall, endCall } from '../tools/ledger.js';
import type { CallableTool } from '../tools/open-tools.js';
import { runCalls } from '../tools/run-calls.js';
import { runTool } from '../tools/run-tool.js';
import { stepEnded, tooManyCalls, toolEnded } from './turn-facts.js';
import { ledgerCall, openCalls, type ToolUse, type TurnRun } from './turn-run.js';
import { addResult } from './turn-state.js';

const outcomeUnknown =
  'The outcome of this call is not known: the process that ran it died. It may have taken effect, ' +
  'in part or in full, and was not run again. Check before you repeat it.';

/**
 * Runs what the last step asked for and has no result yet. Each call goes through the ledger:
 * claimed in the database before it starts, ended after, so that a call whose process died is
 * known as such. Ends the step.
 */
export async function runToolCalls(run: TurnRun): Promise<void> {
  const calls = openCalls(run).map((call) => {
    const tool = run.tools.get(call.name);
    // An unknown tool is answered at once: nothing can come of running beside it.
    return { call, tool, effect: tool?.effect ?? ('read' as const) };
  });
  const { maxParallelTools: limit } = run.tree.getConfig();
  const cut = await refuseTooMany(run);
  const within = calls.filter(({ call }) => !cut.has(call.id));
  await runCalls(within, ({ call, tool }) => runOne(run, call, tool), { limit });
  await endLastStep(run);
}

/** Answers the calls of the last step beyond its cap. @returns their ids. */
async function refuseTooMany(run: TurnRun): Promise<ReadonlySet<string>> {
  const { maxToolCallsPerTurn: cap } = run.tree.getConfig();
  const asked = (run.progress.steps.at(-1)?.parts ?? []).filter((part) => part.type === 'tool_use');
  const beyond = new Set(asked.slice(cap).map((call) => call.id));
  const open = openCalls(run).filter((call) => beyond.has(call.id));
  if (open.length === 0) return beyond;
  const reason = `not run: one step may ask for ${cap} tool calls, and this one asked for ${asked.length}. Ask again for what is still needed.`;
  const now = new Date(run.clock.now());
  const result = unrun('denied', reason);
  await run.writer.commit(
    [
      ...open.map((call) => toolEnded(call, result)),
      tooManyCalls({ asked: asked.length, cap, cut: open.map((call) => call.name) }),
    ],
    open.map((call) => endCall(ledgerCall(run, call), result, now)),
  );
  for (const call of open) keepResult(run, call, result);
  return beyond;
}

/** Answers every open call of the last step without running it. Ends the step. */
export async function refuseToolCalls(run: TurnRun, reason: string): Promise<void> {
  for (const call of openCalls(run)) await end(run, call, unrun('denied', reason));
  await endLastStep(run);
}

async function runOne(run: TurnRun, call: ToolUse, tool: CallableTool | undefined): Promise<void> {
  const lost = run.progress.results.get(call.id)?.status === 'claimed';
  // A tool that is gone since counts as one that must not run twice.
  if (lost && (tool?.retry ?? 'never') === 'never')
    return end(run, call, unrun('unknown', outcomeUnknown));
  if (tool === undefined) return end(run, call, unrun('error', unknownTool(run, call.name)));
  const { named, ...rest } = run.permissions;
  const question = { ...rest, tool, namedByTurn: named.includes(tool.name) };
  const decision = denyWhatWouldAsk(decidePermission(question), question);
  if (decision.verdict !== 'allow') return end(run, call, unrun('denied', decision.reason));

  if (!lost) await claim(run, call);
  const outcome = await runTool(tool, call.input, {
    callId: call.id,
    signal: run.lease.signal,
    timeoutMs: run.limits.toolTimeoutMs,
    outputLimit: run.limits.toolOutputLimit,
    clock: run.clock,
    progress: (note, elapsedMs) =>
      run.writer.emit({ type: 'tool.progress', callId: call.id, note, elapsedMs }),
  });
  await end(run, call, outcome);
}

function unrun(status: CallEnd['status'], output: string): CallEnd {
  return { status, output, durationMs: 0 };
}

function unknownTool(run: TurnRun, name: string): string {
  const names = run.toolSpecs.map((tool) => tool.name).join(', ');
  return `There is no tool ${name}. Tools of this turn: ${names === '' ? 'none' : names}.`;
}

async function claim(run: TurnRun, call: ToolUse): Promise<void> {
  const { id: callId, name, input } = call;
  await run.writer.commit(
    [{ type: 'tool.started', callId, name, input }],
    [claimCall(ledgerCall(run, call), new Date(run.clock.now()))],
  );
  run.progress.results.set(callId, { status: 'claimed', output: null });
}

async function end(run: TurnRun, call: ToolUse, result: CallEnd): Promise<void> {
  await run.writer.commit(
    [toolEnded(call, result)],
    [endCall(ledgerCall(run, call), result, new Date(run.clock.now()))],
  );
  keepResult(run, call, result);
}

function keepResult({ tree, progress }: TurnRun, call: ToolUse, { status, output }: CallEnd): void {
  progress.results.set(call.id, { status, output });
  progress.state = addResult(tree, progress.state, { ...call, status, output });
}

async function endLastStep(run: TurnRun): Promise<void> {
  const last = run.progress.steps.at(-1);
  if (last === undefined) return;
  await run.writer.commit([stepEnded(last)], []);
}
