import { invalidRequest } from '../platform/typed-error.js';

/** A place in a turn's log. Written `<turnId>:<attempt>.<seq>`, with `.<frame>` where needed. */
export interface Cursor {
  attempt: number;
  seq: number;
  /** Of the frames one event makes on a wire: how many were received, from 1. Absent: all. */
  frame?: number;
}

export type Position = Pick<Cursor, 'attempt' | 'seq'>;

export const logStart: Position = { attempt: 0, seq: 0 };

/** Negative when `a` comes before `b`, zero when they are the same event. */
export function compareCursors(a: Position, b: Position): number {
  return a.attempt - b.attempt || a.seq - b.seq;
}

export function formatCursor(turnId: string, cursor: Cursor): string {
  const frame = cursor.frame === undefined ? '' : `.${cursor.frame}`;
  return `${turnId}:${cursor.attempt}.${cursor.seq}${frame}`;
}

/**
 * Reads a cursor a client sent back: a whole one, or its part after the turn's id.
 *
 * @throws TypedError INVALID_REQUEST 400 when it is none, or another turn's.
 */
export function parseCursor(turnId: string, text: string): Cursor {
  const place = text.startsWith(`${turnId}:`) ? text.slice(turnId.length + 1) : text;
  const match = /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?$/.exec(place);
  if (match === null) {
    throw invalidRequest(
      `'${text.slice(0, 120)}' is not a cursor of turn ${turnId}. ` +
        `Send the id of the last frame you received, for example ${turnId}:1.17, or none to read from the start.`,
      { turnId },
    );
  }
  const [, attempt, seq, frame] = match;
  return {
    attempt: Number(attempt),
    seq: Number(seq),
    ...(frame === undefined ? {} : { frame: Number(frame) }),
  };
}
