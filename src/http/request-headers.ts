import { ApiHeader } from '@nestjs/swagger';
import { invalidRequest } from '../errors/typed-error.js';

/** The `Idempotency-Key` of a request; undefined: it has none. @throws TypedError INVALID_REQUEST 400 */
export function parseIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || (key.length > 0 && key.length <= 255)) return key;
  throw invalidRequest("The 'Idempotency-Key' header must have 1 to 255 characters");
}

/** Documents a header that a request may have. */
export function ApiOptionalHeader(name: string, description: string) {
  return ApiHeader({ name, required: false, description });
}
