import { envelopeShape, type ErrorShape } from '../../http/error-shape.js';
import { retryAdvice } from '../../platform/retry-advice.js';

/** The shape of errors on this wire: `detail` is a text, or the list of a request's faults. */
export const oracleShape: ErrorShape = (error, path) => {
  const { message, ...rest } = error.body.error;
  const body = { detail: error.faults ?? message, ...retryAdvice(rest) };
  return { ...envelopeShape(error, path), body };
};
