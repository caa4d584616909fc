import type { Request } from 'express';

/**
 * `stream`: the turn's events. `result`: the turn's end, once it has come. `at once`: that the turn
 * was taken.
 */
export type AnswerKind = 'stream' | 'result' | 'at once';

/**
 * The answer that a request for a turn asks for. A client that takes anything gets the stream,
 * as does one that says nothing.
 */
export function chooseAnswer(request: Pick<Request, 'get' | 'accepts'>): AnswerKind {
  const preferences = (request.get('prefer') ?? '').split(',').map((one) => one.trim());
  if (preferences.some((one) => /^respond-async\b/i.test(one))) return 'at once';
  return request.accepts('text/event-stream') === false ? 'result' : 'stream';
}
