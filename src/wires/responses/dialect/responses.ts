import type { TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import { canonicalJson, type JsonObject } from '../../../platform/json.js';
import type { Dialect, Frame } from '../../framing/dialect.js';
import { followSegment } from '../../framing/segment.js';
import { numberEvents } from './number-events.js';
import type { ResponseEventBody, ResponsesEvent } from './response-event.js';
import type { ResponseItem } from './response-item.js';
import type { ResponseObject } from './response-object.js';
import { endCall, giveUpCalls, startCall } from './responses-calls.js';
import { describeEnd, describeUsage, endItems, finalEventOf, usageSince } from './responses-end.js';
import { askAll, noteQuestion } from './responses-questions.js';
import { cite, closeSpeech, growSpeech, wholeItem } from './responses-speech.js';
import {
  responsesStart,
  goOn,
  type Encoded,
  type ResponsesState,
  type ResponseWanted,
  type StepItem,
} from './responses-state.js';
import { track } from './track-turn.js';
import { parseJson, printJson } from '../../../platform/exact-json.js';

/**
 * The wire of the Responses API: a response is a segment of a turn. `response.created` is its first event,
 * `response.completed`, `.failed` or `.incomplete` its last but for `[DONE]`, and each item that began has
 * ended before, or was taken back by `response.in_progress`.
 *
 * @param after the number of the last event that the reader has. Default: none.
 */
export function responsesDialect(wanted: ResponseWanted, after = -1): Dialect<ResponsesState> {
  return {
    name: 'responses',
    initial: responsesStart(wanted.answered),
    encode: (before, event) => {
      const encoded = encodeResponse(wanted, before, event);
      const { numbering, events } = numberEvents(
        encoded.state.numbering,
        event.attempt,
        encoded.events,
      );
      const state = { ...encoded.state, numbering };
      const frames: Frame[] = events.map((one) => ({ event: one.type, data: JSON.stringify(one) }));
      if (isOver(state)) frames.push({ data: '[DONE]' });
      return { state, frames, known: countKnown(events, after) };
    },
    isOver,
  };
}

function countKnown(events: readonly ResponsesEvent[], after: number): number {
  const first = events.findIndex(({ sequence_number }) => sequence_number > after);
  return first < 0 ? events.length : first;
}

const isOver = ({ segment }: ResponsesState): boolean => segment.phase === 'over';

/** The response as it is after the events of a state. Pure. */
export function viewResponse(
  { facts }: Pick<ResponseWanted, 'facts'>,
  { progress, items, speech }: ResponsesState,
): ResponseObject {
  const output = items.map(({ item }, index) =>
    index === speech?.index ? wholeItem(speech, 'in_progress') : item,
  );
  return { ...facts, ...progress, output };
}

function encodeResponse(wanted: ResponseWanted, before: ResponsesState, event: TurnEvent): Encoded {
  const { segment, isIncluded } = followSegment(before.segment, event);
  const state = noteQuestion({ ...before, segment }, event);
  if (!isIncluded) return { state: passBy(before, state, event), events: [] };
  const begun = state.hasBegun ? { state, events: [] } : begin(wanted, state, event);
  const encoded = goOn(begun, (one) => encodeEvent(wanted, one, event));
  const isParked = segment.phase === 'over' && event.type !== 'turn.ended';
  return isParked ? goOn(encoded, (one) => park(wanted, one, event)) : encoded;
}

/** Events before the response are not sent, but what follows depends on them. */
function passBy(before: ResponsesState, after: ResponsesState, event: TurnEvent): ResponsesState {
  const state = track(after, event);
  const begins = before.segment.phase === 'before' && after.segment.phase === 'within';
  if (!begins) return state;
  // A turn that was parked is gone on with by the next attempt; a subagent's, by the same.
  const firstAttempt = event.type === 'turn.parked' ? event.attempt + 1 : event.attempt;
  return { ...state, numbering: { firstAttempt, next: 0 } };
}

function begin(wanted: ResponseWanted, before: ResponsesState, event: TurnEvent): Encoded {
  const status = event.type === 'turn.queued' ? 'queued' : 'in_progress';
  const progress = { ...before.progress, status } as const;
  const state = { ...before, hasBegun: true, progress };
  const created = { type: 'response.created' as const, response: viewResponse(wanted, state) };
  // The first response of a turn goes on with the start of the turn.
  if (wanted.answered.length === 0) return { state, events: [created] };
  return { state, events: [created, inProgress(wanted, state)] };
}

function inProgress(wanted: ResponseWanted, state: ResponsesState): ResponseEventBody {
  return { type: 'response.in_progress', response: viewResponse(wanted, state) };
}

function encodeEvent(wanted: ResponseWanted, before: ResponsesState, event: TurnEvent): Encoded {
  const state = track(before, event);
  const idOf = (prefix: string) => `${prefix}_${wanted.turnKey}_${event.attempt}_${event.seq}`;
  switch (event.type) {
    case 'turn.started': {
      const progress = { ...state.progress, status: 'in_progress' as const };
      const started = { ...state, progress };
      return { state: started, events: [inProgress(wanted, started)] };
    }
    case 'step.started':
    case 'tool.requested':
      return closeSpeech(state);
    case 'thinking.delta':
      return growSpeech(state, { kind: 'reasoning', id: idOf('rs') }, event.text);
    case 'text.delta':
      return growSpeech(state, { kind: 'message', id: idOf('msg') }, event.text);
    case 'source.cited':
      return cite(state, idOf('msg'), event.source);
    case 'step.ended':
      // A reply that was cut off is the end of its turn, or is gone on with in the next step.
      return event.stopReason === 'max_tokens' ? { state, events: [] } : closeSpeech(state);
    case 'step.discarded':
      return discardStep(wanted, state, event.step);
    case 'tool.started':
      return wanted.clientTools.includes(event.name)
        ? { state, events: [] }
        : goOn(closeSpeech(state), (one) => startCall(one, idOf('mcp'), event));
    case 'tool.ended':
      return wanted.clientTools.includes(event.name)
        ? { state, events: [] }
        : goOn(closeSpeech(state), (one) => endCall(one, idOf('mcp'), event));
    case 'turn.ended': {
      const ended = goOn(endItems(state, idOf('msg'), event), (one) =>
        sayOutput(wanted, one, { id: idOf('out'), output: event.output }),
      );
      return goOn(ended, (one) => end(wanted, one, event));
    }
    case 'turn.queued':
    case 'turn.recovering':
    case 'turn.failed':
    case 'turn.parked':
    case 'tool.args.delta':
    case 'tool.progress':
    case 'approval.requested':
    case 'approval.resolved':
    case 'message.joined':
    case 'attachment.rejected':
    case 'notice.posted':
    case 'subagent.started':
    case 'subagent.told':
    case 'subagent.ended':
      return { state, events: [] };
    default:
      return assertNever(event);
  }
}

/**
 * The protocol has no word that takes items back, but `response.in_progress` carries the response as it is:
 * items of the step are not in it, and the next item has the index after those that are. Whatever a reader had
 * of the step, also of events that the log has lost, it goes on as all others.
 */
function discardStep(wanted: ResponseWanted, before: ResponsesState, step: number): Encoded {
  const items = before.items.filter((item) => item.step < step);
  const calls = new Map(
    [...before.calls].filter(([, { index }]) => index === undefined || index < items.length),
  );
  const state = { ...before, items, calls, speech: undefined };
  return { state, events: [inProgress(wanted, state)] };
}

/**
 * Clients that want an object take all texts of the response for it. Where there are others, of replies that did
 * not match or of steps with calls, they are taken back, and the object is a message of its own.
 */
function sayOutput(
  wanted: ResponseWanted,
  before: ResponsesState,
  { id, output }: { id: string; output: JsonObject | undefined },
): Encoded {
  if (output === undefined) return { state: before, events: [] };
  const isMessage = ({ item }: StepItem): boolean => item.type === 'message';
  const said = before.items.filter(isMessage).flatMap(({ item }) => textsOf(item));
  if (isObject(said.join(''), output)) return { state: before, events: [] };
  const state = { ...before, items: before.items.filter((item) => !isMessage(item)) };
  const message = { kind: 'message' as const, id };
  const cleared = { state, events: [inProgress(wanted, state)] };
  return goOn(
    goOn(cleared, (one) => growSpeech(one, message, printJson(output))),
    (one) => closeSpeech(one),
  );
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

/** The response ends where its turn waits for the client. */
function park(wanted: ResponseWanted, before: ResponsesState, event: TurnEvent): Encoded {
  const asked = goOn(goOn(closeSpeech(before), giveUpCalls), (state) => askAll(state, wanted));
  return goOn(asked, (state) =>
    finish(wanted, state, {
      status: 'completed',
      error: null,
      incomplete_details: null,
      completed_at: secondsOf(event),
      usage: describeUsage(state.usage),
    }),
  );
}

function end(
  wanted: ResponseWanted,
  state: ResponsesState,
  event: Extract<TurnEvent, { type: 'turn.ended' }>,
): Encoded {
  const ending = describeEnd(state, event);
  const usage = describeUsage(usageSince(event.usage, state.usageBefore));
  const completed_at = ending.status === 'completed' ? secondsOf(event) : null;
  return finish(wanted, state, { ...ending, completed_at, usage });
}

function finish(
  wanted: ResponseWanted,
  before: ResponsesState,
  progress: ResponsesState['progress'],
): Encoded {
  const state = { ...before, progress };
  const type = finalEventOf(progress.status);
  return { state, events: [{ type, response: viewResponse(wanted, state) }] };
}

/** The time of an event, in seconds since the epoch. */
function secondsOf({ at }: TurnEvent): number {
  return Math.floor(Date.parse(at) / 1_000);
}
