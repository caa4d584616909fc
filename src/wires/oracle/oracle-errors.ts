import { retryAdvice } from '../../platform/retry-advice.js';
import { TypedError } from '../../errors/typed-error.js';
import { sessionBusy } from '../../turn/state/turn-errors.js';
import type { ErrorChunk } from './dialect/oracle-chunk.js';

export function unknownContext(contextId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    status: 404,
    message: `There is no conversation ${contextId.slice(0, 120)}. Leave context_id out to begin a new one.`,
  });
}

export function unknownProject(projectId: string): TypedError {
  return new TypedError('WORKING_ROOT_INACCESSIBLE', {
    status: 404,
    message: `There is no project ${projectId.slice(0, 120)}. Leave project_id out, or make a folder of that name in TURNPIKE_ORACLE_ROOT.`,
  });
}

export function conversationBusy(): TypedError {
  return sessionBusy(
    'Another question of this conversation is being answered. Wait for its end, cancel it with POST /api/oracle/cancel, or send this one with ?busy=interrupt.',
  );
}

/** @param failure of the turn; a status that is about the provider's request is not the client's. */
export function answerFailed({ error, metadata }: ErrorChunk): TypedError {
  const { termination_reason: type = 'SDK_FAILURE', status = 500 } = metadata ?? {};
  const advice = retryAdvice(metadata ?? {});
  return new TypedError(type, { status: status >= 500 ? status : 502, message: error, ...advice });
}

export function hasReason(error: unknown, reason: string): boolean {
  if (!(error instanceof TypedError)) return false;
  const details = error.details as { reason?: unknown } | undefined;
  return details?.reason === reason;
}
