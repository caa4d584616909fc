import type { PublicError, ErrorFormat } from '../../http/public-error.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import { toProblem, type Problem } from './dialect/holodeck-problem.js';

/** The media type of `ProblemBody`. */
export const problemType = 'application/problem+json';

export interface ProblemBody extends Problem {
  /** Path of the request. */
  instance: string;
}

/** Seconds until a client may retry a request that was refused for now. */
const RETRY_AFTER = '5';

/** The HTTP answer for an error (contract: holodeck, section 2). Pure. */
export function toProblemAnswer(
  { status, headers, body: { error } }: PublicError,
  instance: string,
): { status: number; headers: Record<string, string>; body: ProblemBody } {
  // A provider's own limits pass or do not: the server knows which, by `retryable`.
  const mayPass = error.type !== 'SDK_FAILURE' || error.retryable;
  const isLater = mayPass && (status === 429 || status === 503);
  return {
    status,
    headers: {
      ...(isLater ? { 'Retry-After': RETRY_AFTER } : {}),
      ...headers,
      'Content-Type': problemType,
    },
    body: {
      ...toProblem(error.type, { status, detail: error.message, ...retryAdvice(error) }),
      instance,
    },
  };
}

/** Paths of named agents, AG-UI's included, in either case, as the router matches them. */
export const agentsErrors: ErrorFormat = {
  paths: /^\/(agent|agents|awp|sessions)(\/|$)/i,
  write: toProblemAnswer,
};
