import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/**
 * `stream`: the turn's events. `result`: the turn's end, once it has come. `at once`: that the turn
 * was taken.
 */
export type AnswerKind = 'stream' | 'result' | 'at once';

/** Injects the answer that a request for a turn asks for. */
export const WantedAnswer = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AnswerKind =>
    chooseAnswer(context.switchToHttp().getRequest<Request>()),
);

/** A client that takes anything gets the stream, as does one that says nothing. */
function chooseAnswer(request: Request): AnswerKind {
  const preferences = (request.get('prefer') ?? '').split(',').map((one) => one.trim());
  if (preferences.some((one) => /^respond-async\b/i.test(one))) return 'at once';
  return request.accepts('text/event-stream') === false ? 'result' : 'stream';
}
