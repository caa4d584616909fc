import type { EventOf, TurnEvent } from '../../events/turn-event.js';
import { printExact } from '../../platform/exact-json.js';

/** A message of a wire: an event name, where the wire has event names, and its data as text. */
export interface Frame {
  event?: string;
  data: string;
}

/** A frame with its cursor: what a reader sends back to go on after it. */
export interface FrameWithCursor extends Frame {
  id: string;
}

export interface EncodedEvent<State> {
  state: State;
  frames: Frame[];
  /** The first frames that the reader has, by a count of the wire's own. Absent: none. */
  known?: number;
}

/**
 * A wire's language: a pure function from events to frames. No I/O, no clock, no `this`; the
 * state is what later frames need of earlier events.
 */
export interface Dialect<State> {
  name: string;
  initial: State;
  encode(state: State, event: TurnEvent): EncodedEvent<State>;
  /**
   * Whether the dialect's last frame was encoded, so that the stream ends here; `encode` is not
   * called again then. Absent: a stream ends with its turn.
   */
  isOver?(state: State): boolean;
  /** Goes before the cursors of the frames, on a wire of several versions, each with frames of its own. */
  cursorPrefix?: string;
}

/** The answer of a whole turn on a wire, for clients that read no stream. Pure. */
export interface AnswerFold<State, Answer> {
  initial: State;
  next(state: State, event: TurnEvent): State;
  /**
   * @param state after the event, too.
   * @throws TypedError of a turn that has no answer.
   */
  end(state: State, event: EventOf<'turn.ended'>): Answer;
  /** The answer where it is whole before the turn's end; undefined: it is not. Absent: it never is. */
  pause?(state: State): Answer | undefined;
}

/** A row for each type of a closed union: a type without a row breaks the build. */
export type ByType<One extends { type: string }, Rest extends readonly unknown[], Result> = {
  readonly [Type in One['type']]: (one: Extract<One, { type: Type }>, ...rest: Rest) => Result;
};

/** Calls the row of `one`. */
export function applyByType<One extends { type: string }, Rest extends readonly unknown[], Result>(
  rows: ByType<One, Rest, Result>,
  one: One,
  ...rest: Rest
): Result {
  const row = rows[one.type as One['type']] as (one: One, ...rest: Rest) => Result;
  return row(one, ...rest);
}

/**
 * A frame as Server-Sent Events have it.
 *
 * @throws Error when a part of it holds a line break: it would start a field of its own.
 */
export function formatFrame({ id = '', event = '', data }: Frame & { id?: string }): string {
  if (hasLineBreak(data) || hasLineBreak(id) || hasLineBreak(event)) {
    throw new Error(`A frame holds a line break: ${JSON.stringify(id)}`);
  }
  const named = `${field('event', event)}${field('id', id)}`;
  return `${named}data: ${withoutOtherBreaks(printExact(data))}\n\n`;
}

/** Characters that end a line for some clients (Python's `splitlines`), though not in a stream. */
const otherBreaks = /[\u0085\u2028\u2029]/g;

/** JSON has these characters in its texts alone, where it may write them as escapes. */
function withoutOtherBreaks(json: string): string {
  return json.replace(
    otherBreaks,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function field(name: string, value: string): string {
  return value === '' ? '' : `${name}: ${value}\n`;
}

function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}
