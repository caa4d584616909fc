import type { TypedError } from '../platform/typed-error.js';
import { toProblem, type Problem } from '../wire/dialects/holodeck-problem.js';

/** The media type of `ProblemBody`. */
export const problemType = 'application/problem+json';

export interface ProblemBody extends Problem {
  /** Path of the request. */
  instance: string;
}

/** Seconds after which a client that was told to come back later may. */
const RETRY_AFTER = '5';

/** The HTTP answer for an error (contract: holodeck, section 2). Pure. */
export function toProblemAnswer(
  { type, status, message, headers }: TypedError,
  instance: string,
): { status: number; headers: Record<string, string>; body: ProblemBody } {
  const isLater = status === 429 || status === 503;
  return {
    status,
    headers: {
      ...(isLater ? { 'Retry-After': RETRY_AFTER } : {}),
      ...headers,
      'Content-Type': problemType,
    },
    body: { ...toProblem(type, status, message), instance },
  };
}
