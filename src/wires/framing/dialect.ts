import type { TurnEvent } from '../../events/turn-event.js';

/** One message of a wire: an event name, where the wire has them, and its data as text. */
export interface Frame {
  event?: string;
  data: string;
}

/**
 * A wire's language: a pure function from events to frames. No I/O, no clock, no `this`; the
 * state is what later frames need of earlier events.
 */
export interface Dialect<State> {
  name: string;
  initial: State;
  encode(state: State, event: TurnEvent): { state: State; frames: Frame[] };
  /**
   * Whether its last frame was encoded, so that the stream ends here. Absent: a stream ends with
   * its turn. After it, `encode` is not called again.
   */
  isOver?(state: State): boolean;
}
