import type { TakeEvents, TurnEvent } from '../../events/turn-event.js';

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

/**
 * @param follow hands on the turn's events, until some were enough.
 * @returns undefined where the events stopped before the turn's end.
 */
export async function foldToEnd<State, Answer>(
  follow: (take: TakeEvents) => Promise<void>,
  { initial, next, end, pause }: AnswerFold<State, Answer>,
): Promise<Answer | undefined> {
  let state = initial;
  let answer: Answer | undefined;
  await follow((events) => {
    for (const event of events) {
      state = next(state, event);
      answer = event.type === 'turn.ended' ? end(state, event) : pause?.(state);
      if (answer !== undefined) return true;
    }
    return false;
  });
  return answer;
}
