import type { TurnEvent } from '../../events/turn-event.js';

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
}
