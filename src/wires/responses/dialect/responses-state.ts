import { noUsage } from '../../../events/turn-event.js';
import type { Usage } from '../../../storage/shapes/stored-step.js';
import { openSegment, type Segment } from '../../framing/segment.js';
import { noText, type SentText } from '../../framing/sent-text.js';
import type { Numbering } from './number-events.js';
import type { Of, ResponseEventBody } from './response-event.js';
import type { Annotation, ResponseItem } from './response-item.js';
import type { ResponseFacts, ResponseProgress } from './response-object.js';

/** A response: a segment of a turn. */
export interface ResponseWanted {
  facts: ResponseFacts;
  /** Part of the items' ids, as no id may come twice in a conversation. */
  turnKey: string;
  /** Names of the tools that the client runs. */
  clientTools: readonly string[];
  /** Names of those whose input is text. */
  customTools: readonly string[];
  /** Whether the client is told of approvals as text, because it takes none as items. */
  hidesApprovals: boolean;
  /** Approvals whose answers the response begins with; none: the turn's first response. */
  answered: readonly string[];
}

/** A text that grows. */
export interface OpenSpeech {
  kind: 'message' | 'reasoning';
  index: number;
  id: string;
  text: string;
  annotations: readonly Annotation[];
}

export interface StepItem {
  step: number;
  item: ResponseItem;
}

/** A call of the server's that has begun and not ended. */
export interface OpenCall {
  name: string;
  /** JSON. */
  arguments: string;
  /** Index of its item; undefined: it began in an earlier response. */
  index: number | undefined;
}

/** State of earlier events that later ones need. */
export interface ResponsesState {
  segment: Segment;
  hasBegun: boolean;
  numbering: Numbering;
  progress: Omit<ResponseProgress, 'output'>;
  step: number;
  /** The response's items; that of `speech` as it began. */
  items: readonly StepItem[];
  speech: OpenSpeech | undefined;
  calls: ReadonlyMap<string, OpenCall>;
  /** Questions of the turn and its subagents that have no answer, by id. */
  questions: ReadonlyMap<string, Of<'approval.requested'>>;
  /** The question that was approved, by call. */
  approved: ReadonlyMap<string, string>;
  text: SentText;
  failure: Of<'turn.failed'> | undefined;
  /** Usage of the steps that ended before the response, and in it. */
  usageBefore: Usage;
  usage: Usage;
}

export interface Encoded {
  state: ResponsesState;
  events: ResponseEventBody[];
}

export function responsesStart(answered: readonly string[]): ResponsesState {
  return {
    segment: openSegment(answered),
    hasBegun: false,
    numbering: { firstAttempt: 1, next: 0 },
    progress: {
      status: 'in_progress',
      usage: null,
      error: null,
      incomplete_details: null,
      completed_at: null,
    },
    step: 0,
    items: [],
    speech: undefined,
    calls: new Map(),
    questions: new Map(),
    approved: new Map(),
    text: noText,
    failure: undefined,
    usageBefore: noUsage,
    usage: noUsage,
  };
}

/** Adds an item that is whole, or its beginning. */
export function addItem(state: ResponsesState, item: ResponseItem): Encoded & { index: number } {
  const index = state.items.length;
  return {
    index,
    state: { ...state, items: [...state.items, { step: state.step, item }] },
    events: [{ type: 'response.output_item.added', output_index: index, item }],
  };
}

export function endItem(state: ResponsesState, index: number, item: ResponseItem): Encoded {
  const items = state.items.with(index, { step: state.items[index]?.step ?? state.step, item });
  return {
    state: { ...state, items },
    events: [{ type: 'response.output_item.done', output_index: index, item }],
  };
}

/** An item that begins and ends at once. */
export function addWholeItem(state: ResponsesState, item: ResponseItem): Encoded {
  const added = addItem(state, item);
  const done = endItem(added.state, added.index, item);
  return { state: done.state, events: [...added.events, ...done.events] };
}

/** Goes on with the state after a part. */
export function goOn(
  { state, events }: Encoded,
  next: (state: ResponsesState) => Encoded,
): Encoded {
  const after = next(state);
  return { state: after.state, events: [...events, ...after.events] };
}
