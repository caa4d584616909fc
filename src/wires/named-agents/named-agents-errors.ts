import { TypedError } from '../../errors/typed-error.js';
import { sessionBusy } from '../../turn/face.js';
import { type ErrorShape, narrowed } from '../../http/face.js';
import { retryAdvice } from '../../platform/face.js';
import { problemUri, toProblem, type Problem } from './dialect/problem-details.js';
import { ProblemDto } from './named-agents.dto.js';

export function agentSessionBusy(): TypedError {
  return sessionBusy(
    'Another message of this session is being answered. Wait for its end, or leave session_id out to begin another session.',
  );
}

/** @param sessionId ULID. */
export function sessionEnds(sessionId: string): TypedError {
  return sessionBusy(
    `The turn that runs in session ${sessionId} is being interrupted and has not ended yet. Send the request again in a moment.`,
  );
}

/** @param sessionId ULID. */
export function sessionGone(sessionId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    message: `Session ${sessionId} was deleted before its answer was complete. Leave session_id out to begin a new one.`,
  });
}

/** @param messageId ULID. */
export function messageNotFound(agent: string, messageId: string): TypedError {
  return new TypedError('TURN_NOT_FOUND', {
    message: `Agent ${agent.slice(0, 120)} has no message ${messageId}. It may have been deleted with its session, which is kept for a while after its last use.`,
  });
}

/** The media type of `ProblemBody`. */
const problemType = 'application/problem+json';

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
