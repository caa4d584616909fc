import { invalidRequest } from '../errors/typed-error.js';

/**
 * The point in a turn's log up to which a reader has its events. Written
 * `<turnId>:<attempt>.<seq>`, then `.<frame>` if given.
 */
export interface Cursor {
  attempt: number;
  seq: number;
  /** Number of the event's frames that were received, on a wire that makes several. Absent: all. */
  frame?: number;
}

/** The cursor of a whole event. */
export type EventCursor = Pick<Cursor, 'attempt' | 'seq'>;

/** The cursor before the first event. */
export const logStart: EventCursor = { attempt: 0, seq: 0 };

/** Negative when `a` comes before `b`, zero when they are the same event. */
export function compareCursors(a: EventCursor, b: EventCursor): number {
  return a.attempt - b.attempt || a.seq - b.seq;
}

export type Continuity = 'follows' | 'repeated' | 'gap';

/**
 * The continuity of a log that ends at `end` with events of one attempt, from `first` to `last`.
 */
export function followsOn(end: EventCursor, first: EventCursor, last: EventCursor): Continuity {
  if (compareCursors(last, end) <= 0) return 'repeated';
  const expected = first.attempt > end.attempt ? 1 : end.seq + 1;
  return first.seq === expected && first.attempt >= end.attempt ? 'follows' : 'gap';
}

export function formatCursor(turnId: string, cursor: Cursor): string {
  const frame = cursor.frame === undefined ? '' : `.${cursor.frame}`;
  return `${turnId}:${cursor.attempt}.${cursor.seq}${frame}`;
}

/**
 * Parses a cursor that a client sent back: all of it, or the part after the turn's id.
 *
 * @throws TypedError INVALID_REQUEST 400 for other text, and for the cursor of another turn.
 */
export function parseCursor(turnId: string, text: string): Cursor {
  const own = text.startsWith(`${turnId}:`) ? text.slice(turnId.length + 1) : text;
  const match = /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?$/.exec(own);
  if (match === null) {
    throw invalidRequest(
      `'${text.slice(0, 120)}' is not a cursor of turn ${turnId}. ` +
        `Send the id of the last frame you received, for example ${turnId}:1.17, or none to read from the start.`,
      { turnId },
    );
  }
  const [, attempt, seq, frame] = match;
  const cursor = { attempt: Number(attempt), seq: Number(seq) };
  return frame === undefined ? cursor : { ...cursor, frame: Number(frame) };
}
