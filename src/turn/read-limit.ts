import { invalidRequest } from '../platform/typed-error.js';

/** Items of a page, by default and at most. */
const PAGE = 50;
const MOST_PAGE = 200;

/** `limit` of a request for a page. @throws TypedError INVALID_REQUEST 400. */
export function readLimit(given: unknown): number {
  if (given === undefined) return PAGE;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_PAGE) return limit;
  throw invalidRequest(`'limit' must be a whole number from 1 to ${MOST_PAGE}`);
}
