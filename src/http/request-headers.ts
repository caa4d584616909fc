import { invalidRequest } from '../errors/typed-error.js';

/** The `Idempotency-Key` of a request; undefined: it has none. @throws TypedError INVALID_REQUEST 400 */
export function parseIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || (key.length > 0 && key.length <= 255)) return key;
  throw invalidRequest("The 'Idempotency-Key' header must have 1 to 255 characters");
}

/** The cursor of a header or a query; an empty one is none. @throws TypedError INVALID_REQUEST 400 */
export function parseCursorParameter(cursor: unknown): string | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  if (typeof cursor === 'string') return cursor;
  throw invalidRequest("'after' must be given once: the id of the last frame received");
}
