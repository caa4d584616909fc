import type { TurnEvent } from '../../events/turn-event.js';
import type { AnswerFold } from '../framing/dialect.js';
import type { ResponseObject } from './dialect/response-object.js';
import type { ResponsesState, ResponseWanted } from './dialect/responses-state.js';
import { responsesDialect, viewResponse } from './dialect/responses.js';

/** Folds a turn to a response: to where it waits for the client, or to its end. */
export function responseFold(wanted: ResponseWanted): AnswerFold<ResponsesState, ResponseObject> {
  const { initial, encode } = responsesDialect(wanted);
  const view = (state: ResponsesState) => viewResponse(wanted, state);
  return {
    initial,
    next: (state, event) => (isOver(state) ? state : encode(state, event).state),
    end: view,
    pause: (state) => (isOver(state) ? view(state) : undefined),
  };
}

/** A response as it is after some events of its turn. Pure. */
export function responseAfter(
  wanted: ResponseWanted,
  events: readonly TurnEvent[],
): ResponseObject {
  const { initial, next } = responseFold(wanted);
  const state = events.reduce(next, initial);
  const response = viewResponse(wanted, state);
  return state.hasBegun ? response : { ...response, status: 'queued' };
}

function isOver({ segment }: ResponsesState): boolean {
  return segment.phase === 'over';
}
