import * as z from 'zod/mini';
import { type Fault, toFaults, type Wording, wordIssue } from './word-issue.js';

/** A parsed value, or all that is wrong with what was given. */
export type Parsed<T> = { value: T; faults?: never } | { value?: never; faults: Fault[] };

type Path = Fault['path'];

/** Parses a value by its shape. @returns the value, or every fault with its path. */
export function parseValue<T>(
  shape: z.core.$ZodType<T>,
  given: unknown,
  wording: Wording = {},
): Parsed<T> {
  const parsed = z.safeParse(shape, given, { error: wordIssue, reportInput: true });
  if (parsed.success) return { value: parsed.data };
  return { faults: toFaults(parsed.error.issues, wording) };
}

/** A parsed part, its faults by their paths in the whole. */
export function within<T>(path: Path, { value, faults }: Parsed<T>): Parsed<T> {
  return faults === undefined
    ? { value }
    : { faults: faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] })) };
}

/** Rounds in which faults show that others hid, as the length of a list that has wrong items. */
const mostRounds = 9;

/**
 * Parses a value and leaves out what is wrong: each field and item at fault, and nothing beside it.
 *
 * @param shape one that takes what is left: fields that may be wrong are optional.
 */
export function parseLeniently<T>(
  shape: z.core.$ZodType<T>,
  given: unknown,
  wording: Wording = {},
): { value: T; faults: Fault[] } {
  const found: Fault[] = [];
  let rest = given;
  for (let round = 0; round < mostRounds; round += 1) {
    const { value, faults } = parseValue(shape, rest, wording);
    if (faults === undefined) return { value, faults: found };
    found.push(...faults);
    rest = omit(
      rest,
      faults.map(({ path }) => path),
    );
  }
  throw new Error('A lenient shape refuses a value without its faults');
}

/** A copy without the fields and items at `paths`; undefined where all of it is at fault. */
function omit(value: unknown, paths: readonly Path[]): unknown {
  if (paths.some((path) => path.length === 0)) return undefined;
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const below = paths.filter(([head]) => String(head) === key).map(([, ...rest]) => rest);
    return [key, omit(item, below)];
  });
  const kept = entries.filter(([, item]) => item !== undefined);
  return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}
