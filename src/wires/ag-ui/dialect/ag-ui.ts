import {
  addUsage,
  contextTokens,
  type EventOf,
  noUsage,
  type TurnEvent,
} from '../../../events/face.js';
import { assertNever, isId, retryAdvice } from '../../../platform/face.js';
import {
  type Announcement,
  applyByType,
  authorOf,
  type ByType,
  type Dialect,
  followTurn,
  type OpenCall,
  openSegment,
  type Owner,
  type Part,
  type Segment,
  startView,
  type TurnChange,
} from '../../framing/face.js';
import { harnessDialect } from '../../harness/dialect/harness.js';
import { addCall, toOldEvent, type AgUiEvent } from './ag-ui-frames.js';
import { forgetStep } from './ag-ui-messages.js';
import {
  addEvents,
  answerId,
  beginRun,
  by,
  conversation,
  endRun,
  findWaits,
  pauseRun,
  remember,
  show,
  showAll,
  startOf,
  stepOf,
  type AgUiRun,
  type AgUiState,
  type EncodedState,
} from './ag-ui-run.js';

/** The tool whose input is the session's list. */
export const TODO_TOOL = 'todo_write';

/**
 * The AG-UI wire, version 1.0: a run is a segment of a turn. `RUN_STARTED` is its first event,
 * `RUN_FINISHED` or `RUN_ERROR` its last, and whatever began in it has ended before. What the
 * protocol has no word for is a `CUSTOM` event with the harness wire's name and fields.
 */
export function agUiDialect(run: AgUiRun): Dialect<AgUiState> {
  return {
    name: 'ag-ui',
    initial: {
      view: startView(segmentOf(run)),
      shown: { status: 'running', usage: noUsage, contextTokens: 0, todos: null, notices: [] },
      messages: [],
      usage: [],
    },
    encode: (before, event) => {
      const { state, events } = encodeRun(run, before, event);
      const said = run.isOld ? events.map(toOldEvent) : events;
      return { state, frames: said.map((one) => ({ data: JSON.stringify(one) })) };
    },
    isOver: ({ view }) => view.segment?.phase === 'over',
  };
}

function segmentOf({ answered, from }: AgUiRun): Segment {
  if (from === 'answers') return openSegment(answered, 'answer');
  // What was answered before does not end a run that begins with the turn.
  if (from === 'turn') return openSegment(answered, 'answer', []);
  const steered = answered.filter((id) => isId('msg', id));
  return openSegment(steered, 'question', answered);
}

function encodeRun(run: AgUiRun, before: AgUiState, event: TurnEvent): EncodedState {
  const { view, changes, isIncluded, begins } = followTurn(before.view, event);
  const state = { ...before, view };
  const begun = begins ? beginRun(run, before.view, state) : { state, events: [] };
  const encoded = changes.reduce((all, change) => encodeChange(run, all, change), begun);
  // Events before the segment are not sent, but those of the segment depend on them.
  return isIncluded ? encoded : { state: encoded.state, events: [] };
}

function encodeChange(run: AgUiRun, encoded: EncodedState, change: TurnChange): EncodedState {
  return applyByType(eventsByType, change, run, encoded);
}

/** Nothing is sent for it. */
const unsent = (_change: TurnChange, _run: AgUiRun, encoded: EncodedState): EncodedState => encoded;

/** The events of each change of the turn's view. */
const eventsByType: ByType<TurnChange, [AgUiRun, EncodedState], EncodedState> = {
  announced: ({ owner, event }, _run, encoded) => announce(encoded, owner, event),
  started: ({ owner }, run, encoded) => (owner === undefined ? showAll(run, encoded) : encoded),
  'step.opened': ({ owner, step }, _run, encoded) =>
    addEvents(rerun(encoded, owner), { type: 'STEP_STARTED', ...stepOf(owner, step) }),
  'step.closed': ({ owner, step }, _run, encoded) =>
    addEvents(encoded, { type: 'STEP_FINISHED', ...stepOf(owner, step) }),
  'step.ended': ({ owner, event }, _run, encoded) => countUsage(encoded, owner, event),
  'part.opened': ({ owner, part }, run, encoded) =>
    addEvents(encoded, ...openPart(run, owner, part)),
  'part.grown': ({ owner, part, text: delta }, run, encoded) => {
    const type = part.kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    return addEvents(encoded, { type, messageId: partId(run, owner, part), delta, ...by(owner) });
  },
  'part.closed': ({ owner, part }, run, encoded) =>
    addEvents(encoded, ...closePart(run, owner, part)),
  'source.cited': ({ owner, event }, _run, encoded) => addEvents(encoded, custom(owner, event)),
  'call.requested': beginCall,
  'input.opened': beginCall,
  'call.grown': ({ call, json }, _run, encoded) => addEvents(encoded, growCall(call, json)),
  'input.closed': ({ owner, call, rest }, _run, encoded) => {
    const grown = rest === '' ? encoded : addEvents(encoded, growCall(call, rest));
    return addEvents(grown, { type: 'TOOL_CALL_END', toolCallId: call.callId, ...by(owner) });
  },
  'call.started': ({ owner }, _run, encoded) => rerun(encoded, owner),
  'call.ended': (change, run, encoded) => endCall(run, encoded, change),
  'question.answered': ({ owner, event }, _run, encoded) =>
    addEvents(rerun(encoded, owner), custom(owner, event)),
  discarded: ({ owner, step }, run, encoded) => discardStep(run, encoded, owner, step),
  'subagent.started': ({ owner, event }, _run, encoded) =>
    addEvents(encoded, startOf(owner, event)),
  'subagent.closed': ({ event: { childTurnId: subagentRunId } }, _run, encoded) => {
    const { interrupts } = findWaits(encoded.state.view);
    const interruptIds = interrupts.flatMap((one) =>
      one.subagentRunId === subagentRunId ? one.id : [],
    );
    const outcome = { type: 'suspended' as const, interruptIds };
    return addEvents(encoded, { type: 'SUBAGENT_FINISHED', subagentRunId, outcome });
  },
  'subagent.ended': (change, _run, encoded) => addEvents(encoded, endOf(change)),
  'output.grown': ({ partial: value }, _run, encoded) =>
    addEvents(encoded, { type: 'CUSTOM', name: 'output:partial', value }),
  parked: (_change, run, encoded) => pauseRun(run, encoded),
  ended: (change, run, encoded) => endRun(run, encoded, change),
  // A question is sent at the end of the run, as an interrupt that the run waits for.
  'question.asked': unsent,
  'call.abandoned': unsent,
  'subagent.told': unsent,
};

function beginCall(
  { call }: TurnChange & { call: OpenCall },
  run: AgUiRun,
  encoded: EncodedState,
): EncodedState {
  return addEvents(encoded, startCall(run, call));
}

function announce(encoded: EncodedState, owner: Owner, event: Announcement): EncodedState {
  if (owner !== undefined) return addEvents(encoded, custom(owner, event));
  switch (event.type) {
    case 'turn.recovering':
      return addEvents(show(encoded, { status: 'recovering' }), custom(owner, event));
    case 'notice.posted': {
      const { kind, text } = event;
      const notices = [...encoded.state.shown.notices, { kind, text }];
      return addEvents(show(encoded, { notices }), custom(owner, event));
    }
    case 'turn.queued':
    case 'message.joined':
    case 'attachment.rejected':
    case 'tool.progress':
      return addEvents(encoded, custom(owner, event));
    default:
      return assertNever(event);
  }
}

/** The status of a turn that has waited, or recovered, and goes on. A subagent's does not count. */
function rerun(encoded: EncodedState, owner: Owner): EncodedState {
  if (owner !== undefined || encoded.state.shown.status === 'running') return encoded;
  return show(encoded, { status: 'running' });
}

/** An event in the harness wire's words. */
function custom(owner: Owner, event: TurnEvent): AgUiEvent {
  const [frame] = harnessDialect.encode({}, event).frames;
  const { event: name = event.type, data = '{}' } = frame ?? {};
  return { type: 'CUSTOM', name, value: JSON.parse(data) as unknown, ...by(owner) };
}

function countUsage(
  encoded: EncodedState,
  owner: Owner,
  { usage }: EventOf<'step.ended'>,
): EncodedState {
  const { view, usage: all, shown } = encoded.state;
  const { model = 'unknown' } = authorOf(view, owner).started ?? view.turn.started ?? {};
  const counted = remember(encoded, { usage: addCall(all, model, usage) });
  if (owner !== undefined) return counted;
  return show(counted, {
    usage: addUsage(shown.usage, usage),
    contextTokens: contextTokens(usage),
  });
}

/** The message of a step: its text and its calls, or what was thought in it. */
function partId(run: AgUiRun, owner: Owner, { kind, step }: Pick<Part, 'kind' | 'step'>): string {
  return `${answerId(run, owner)}-${step}${kind === 'text' ? '' : '-thinking'}`;
}

function openPart(run: AgUiRun, owner: Owner, part: Part): AgUiEvent[] {
  const common = { messageId: partId(run, owner, part), ...by(owner) };
  if (part.kind === 'text') {
    return [{ type: 'TEXT_MESSAGE_START', role: 'assistant', ...common }];
  }
  return [
    { type: 'REASONING_START', ...common },
    { type: 'REASONING_MESSAGE_START', role: 'reasoning', ...common },
  ];
}

function closePart(run: AgUiRun, owner: Owner, part: Part): AgUiEvent[] {
  const common = { messageId: partId(run, owner, part), ...by(owner) };
  if (part.kind === 'text') return [{ type: 'TEXT_MESSAGE_END', ...common }];
  return [
    { type: 'REASONING_MESSAGE_END', ...common },
    { type: 'REASONING_END', ...common },
  ];
}

function startCall(run: AgUiRun, { callId, name, step, owner }: OpenCall): AgUiEvent {
  return {
    type: 'TOOL_CALL_START',
    toolCallId: callId,
    toolCallName: name,
    parentMessageId: partId(run, owner, { kind: 'text', step }),
    ...by(owner),
  };
}

function growCall({ callId: toolCallId, owner }: OpenCall, delta: string): AgUiEvent {
  return { type: 'TOOL_CALL_ARGS', toolCallId, delta, ...by(owner) };
}

/** A client's own output is not sent back to it; one that reads a turn anew lacks the outputs that it gave. */
function endCall(
  { from }: AgUiRun,
  encoded: EncodedState,
  { owner, call, event }: Extract<TurnChange, { type: 'call.ended' }>,
): EncodedState {
  if (call?.decision === 'answer' && from === 'answers') return encoded;
  const { callId, name, status, output, durationMs } = event;
  const result = addEvents(encoded, {
    type: 'TOOL_CALL_RESULT',
    messageId: `${callId}-result`,
    toolCallId: callId,
    content: output,
    metadata: { turnpike: { status, durationMs } },
    ...by(owner),
  });
  if (name !== TODO_TOOL || status !== 'success' || owner !== undefined) return result;
  const { todos = null } = (call?.input ?? {}) as { todos?: unknown };
  return show(result, { todos });
}

function endOf({ event, failure }: Extract<TurnChange, { type: 'subagent.ended' }>): AgUiEvent {
  const { childTurnId: subagentRunId, outcome } = event;
  if (outcome === 'completed' || outcome === 'limited') {
    const success = { type: 'success' as const };
    return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: success, result: { outcome } };
  }
  const message = failure?.message ?? `The subagent did not finish: ${outcome}.`;
  const code = failure?.errorType ?? outcome;
  const metadata = { turnpike: retryAdvice(failure ?? {}) };
  return { type: 'SUBAGENT_ERROR', subagentRunId, message, code, metadata };
}

/**
 * Takes back a step's messages by a snapshot of those that stay, the protocol's only way. After a
 * crash the snapshot is sent in any case: a returning client may have more of the step than a log
 * that lost its tail.
 */
function discardStep(
  run: AgUiRun,
  encoded: EncodedState,
  owner: Owner,
  step: number,
): EncodedState {
  const text = partId(run, owner, { kind: 'text', step });
  const thinking = partId(run, owner, { kind: 'thinking', step });
  const { messages, shown } = encoded.state;
  const wasSent = messages.some(({ id }) => id === text || id === thinking);
  const left = remember(encoded, { messages: forgetStep(messages, { text, thinking }) });
  const mayBeSent = wasSent || shown.status === 'recovering';
  return mayBeSent ? addEvents(left, conversation(run, left.state)) : left;
}
