import { invalidRequest } from '../platform/typed-error.js';

/**
 * Refuses a body that is JSON and no object: a string, a number, `true`, `null`. What is a list is
 * refused where it is read, in the words of its route.
 */
export function checkBody(
  { body }: { body?: unknown },
  _response: unknown,
  next: (error?: unknown) => void,
): void {
  const isContainer = typeof body === 'object' && body !== null;
  if (body === undefined || isContainer) return next();
  const kind = body === null ? 'null' : `a ${typeof body}`;
  next(invalidRequest(`Request body must be a JSON object, not ${kind}`));
}
