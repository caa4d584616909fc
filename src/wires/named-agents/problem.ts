import { narrowed, type ErrorShape } from '../../http/errors/error-shape.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import { problemUri, toProblem, type Problem } from './dialect/holodeck-problem.js';
import { ProblemDto } from './holodeck.dto.js';

/** The media type of `ProblemBody`. */
export const problemType = 'application/problem+json';

export interface ProblemBody extends Problem {
  /** Path of the request. */
  instance: string;
  /** Id of the request. */
  correlationId: string;
}

/** Seconds until a client may retry a request that was refused for now. */
const RETRY_AFTER = '5';

/** The shape of errors of named agents, AG-UI's included (contract: holodeck, section 2). */
export const problemShape: ErrorShape = {
  write: ({ status, headers, body: { error } }, instance) => {
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
        correlationId: error.correlationId,
      } satisfies ProblemBody,
    };
  },
  describe: ({ codes }) => {
    const type = { enum: codes.map(problemUri) };
    return { [problemType]: { schema: narrowed(ProblemDto, { type }) } };
  },
  models: [ProblemDto],
};
