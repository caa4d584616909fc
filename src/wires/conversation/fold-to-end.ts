import type { TurnEvent } from '../../events/turn-event.js';

type TurnEnded = Extract<TurnEvent, { type: 'turn.ended' }>;

/** What a whole turn comes to on a wire, for clients that read no stream. Pure. */
export interface AnswerFold<State, Answer> {
  initial: State;
  next(state: State, event: TurnEvent): State;
  /**
   * @param state after the event, too.
   * @throws TypedError of a turn that has no answer.
   */
  end(state: State, event: TurnEnded): Answer;
  /** The answer where it is whole before the turn's end; undefined: it is not. Absent: it never is. */
  pause?(state: State): Answer | undefined;
}

/** @returns undefined where the events stopped before the turn's end. */
export async function foldToEnd<State, Answer>(
  batches: AsyncIterable<readonly TurnEvent[]>,
  { initial, next, end, pause }: AnswerFold<State, Answer>,
): Promise<Answer | undefined> {
  let state = initial;
  for await (const events of batches) {
    for (const event of events) {
      state = next(state, event);
      if (event.type === 'turn.ended') return end(state, event);
      const paused = pause?.(state);
      if (paused !== undefined) return paused;
    }
  }
  return undefined;
}
