import { compareCursors, formatCursor, type Cursor } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { Dialect, Frame } from './dialect.js';

/** A frame with its cursor: what a reader sends back to go on after it. */
export interface FrameWithCursor extends Frame {
  id: string;
}

/** An encoder of events to frames, for a single reader. */
export interface TurnEncoder {
  (event: TurnEvent): FrameWithCursor[];
  /** Whether the dialect has encoded its last frame, received or not: the turn may go on. */
  isOver(): boolean;
}

/**
 * Encodes one reader's events, in order and from the first one, whatever the reader has already:
 * a dialect's state comes from the whole log. Frames up to `after` are made and dropped.
 *
 * Where one event makes several frames, a third number in the id counts them from 1, so that a
 * reader that lost its connection between two of them gets neither twice.
 */
export function encodeTurn<State>(
  dialect: Dialect<State>,
  turnId: string,
  after?: Cursor,
): TurnEncoder {
  let state = dialect.initial;
  const isOver = (): boolean => dialect.isOver?.(state) ?? false;
  const encode = (event: TurnEvent): FrameWithCursor[] => {
    if (isOver()) return [];
    const encoded = dialect.encode(state, event);
    state = encoded.state;
    const received = framesReceived(event, after);
    if (received >= encoded.frames.length) return [];
    const several = encoded.frames.length > 1;
    const frames = encoded.frames.map((frame, index) => ({
      ...frame,
      id: formatCursor(turnId, {
        attempt: event.attempt,
        seq: event.seq,
        ...(several ? { frame: index + 1 } : {}),
      }),
    }));
    return received === 0 ? frames : frames.slice(received);
  };
  return Object.assign(encode, { isOver });
}

function framesReceived(event: TurnEvent, after: Cursor | undefined): number {
  if (after === undefined) return 0;
  const order = compareCursors(event, after);
  if (order > 0) return 0;
  return order < 0 ? Infinity : (after.frame ?? Infinity);
}
