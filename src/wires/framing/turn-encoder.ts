import { compareCursors, formatCursor, type Cursor } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { type Dialect, type Frame, type FrameWithCursor, formatFrame } from './dialect.js';

/** The length of a text, in characters, after which the next one begins. */
const TEXT_LENGTH = 64 * 1024;

/** A text of whole frames, and the index of the event that comes after it. */
interface EncodedText {
  text: string;
  next: number;
}

/**
 * Encodes one reader's events, in order and from the first one, whatever the reader has already:
 * a dialect's state comes from the whole log. Frames up to `after` are made and dropped.
 *
 * Where one event makes several frames, a third number in the id counts them from 1, so that a
 * reader that lost its connection between two of them gets neither twice.
 */
export class TurnEncoder<State> {
  #state: State;

  constructor(
    private readonly dialect: Dialect<State>,
    private readonly turnId: string,
    private readonly after?: Cursor,
  ) {
    this.#state = dialect.initial;
  }

  /** Whether the dialect has encoded its last frame, received or not: the turn may go on. */
  isOver(): boolean {
    return this.dialect.isOver?.(this.#state) ?? false;
  }

  encode(event: TurnEvent): FrameWithCursor[] {
    if (this.isOver()) return [];
    const { attempt, seq } = event;
    const { state, frames, known = 0 } = this.dialect.encode(this.#state, event);
    this.#state = state;
    const received = Math.max(known, framesReceived(event, this.after));
    if (received >= frames.length) return [];
    if (frames.length === 1) return frames.map((frame) => this.#name(frame, { attempt, seq }));
    return frames
      .map((frame, index) => this.#name(frame, { attempt, seq, frame: index + 1 }))
      .slice(received);
  }

  /** The frames of events as they go out, in texts of whole frames. */
  texts(events: readonly TurnEvent[]): Iterable<string> {
    const first = this.#encodeText(events, 0);
    return first.next < events.length ? this.#textsAfter(first, events) : textAlone(first.text);
  }

  /** A text, and those of the events after it, each encoded when the one before has been taken. */
  *#textsAfter(first: EncodedText, events: readonly TurnEvent[]): Generator<string> {
    yield first.text;
    for (let { next } = first; next < events.length;) {
      const encoded = this.#encodeText(events, next);
      if (encoded.text !== '') yield encoded.text;
      ({ next } = encoded);
    }
  }

  /** Encodes events from an index on, until a text is long enough. */
  #encodeText(events: readonly TurnEvent[], from: number): EncodedText {
    let text = '';
    let next = from;
    for (; next < events.length && text.length < TEXT_LENGTH; next += 1) {
      const event = events[next];
      if (event === undefined || this.isOver()) return { text, next: events.length };
      for (const frame of this.encode(event)) text += formatFrame(frame);
    }
    return { text, next };
  }

  #name({ event, data }: Frame, cursor: Cursor): FrameWithCursor {
    const id = `${this.dialect.cursorPrefix ?? ''}${formatCursor(this.turnId, cursor)}`;
    return event === undefined ? { id, data } : { event, id, data };
  }
}

/** The text, where there is one. A generator for each batch would cost more than its frames. */
function textAlone(text: string): string[] {
  return text === '' ? [] : [text];
}

function framesReceived(event: TurnEvent, after: Cursor | undefined): number {
  if (after === undefined) return 0;
  const order = compareCursors(event, after);
  if (order > 0) return 0;
  return order < 0 ? Infinity : (after.frame ?? Infinity);
}
