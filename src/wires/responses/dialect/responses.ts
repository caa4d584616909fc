import { addUsage, type EventOf, noUsage, type TurnEvent } from '../../../events/face.js';
import {
  assertNever,
  canonicalJson,
  type JsonObject,
  parseJson,
  printJson,
} from '../../../platform/face.js';
import {
  type AnswerFold,
  type Dialect,
  followTurn,
  type Frame,
  openSegment,
  startView,
  type TurnChange,
} from '../../framing/face.js';
import {
  numberEvents,
  type FinalEventType,
  type ResponseItem,
  type ResponseObject,
  type ResponsesEvent,
} from './response-frames.js';
import { describeEnd, describeUsage, usageSince } from './response-end.js';
import {
  askAll,
  cite,
  closeCalls,
  closeText,
  endCall,
  growText,
  itemId,
  set,
  startCall,
  takeBack,
  wholeItem,
  type Draft,
  type ResponsesState,
  type ResponseDescription,
  type StepItem,
} from './response-items.js';

/**
 * The wire of the Responses API: a response is a segment of a turn. `response.created` is its first event,
 * `response.completed`, `.failed` or `.incomplete` its last but for `[DONE]`, and each item that began has
 * ended before, or was taken back by `response.in_progress`.
 *
 * @param after the number of the last event that the reader has. Default: none.
 */
export function responsesDialect(wanted: ResponseDescription, after = -1): Dialect<ResponsesState> {
  return {
    name: 'responses',
    initial: responsesStart(wanted.answered),
    encode: (before, event) => {
      const draft = encodeResponse(wanted, before, event);
      const { numbering, events } = numberEvents(draft.state.numbering, event, draft.events);
      const state = { ...draft.state, numbering };
      const frames: Frame[] = events.map((one) => ({ event: one.type, data: JSON.stringify(one) }));
      if (isOver(state)) frames.push({ data: '[DONE]' });
      return { state, frames, known: countKnown(events, after) };
    },
    isOver,
  };
}

/** Folds a turn to a response: to where it waits for the client, or to its end. */
export function responseFold(
  wanted: ResponseDescription,
): AnswerFold<ResponsesState, ResponseObject> {
  const view = (state: ResponsesState) => viewResponse(wanted, state);
  return {
    initial: responsesStart(wanted.answered),
    next: (state, event) => (isOver(state) ? state : encodeResponse(wanted, state, event).state),
    end: view,
    pause: (state) => (isOver(state) ? view(state) : undefined),
  };
}

/** A response as it is after some events of its turn. Pure. */
export function responseAfter(
  wanted: ResponseDescription,
  events: readonly TurnEvent[],
): ResponseObject {
  const { initial, next } = responseFold(wanted);
  const state = events.reduce(next, initial);
  const response = viewResponse(wanted, state);
  return state.hasBegun ? response : { ...response, status: 'queued' };
}

function responsesStart(answered: readonly string[]): ResponsesState {
  return {
    view: startView(openSegment(answered)),
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
    text: undefined,
    calls: new Map(),
    usageBefore: noUsage,
    usage: noUsage,
  };
}

function isOver({ view }: ResponsesState): boolean {
  return view.segment?.phase === 'over';
}

function countKnown(events: readonly ResponsesEvent[], after: number): number {
  const first = events.findIndex(({ sequence_number }) => sequence_number > after);
  return first < 0 ? events.length : first;
}

/** The response as it is after the events of a state, without what was taken back. Pure. */
function viewResponse(
  { facts }: Pick<ResponseDescription, 'facts'>,
  { progress, items, text }: ResponsesState,
  withTakenBack = false,
): ResponseObject {
  const output = items.flatMap(({ item, isTakenBack = false }, index) => {
    if (index === text?.index) return wholeItem(text, 'in_progress');
    return isTakenBack && !withTakenBack ? [] : item;
  });
  return { ...facts, ...progress, output };
}

function encodeResponse(
  wanted: ResponseDescription,
  before: ResponsesState,
  event: TurnEvent,
): Draft {
  const { view, changes, isIncluded, begins } = followTurn(before.view, event);
  const draft: Draft = { wanted, event, state: { ...before, view }, events: [] };
  if (isIncluded && !before.hasBegun) begin(draft);
  for (const change of changes) {
    // A subagent is a call like any other, but for what it asks.
    if (change.owner !== undefined) continue;
    if (isIncluded) encodeChange(draft, change);
    else passBy(draft, change);
  }
  if (begins && !isIncluded) {
    // A turn that was parked is gone on with by the next attempt; a subagent's, by the same.
    const firstAttempt = event.type === 'turn.parked' ? event.attempt + 1 : event.attempt;
    set(draft, { numbering: { firstAttempt, next: 0 } });
  }
  return draft;
}

/** Changes before the response are not sent, but what follows depends on them. */
function passBy(draft: Draft, change: TurnChange): void {
  const { usageBefore } = draft.state;
  if (change.type === 'step.opened') set(draft, { step: change.step });
  if (change.type === 'discarded') set(draft, { step: change.step - 1 });
  if (change.type === 'step.ended') {
    set(draft, { usageBefore: addUsage(usageBefore, change.event.usage) });
  }
}

function begin(draft: Draft): void {
  const { wanted, event, state } = draft;
  const status = event.type === 'turn.queued' ? 'queued' : 'in_progress';
  set(draft, { hasBegun: true, progress: { ...state.progress, status } });
  draft.events.push({ type: 'response.created', response: viewResponse(wanted, draft.state) });
  // The first response of a turn goes on with the start of the turn.
  if (wanted.answered.length > 0) pushProgress(draft);
}

function pushProgress(draft: Draft): void {
  const response = viewResponse(draft.wanted, draft.state, true);
  draft.events.push({ type: 'response.in_progress', response });
}

function encodeChange(draft: Draft, change: TurnChange): void {
  const { state, wanted } = draft;
  switch (change.type) {
    case 'started':
      set(draft, { progress: { ...state.progress, status: 'in_progress' } });
      return pushProgress(draft);
    case 'step.opened':
      set(draft, { step: change.step });
      return closeText(draft);
    case 'step.ended':
      set(draft, { usage: addUsage(state.usage, change.event.usage) });
      // A reply that was cut off is the end of its turn, or is gone on with in the next step.
      return change.event.stopReason === 'max_tokens' ? undefined : closeText(draft);
    case 'part.grown': {
      const isText = change.part.kind === 'text';
      const kind = isText ? 'message' : 'reasoning';
      return growText(draft, { kind, id: itemId(draft, isText ? 'msg' : 'rs') }, change.text);
    }
    case 'source.cited':
      return cite(draft, change.event.source);
    case 'call.requested':
      return closeText(draft);
    case 'call.started':
      if (wanted.clientTools.includes(change.event.name)) return;
      closeText(draft);
      return startCall(draft, change.event, change.call);
    case 'call.ended':
      if (wanted.clientTools.includes(change.event.name)) return;
      closeText(draft);
      return endCall(draft, change.event, change.call);
    case 'discarded':
      return discardStep(draft, change.step);
    case 'parked':
      return park(draft, change.waitsFor);
    case 'ended':
      return end(draft, change);
    // A text ends where its message does. What is open is an item's, which ends with the response.
    case 'part.opened':
    case 'part.closed':
    case 'call.grown':
    case 'input.opened':
    case 'input.closed':
    case 'call.abandoned':
    // The client is asked once the turn waits.
    case 'question.asked':
    case 'question.answered':
    // The protocol has no word for these.
    case 'announced':
    case 'step.closed':
    case 'output.grown':
    case 'subagent.started':
    case 'subagent.told':
    case 'subagent.closed':
    case 'subagent.ended':
      return;
    default:
      return assertNever(change);
  }
}

/**
 * The protocol has no word that takes items back, but `response.in_progress` carries the response as it is: items of
 * the step are empty in it. Those of an attempt that was lost are not in it, and the next item has the index after those
 * that are: whatever a reader had of the step, also of events that the log has lost, it goes on as all others.
 */
function discardStep(draft: Draft, step: number): void {
  const { attempt } = draft.event;
  takeBack(draft, (one) => one.step >= step && one.attempt === attempt);
  const isKept = (one: StepItem): boolean => one.step < step || one.isTakenBack === true;
  const items = draft.state.items.filter(isKept);
  const calls = new Map([...draft.state.calls].filter(([, index]) => index < items.length));
  set(draft, { step: step - 1, items, calls, text: undefined });
  pushProgress(draft);
}

/** The response ends where its turn waits for the client. */
function park(draft: Draft, waitsFor: readonly string[]): void {
  closeText(draft);
  closeCalls(draft);
  askAll(draft, waitsFor);
  finish(draft, {
    status: 'completed',
    error: null,
    incomplete_details: null,
    completed_at: secondsOf(draft.event),
    usage: describeUsage(draft.state.usage),
  });
}

/** Ends what is open, and says what was not streamed: the note on a limit. */
function end(
  draft: Draft,
  { event, unsent }: { event: EventOf<'turn.ended'>; unsent: string },
): void {
  const ending = describeEnd(draft.state.view.turn.failure, event);
  if (unsent !== '') growText(draft, { kind: 'message', id: itemId(draft, 'msg') }, unsent);
  const isCut = ending.status !== 'completed' && unsent === '';
  closeText(draft, isCut ? 'incomplete' : 'completed');
  closeCalls(draft);
  if (event.output !== undefined) sayOutput(draft, event.output);
  const usage = describeUsage(usageSince(event.usage, draft.state.usageBefore));
  const completed_at = ending.status === 'completed' ? secondsOf(event) : null;
  finish(draft, { ...ending, completed_at, usage });
}

/**
 * Clients that want an object take all texts of the response for it. Where there are others, of replies that did
 * not match or of steps with calls, they are taken back, and the object is a message of its own.
 */
function sayOutput(draft: Draft, output: JsonObject): void {
  const isMessage = ({ item }: StepItem): boolean => item.type === 'message';
  const { items } = draft.state;
  const said = items
    .filter((one) => isMessage(one) && one.isTakenBack !== true)
    .flatMap(({ item }) => textsOf(item));
  if (isObject(said.join(''), output)) return;
  takeBack(draft, isMessage);
  pushProgress(draft);
  growText(draft, { kind: 'message', id: itemId(draft, 'out') }, printJson(output));
  closeText(draft);
}

function textsOf(item: ResponseItem): string[] {
  return item.type === 'message' ? item.content.map(({ text }) => text) : [];
}

function isObject(text: string, output: JsonObject): boolean {
  try {
    return canonicalJson(parseJson(text)) === canonicalJson(output);
  } catch {
    return false;
  }
}

/** The last event of a response, by its status: a cancelled one has no event of its own. */
function finish(draft: Draft, progress: ResponsesState['progress']): void {
  set(draft, { progress });
  const { status } = progress;
  const isWhole = status === 'completed' || status === 'failed';
  const type: FinalEventType = isWhole ? `response.${status}` : 'response.incomplete';
  draft.events.push({ type, response: viewResponse(draft.wanted, draft.state) });
}

/** The time of an event, in seconds since the epoch. */
function secondsOf({ at }: TurnEvent): number {
  return Math.floor(Date.parse(at) / 1_000);
}
