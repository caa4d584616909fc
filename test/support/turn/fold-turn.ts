import type { ErrorCode } from '../../../src/errors/error-table.js';
import { assertNever } from '../../../src/platform/assert-never.js';
import { compact } from '../../../src/platform/compact.js';
import type { JsonObject } from '../../../src/platform/json.js';
import type { StepStopReason, ToolStatus, Usage } from '../../../src/storage/shapes/stored-step.js';
import { type Source, type TurnEvent, type TurnOutcome } from '../../../src/events/turn-event.js';

interface FoldedCall {
  callId: string;
  name: string;
  /** The JSON of the input as far as it was streamed; `input` is set when it is whole. */
  argsJson: string;
  input?: unknown;
  status: 'requested' | 'running' | ToolStatus;
  output: string;
  durationMs: number;
}

interface FoldedStep {
  step: number;
  text: string;
  thinking: string;
  sources: Source[];
  tools: FoldedCall[];
  stopReason?: StepStopReason;
  usage?: Usage;
}

/** A turn as its events show it to a reader: a second fold, beside that of the wires, which tests compare with. */
interface FoldedTurn {
  /** `queued`: no worker has begun; `parked`: nobody works on it until an answer comes. */
  phase: 'queued' | 'running' | 'recovering' | 'parked' | 'ended';
  position?: number;
  attempt: number;
  agent?: string;
  model?: string;
  steps: FoldedStep[];
  notices: { kind: string; text: string }[];
  rejectedAttachments: { name: string; reason: string; index?: number }[];
  pendingApprovals: string[];
  /** Messages of the user that were steered into the turn. */
  steered: { messageId: string; afterStep: number; text: string }[];
  subagents: {
    callId: string;
    childTurnId: string;
    agent: string;
    outcome?: TurnOutcome;
    view: FoldedTurn;
  }[];
  failure?: { errorType: ErrorCode; message: string };
  end?: {
    outcome: TurnOutcome;
    exitCode: number;
    reason: string;
    text: string;
    usage: Usage;
    output?: JsonObject;
  };
}

const initialTurn: FoldedTurn = {
  phase: 'queued',
  attempt: 0,
  steps: [],
  notices: [],
  rejectedAttachments: [],
  pendingApprovals: [],
  steered: [],
  subagents: [],
};

/**
 * Applies one event to a view. Pure: the given view is not changed.
 *
 * @throws Error when an event names a step or a call that never began: the log is broken.
 */
function foldTurn(view: FoldedTurn, event: TurnEvent): FoldedTurn {
  const next = { ...view, attempt: event.attempt };
  switch (event.type) {
    case 'turn.queued':
      return { ...next, position: event.position };
    case 'turn.started':
      return { ...next, phase: 'running', agent: event.agent, model: event.model };
    case 'turn.recovering':
      return { ...next, phase: 'recovering' };
    case 'step.started':
      return { ...next, phase: 'running', steps: [...view.steps, emptyStep(event.step)] };
    case 'step.discarded':
      return { ...next, steps: view.steps.filter((step) => step.step !== event.step) };
    case 'thinking.delta':
      return onStep(next, event.step, (s) => ({ ...s, thinking: s.thinking + event.text }));
    case 'text.delta':
      return onStep(next, event.step, (s) => ({ ...s, text: s.text + event.text }));
    case 'source.cited':
      return onStep(next, event.step, (s) => ({ ...s, sources: [...s.sources, event.source] }));
    case 'tool.requested':
      return onStep(next, event.step, (s) => ({ ...s, tools: [...s.tools, requested(event)] }));
    case 'tool.args.delta':
      return onTool(next, event.callId, (t) => ({ ...t, argsJson: t.argsJson + event.json }));
    case 'tool.started':
      return onTool(next, event.callId, (t) => ({ ...t, input: event.input, status: 'running' }));
    case 'tool.progress':
      return onTool(next, event.callId, (t) => ({ ...t, durationMs: event.elapsedMs }));
    case 'tool.ended': {
      const { status, output, durationMs } = event;
      return onTool(next, event.callId, (t) => ({ ...t, status, output, durationMs }));
    }
    case 'approval.requested': {
      const pendingApprovals = [...view.pendingApprovals, event.approvalId];
      // The only event with the whole input of a call that a client runs.
      return onTool({ ...next, pendingApprovals }, event.callId, (t) => ({
        ...t,
        input: event.input,
      }));
    }
    case 'approval.resolved':
      return {
        ...next,
        // An answer resumes the turn; another `turn.parked` follows if it is not the last one.
        phase: view.phase === 'parked' ? 'running' : view.phase,
        pendingApprovals: view.pendingApprovals.filter((id) => id !== event.approvalId),
      };
    case 'turn.parked':
      return { ...next, phase: 'parked' };
    case 'subagent.started':
      return {
        ...next,
        subagents: [...view.subagents, startedSubagent(event)],
      };
    case 'subagent.told':
      return onSubagent(next, event.childTurnId, (child) => ({
        ...child,
        view: foldTurn(child.view, event.event),
      }));
    case 'subagent.ended':
      return onSubagent(next, event.childTurnId, (child) => ({ ...child, outcome: event.outcome }));
    case 'message.joined': {
      const { messageId, afterStep, text } = event;
      return { ...next, steered: [...view.steered, { messageId, afterStep, text }] };
    }
    case 'attachment.rejected': {
      const { name, reason, index } = event;
      const rejected = compact({ name, reason, index });
      return { ...next, rejectedAttachments: [...view.rejectedAttachments, rejected] };
    }
    case 'notice.posted':
      return { ...next, notices: [...view.notices, { kind: event.kind, text: event.text }] };
    case 'step.ended':
      return onStep(next, event.step, (s) => ({
        ...s,
        stopReason: event.stopReason,
        usage: event.usage,
      }));
    case 'turn.failed':
      return { ...next, failure: { errorType: event.errorType, message: event.message } };
    case 'turn.ended': {
      const { outcome, exitCode, reason, text, usage, output } = event;
      const end = compact({ outcome, exitCode, reason, text, usage, output });
      return { ...next, phase: 'ended', end };
    }
    default:
      return assertNever(event);
  }
}

function emptyStep(step: number): FoldedStep {
  return { step, text: '', thinking: '', sources: [], tools: [] };
}

function requested(event: { callId: string; name: string }): FoldedCall {
  const { callId, name } = event;
  return { callId, name, argsJson: '', status: 'requested', output: '', durationMs: 0 };
}

function startedSubagent({
  callId,
  childTurnId,
  agent,
}: Extract<TurnEvent, { type: 'subagent.started' }>): FoldedTurn['subagents'][number] {
  return { callId, childTurnId, agent, view: initialTurn };
}

function onSubagent(
  view: FoldedTurn,
  childTurnId: string,
  change: (child: FoldedTurn['subagents'][number]) => FoldedTurn['subagents'][number],
): FoldedTurn {
  const subagents = view.subagents.map((child) =>
    child.childTurnId === childTurnId ? change(child) : child,
  );
  return { ...view, subagents };
}

function onStep(
  view: FoldedTurn,
  step: number,
  change: (step: FoldedStep) => FoldedStep,
): FoldedTurn {
  if (!view.steps.some((s) => s.step === step)) {
    throw new Error(`An event of step ${step} came before its step.started`);
  }
  return { ...view, steps: view.steps.map((s) => (s.step === step ? change(s) : s)) };
}

function onTool(
  view: FoldedTurn,
  callId: string,
  change: (tool: FoldedCall) => FoldedCall,
): FoldedTurn {
  if (!view.steps.some((s) => s.tools.some((t) => t.callId === callId))) {
    throw new Error(`An event of tool call ${callId} came before its tool.requested`);
  }
  return {
    ...view,
    steps: view.steps.map((s) => ({
      ...s,
      tools: s.tools.map((t) => (t.callId === callId ? change(t) : t)),
    })),
  };
}

/** Folds a whole log, for readers that join late. */
export function foldTurnEvents(events: Iterable<TurnEvent>): FoldedTurn {
  let view = initialTurn;
  for (const event of events) view = foldTurn(view, event);
  return view;
}
