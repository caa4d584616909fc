import { getSchemaPath } from '@nestjs/swagger';
import { envelopeShape, type ErrorShape } from '../../http/errors/error-shape.js';
import { retryAdvice } from '../../platform/retry-advice.js';
import { OracleErrorDto, OracleFaultsDto } from './oracle.dto.js';

/** The shape of errors on this wire: `detail` is a text, or the list of a request's faults. */
export const oracleShape: ErrorShape = {
  write: (error, path) => {
    const { message, correlationId, ...rest } = error.body.error;
    const body = { detail: error.faults ?? message, ...retryAdvice(rest), correlationId };
    return { ...envelopeShape.write(error, path), body };
  },
  describe: ({ status }) => {
    const model = status === 422 ? OracleFaultsDto : OracleErrorDto;
    return { 'application/json': { schema: { $ref: getSchemaPath(model) } } };
  },
  models: [OracleErrorDto, OracleFaultsDto],
};
