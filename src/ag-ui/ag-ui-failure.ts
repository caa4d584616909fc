import type { ErrorFormat } from '../wire/harness-error.filter.js';

/** Among the routes of named agents, whose errors have another form, these have the common one. */
export const agUiErrors: ErrorFormat = {
  paths: /^\/agent\/[^/]+\/ag-ui(\/|$)/i,
  write: ({ status, headers, body }) => ({
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    body,
  }),
};
