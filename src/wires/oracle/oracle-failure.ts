import { retryAdvice } from '../../platform/retry-advice.js';
import type { ErrorFormat } from '../../http/public-error.js';

/** What its controller's own filter does not see: bodies that are refused before, routes that there are not. */
export const oracleErrors: ErrorFormat = {
  paths: /^\/api\/oracle(\/|$)/i,
  write: ({ status, headers, body }) => ({
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    body: { detail: body.error.message, ...retryAdvice(body.error) },
  }),
};
