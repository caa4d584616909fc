import * as z from 'zod/mini';
import { isPlainObject } from '../json.js';

/** Parts that zod has no shape for. An `expected` is the whole message: `must be …`. */

/** Text that is not blank, trimmed. */
export const filledText = (expected = 'must be text that is not blank') =>
  z.string(expected).check(z.trim(), z.minLength(1, expected));

export const wholeNumber = (
  min: number,
  max: number,
  expected = `must be a whole number from ${min} to ${max}`,
) => z.int(expected).check(z.minimum(min, expected), z.maximum(max, expected));

/** A map of known fields and no others; a field without a value, as YAML has them, counts as absent. */
export const fieldsOf = <T extends z.core.$ZodShape>(shape: T, expected = 'must be a map') =>
  emptyAsAbsent(z.strictObject(shape, { error: onWrongType(expected) }));

/** A map whose known fields count as absent where they have no value. */
export const emptyAsAbsent = <T extends z.ZodMiniObject>(map: T) =>
  z.pipe(
    z.transform((given) =>
      isPlainObject(given)
        ? Object.fromEntries(
            Object.entries(given).filter(
              ([key, value]) => value !== null || !Object.hasOwn(map.shape, key),
            ),
          )
        : given,
    ),
    map,
  );

/** What a parser makes of a value. @param parse gives undefined for a value that is wrong. */
export const parsedBy = <T, Given = unknown>(
  parse: (given: Given) => T | undefined,
  expected: string,
) =>
  z.transform((given: Given, payload) => {
    const parsed = parse(given);
    if (parsed !== undefined) return parsed;
    payload.issues.push({ code: 'custom', input: given, message: expected });
    return z.NEVER;
  });

/** A check that words its faults itself. @param faultOf gives undefined for a good value. */
export const checkedBy = <T>(faultOf: (value: T) => string | undefined) =>
  z.check<T>(({ value, issues }) => {
    const message = faultOf(value);
    if (message !== undefined) issues.push({ code: 'custom', input: undefined, message });
  });

/** The error of a shape for a value of another type; faults inside of it have their own. */
export const onWrongType =
  (expected: string) =>
  (issue: z.core.$ZodRawIssue): string | undefined =>
    issue.code === 'invalid_type' ? expected : undefined;
