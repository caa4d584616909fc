import type * as z from 'zod/mini';
import { parseValue } from '../parsing/parse-value.js';
import { nameOf } from '../parsing/word-issue.js';

/**
 * Checks a value of an extension: JavaScript has no types that would.
 *
 * @param what the value's name, as `the tool mine`.
 * @throws Error that lists all that is wrong.
 */
export function expectShape<T>(shape: z.ZodMiniType<T>, given: unknown, what: string): T {
  // An extension's values may be of any kind, those that JSON cannot show included.
  const { value, faults } = parseValue(shape, given, { showsGiven: false });
  if (faults === undefined) return value;
  const lines = faults.map(({ path, message }) =>
    path.length === 0 ? `${what} ${message}` : `${nameOf(path)} of ${what} ${message}`,
  );
  throw new Error(lines.join('; '));
}
