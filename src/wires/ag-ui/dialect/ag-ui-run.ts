import { assertNever, compact, type JsonObject, retryAdvice } from '../../../platform/face.js';
import type { EventOf } from '../../../events/face.js';
import type { Owner, Question, TurnChange, TurnView } from '../../framing/face.js';
import {
  AG_UI_VERSION,
  stateSnapshot,
  type AgUiEvent,
  type AgUiInterrupt,
  type AgUiMessage,
  type AgUiOutcome,
  type AgUiUsage,
  type TurnpikeView,
} from './ag-ui-frames.js';
import { followMessages, wholeConversation } from './ag-ui-messages.js';

/** A run of the protocol: the segment of a turn that a request is answered with. */
export interface AgUiRun {
  threadId: string;
  runId: string;
  turnId: string;
  /**
   * Ids of the approvals the request answered, or of its message that was steered into the turn;
   * none: the run begins with the turn.
   */
  answered: readonly string[];
  /**
   * The start of the run. `answers`: with the first of the given answers. `turn`: at the turn's start, whatever
   * was answered: for a client that comes back with nothing new. `questions`: with the message that was steered into
   * the turn, or with the questions that the turn waits for before it has the message; `answered` has their ids too.
   */
  from: 'turn' | 'answers' | 'questions';
  /** The client's own state; `unknown`: the stream is resumed, and the client has it. */
  state: { type: 'known'; value: unknown } | { type: 'unknown' };
  /** The conversation up to the run. */
  before: readonly AgUiMessage[];
  /** Whether the client lacks a part of the conversation. */
  sendsHistory: boolean;
  /** Whether the client speaks the protocol before 1.0, and names no version. */
  isOld: boolean;
}

/** The view of the turn, and what a client has of it in its state and its conversation. */
export interface AgUiState {
  view: TurnView;
  shown: TurnpikeView;
  /** Messages of the whole turn, also those before the segment. */
  messages: readonly AgUiMessage[];
  /** Tokens of the segment, by model. */
  usage: readonly AgUiUsage[];
}

export interface EncodedState {
  state: AgUiState;
  events: readonly AgUiEvent[];
}

/** Adds events, and follows what they add to the conversation. */
export function addEvents(
  { state, events }: EncodedState,
  ...more: readonly AgUiEvent[]
): EncodedState {
  if (more.length === 0) return { state, events };
  const messages = more.reduce(followMessages, state.messages);
  return { state: { ...state, messages }, events: [...events, ...more] };
}

export function remember(
  { state, events }: EncodedState,
  change: Partial<AgUiState>,
): EncodedState {
  return { state: { ...state, ...change }, events };
}

/** Changes what the client's state has of the turn, once it has anything of it. */
export function show(encoded: EncodedState, change: Partial<TurnpikeView>): EncodedState {
  const shown = { ...encoded.state.shown, ...change };
  const changed = remember(encoded, { shown });
  if (encoded.state.view.turn.started === undefined) return changed;
  const delta = Object.entries(change).map(([name, value]) => ({
    op: 'replace' as const,
    path: `/turnpike/${name}`,
    value,
  }));
  return addEvents(changed, { type: 'STATE_DELTA', delta });
}

/** The client's state as the run begins, with the turn in it. */
export function showAll(run: AgUiRun, encoded: EncodedState): EncodedState {
  const { view, shown } = encoded.state;
  const { started } = view.turn;
  if (started === undefined) return encoded;
  const { sessionId, agent, model, contextWindow } = started;
  const turnpike = {
    sessionId,
    turnId: run.turnId,
    agent,
    model,
    maxContextTokens: contextWindow,
    ...shown,
  };
  if (run.state.type === 'unknown') {
    const delta = [{ op: 'add' as const, path: '/turnpike', value: turnpike }];
    return addEvents(encoded, { type: 'STATE_DELTA', delta });
  }
  return addEvents(encoded, stateSnapshot(run.state.value, turnpike));
}

/** @param last the view before the run's first event: what was open then is opened again. */
export function beginRun(run: AgUiRun, last: TurnView, before: AgUiState): EncodedState {
  const { threadId, runId } = run;
  const state: AgUiState = { ...before, usage: [] };
  const started = addEvents(
    { state, events: [] },
    { type: 'RUN_STARTED', threadId, runId, protocolVersion: AG_UI_VERSION },
  );
  const encoded = run.sendsHistory ? addEvents(started, conversation(run, state)) : started;
  if (last.turn.started === undefined) return encoded;
  const again = last.open.flatMap((thing): AgUiEvent[] => {
    const { owner, kind } = thing;
    if (kind === 'subagent') return [startOf(owner, thing.event)];
    return kind === 'step' ? [{ type: 'STEP_STARTED', ...stepOf(owner, thing.step) }] : [];
  });
  return addEvents(showAll(run, encoded), ...again);
}

export function conversation({ before }: AgUiRun, { messages }: AgUiState): AgUiEvent {
  return { type: 'MESSAGES_SNAPSHOT', messages: wholeConversation(before, messages) };
}

/** The end of a run whose turn waits for the client. */
export function pauseRun({ threadId, runId }: AgUiRun, encoded: EncodedState): EncodedState {
  const { toolCallIds, interrupts } = findWaits(encoded.state.view);
  return addEvents(show(encoded, { status: 'waiting' }), {
    type: 'RUN_FINISHED',
    threadId,
    runId,
    outcome:
      interrupts.length === 0
        ? { type: 'success', pendingToolCallIds: toolCallIds }
        : { type: 'interrupt', interrupts },
    usage: [...encoded.state.usage],
    // An interrupt outcome has no field for pending calls.
    ...(interrupts.length > 0 && toolCallIds.length > 0
      ? { metadata: { turnpike: { pendingToolCallIds: toolCallIds } } }
      : {}),
  });
}

/** Questions that a run waits for, in the order they were asked: to the client's tools, and to people. */
export function findWaits({ segment, questions }: TurnView): {
  toolCallIds: string[];
  interrupts: AgUiInterrupt[];
} {
  const waits = [...questions.values()].filter(({ event }) =>
    segment?.waitsFor.includes(event.approvalId),
  );
  const isCall = ({ event }: Question): boolean => event.kind === 'client-tool';
  return {
    toolCallIds: waits.filter(isCall).map(({ event }) => event.callId),
    interrupts: waits.filter((one) => !isCall(one)).map(toInterrupt),
  };
}

/** The end of a run whose turn has ended. */
export function endRun(
  run: AgUiRun,
  encoded: EncodedState,
  { event, unsent }: Extract<TurnChange, { type: 'ended' }>,
): EncodedState {
  const { outcome: status, usage, output } = event;
  const messageId = `${answerId(run, undefined)}-end`;
  const rest: AgUiEvent[] = [
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: unsent },
    { type: 'TEXT_MESSAGE_END', messageId },
  ];
  const whole = addEvents(encoded, ...(unsent === '' ? [] : rest));
  const final: AgUiEvent = { type: 'CUSTOM', name: 'output:final', value: { output } };
  const shown = show(addEvents(whole, ...(output === undefined ? [] : [final])), { status, usage });
  return addEvents(shown, lastEvent(run, shown, event));
}

function lastEvent(run: AgUiRun, { state }: EncodedState, event: EventOf<'turn.ended'>): AgUiEvent {
  const { outcome, reason, text } = event;
  const { threadId, runId } = run;
  const usage = [...state.usage];
  const finished = (how: AgUiOutcome, result?: unknown): AgUiEvent => ({
    type: 'RUN_FINISHED',
    threadId,
    runId,
    outcome: how,
    ...(result === undefined ? {} : { result }),
    usage,
    metadata: { turnpike: { outcome, reason } },
  });
  switch (outcome) {
    case 'completed':
    case 'limited':
      return finished(
        { type: 'success' },
        compact({ outcome, reason, text, output: event.output }),
      );
    case 'interrupted':
      return finished({ type: 'cancelled' });
    case 'failed': {
      const failure = state.view.turn.failure;
      const message = failure?.message ?? `The turn failed: ${reason}.`;
      const metadata = { turnpike: retryAdvice(failure ?? {}) };
      return { type: 'RUN_ERROR', message, code: failure?.errorType ?? reason, usage, metadata };
    }
    default:
      return assertNever(outcome);
  }
}

function toInterrupt({ event, owner }: Question): AgUiInterrupt {
  const { approvalId, callId, kind, name, input, reason, expiresAt, onTimeout } = event;
  const { awaits, question } = event;
  return {
    id: approvalId,
    reason: 'tool_call',
    message: reason,
    toolCallId: callId,
    expiresAt,
    responseSchema: answerSchema(event),
    ...by(owner),
    metadata: { turnpike: { kind, name, input, onTimeout, ...compact({ awaits, question }) } },
  };
}

/** The JSON Schema of an answer; that of a form has its content too. */
function answerSchema({ kind, question }: EventOf<'approval.requested'>): JsonObject {
  if (kind === 'tool') return editableAnswer;
  const form = question?.['schema'];
  if (form === undefined) return plainAnswer;
  return { ...plainAnswer, properties: { ...fields, content: form } };
}

const fields = { approved: { type: 'boolean' }, reason: { type: 'string' } };

const plainAnswer = { type: 'object', properties: fields, required: ['approved'] };

const editableAnswer = {
  type: 'object',
  properties: { ...fields, editedArgs: { type: 'object' } },
  required: ['approved'],
};

/** The id of an answer, whose messages are numbered by their steps. */
export function answerId({ turnId }: Pick<AgUiRun, 'turnId'>, owner: Owner): string {
  return (owner ?? turnId).replace(/^turn_/, 'msg_');
}

/** A subagent: its turn's id is that of its run. */
export function startOf(owner: Owner, event: EventOf<'subagent.started'>): AgUiEvent {
  const { callId: parentToolCallId, childTurnId: subagentRunId, agent: name } = event;
  const parent = owner === undefined ? {} : { parentSubagentRunId: owner };
  return { type: 'SUBAGENT_STARTED', subagentRunId, name, ...parent, parentToolCallId };
}

export function stepOf(owner: Owner, step: number): { stepName: string; subagentRunId?: string } {
  return { stepName: `step-${step}`, ...by(owner) };
}

export function by(owner: Owner): { subagentRunId?: string } {
  return owner === undefined ? {} : { subagentRunId: owner };
}
