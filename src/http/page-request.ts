import { invalidRequest, type TypedError } from '../errors/typed-error.js';

export interface PageSize {
  /** Size of a page whose request names none. */
  standard: number;
  most: number;
}

const usual: PageSize = { standard: 50, most: 200 };

/** Parses the `limit` of a page's request. @throws TypedError INVALID_REQUEST 400. */
export function parseLimit(given: unknown, { standard, most }: PageSize = usual): number {
  if (given === undefined) return standard;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw invalidRequest(`'limit' must be a whole number from 1 to ${most}`);
}

export function badCursor(): TypedError {
  return invalidRequest("'cursor' must be the 'nextCursor' of an earlier page of the same list");
}
