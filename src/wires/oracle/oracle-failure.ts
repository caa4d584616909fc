import type { ErrorFormat } from '../../http/public-error.js';
import { retryAdvice } from '../../platform/retry-advice.js';

/**
 * Errors that the controller's own filter does not catch: bodies that are refused before it, and
 * routes that do not exist.
 */
export const oracleErrors: ErrorFormat = {
  paths: /^\/api\/oracle(\/|$)/i,
  write: ({ status, headers, body }) => ({
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    body: { detail: body.error.message, ...retryAdvice(body.error) },
  }),
};
