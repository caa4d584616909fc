import { getSchemaPath } from '@nestjs/swagger';
import { type ErrorCode, TypedError } from '../../errors/typed-error.js';
import { retryAdvice } from '../../platform/face.js';
import { sessionBusy } from '../../turn/face.js';
import { envelopeShape, type ErrorShape, listedFaults } from '../../http/face.js';
import type { ErrorChunk } from './dialect/oracle-frames.js';
import { OracleErrorDto, OracleFaultsDto } from './oracle.dto.js';

export function unknownContext(contextId: string): TypedError {
  return new TypedError('SESSION_NOT_FOUND', {
    message: `There is no conversation ${contextId.slice(0, 120)}. Leave context_id out to begin a new one.`,
  });
}

export function unknownProject(projectId: string): TypedError {
  return new TypedError('WORKING_ROOT_INACCESSIBLE', {
    message: `There is no project ${projectId.slice(0, 120)}. Leave project_id out, or make a folder of that name in TURNPIKE_PROJECT_ROOT or, where that is not set, in your folder of TURNPIKE_PROJECTS_DIR.`,
  });
}

export function conversationBusy(): TypedError {
  return sessionBusy(
    'Another question of this conversation is being answered. Wait for its end, cancel it with POST /api/oracle/cancel, or send this one with ?busy=interrupt.',
  );
}

/**
 * The failure of a turn as the answer to its question. A status below 500 was about the server's
 * request to the provider, not about the client's.
 *
 * @param code of the failure that was stored; undefined where none was.
 */
export function answerFailed({ error, metadata }: ErrorChunk, code?: ErrorCode): TypedError {
  const { status = 500 } = metadata ?? {};
  return new TypedError(code ?? 'SDK_FAILURE', {
    message: error,
    relayed: { status: status >= 500 ? status : 502, ...retryAdvice(metadata ?? {}) },
  });
}

/** The shape of errors on this wire: `detail` is a text, or the list of a request's faults. */
export const oracleShape: ErrorShape = {
  write: (error, path) => {
    const { message, correlationId, ...rest } = error.body.error;
    const body = { detail: listedFaults(error) ?? message, ...retryAdvice(rest), correlationId };
    return { ...envelopeShape.write(error, path), body };
  },
  describe: ({ status }) => {
    const model = status === 422 ? OracleFaultsDto : OracleErrorDto;
    return { 'application/json': { schema: { $ref: getSchemaPath(model) } } };
  },
  models: [OracleErrorDto, OracleFaultsDto],
};
