import { noUsage, type TurnEvent } from '../../../events/turn-event.js';
import { isId } from '../../../platform/ids.js';
import { isPlainObject } from '../../../platform/json.js';
import type { Usage } from '../../../storage/shapes/stored-step.js';
import type { OutputProgress } from '../../framing/output-progress.js';
import { openSegment, type Segment } from '../../framing/segment.js';
import { noText, type SentText } from '../../framing/sent-text.js';
import type { AgUiEvent, AgUiMessage, AgUiUsage } from './ag-ui-event.js';
import { followMessages } from './ag-ui-messages.js';
import { followOpen, type OpenThing } from './ag-ui-open.js';

export type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;

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

/** The value under `turnpike` in the client's state. */
export interface TurnpikeView {
  status: 'running' | 'recovering' | 'waiting' | 'completed' | 'limited' | 'interrupted' | 'failed';
  /** Tokens of the turn so far, without those of its subagents. */
  usage: Usage;
  /** Size of the conversation as the model last saw it, its reply included. */
  contextTokens: number;
  /** Todos as the turn last wrote them; null: it wrote none. */
  todos: unknown;
  notices: readonly { kind: string; text: string }[];
}

/** The source of an event: the turn itself, or one of its subagents. */
export interface Speaker {
  /** Undefined: the turn itself. */
  subagentRunId: string | undefined;
  messageId: string;
}

export interface OpenCall {
  id: string;
  name: string;
  /** Whether any of the call's arguments was sent. */
  hasArguments: boolean;
  input: unknown;
}

export interface AskedApproval {
  event: Of<'approval.requested'>;
  subagentRunId: string | undefined;
}

export interface AgUiState {
  segment: Segment;
  hasBegun: boolean;
  started: Of<'turn.started'> | undefined;
  view: TurnpikeView;
  open: readonly OpenThing[];
  /** Messages of the whole turn, also those before the segment. */
  messages: readonly AgUiMessage[];
  /** Calls that have no result yet. */
  calls: readonly OpenCall[];
  /** Questions that have no answer yet. */
  asked: readonly AskedApproval[];
  /** Calls whose output the client gave, and has. */
  answeredCalls: readonly string[];
  /** Tokens of the segment, by model. */
  usage: readonly AgUiUsage[];
  text: SentText;
  output: OutputProgress;
  /** Models by subagent; the turn's own under ''. */
  models: Readonly<Record<string, string | undefined>>;
  failures: Readonly<Record<string, Of<'turn.failed'> | undefined>>;
}

export interface Encoded {
  state: AgUiState;
  events: readonly AgUiEvent[];
}

export function agUiStart({ answered, from }: Pick<AgUiRun, 'answered' | 'from'>): AgUiState {
  return {
    segment: segmentOf({ answered, from }),
    hasBegun: false,
    started: undefined,
    view: { status: 'running', usage: noUsage, contextTokens: 0, todos: null, notices: [] },
    open: [],
    messages: [],
    calls: [],
    asked: [],
    answeredCalls: [],
    usage: [],
    text: noText,
    output: undefined,
    models: {},
    failures: {},
  };
}

function segmentOf({ answered, from }: Pick<AgUiRun, 'answered' | 'from'>): Segment {
  if (from === 'answers') return openSegment(answered, 'answer');
  // What was answered before does not end a run that begins with the turn.
  if (from === 'turn') return openSegment(answered, 'answer', []);
  const steered = answered.filter((id) => isId('msg', id));
  return openSegment(steered, 'question', answered);
}

/** Adds events, and follows what they open, close and add to the conversation. */
export function addEvents({ state, events }: Encoded, ...more: readonly AgUiEvent[]): Encoded {
  if (more.length === 0) return { state, events };
  const open = more.reduce(followOpen, state.open);
  const messages = more.reduce(followMessages, state.messages);
  return { state: { ...state, open, messages }, events: [...events, ...more] };
}

export function remember({ state, events }: Encoded, change: Partial<AgUiState>): Encoded {
  return { state: { ...state, ...change }, events };
}

/** Changes what the client's state has of the turn, once it has anything of it. */
export function show(encoded: Encoded, change: Partial<TurnpikeView>): Encoded {
  const view = { ...encoded.state.view, ...change };
  const shown = remember(encoded, { view });
  if (encoded.state.started === undefined) return shown;
  const delta = Object.entries(change).map(([name, value]) => ({
    op: 'replace' as const,
    path: `/turnpike/${name}`,
    value,
  }));
  return addEvents(shown, { type: 'STATE_DELTA', delta });
}

/** The client's state as the run begins, with the turn in it. */
export function showAll(run: AgUiRun, encoded: Encoded): Encoded {
  const { started, view } = encoded.state;
  if (started === undefined) return encoded;
  const { sessionId, agent, model, contextWindow } = started;
  const turnpike = {
    sessionId,
    turnId: run.turnId,
    agent,
    model,
    ...(contextWindow === undefined ? {} : { maxContextTokens: contextWindow }),
    ...view,
  };
  if (run.state.type === 'unknown') {
    const delta = [{ op: 'add' as const, path: '/turnpike', value: turnpike }];
    return addEvents(encoded, { type: 'STATE_DELTA', delta });
  }
  return addEvents(encoded, stateSnapshot(run.state.value, turnpike));
}

export function by({ subagentRunId }: Pick<Speaker, 'subagentRunId'>): { subagentRunId?: string } {
  return subagentRunId === undefined ? {} : { subagentRunId };
}

/** A client's state with a turn in it, beside what is the client's own. Pure. */
export function stateSnapshot(own: unknown, turnpike: object | undefined): AgUiEvent {
  const fields = isPlainObject(own) ? own : {};
  return {
    type: 'STATE_SNAPSHOT',
    snapshot: turnpike === undefined ? fields : { ...fields, turnpike },
  };
}
