import * as z from 'zod/mini';
import { cutText } from '../text/cut-text.js';
import { nearestName } from './nearest-name.js';

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
const MAX_ROUNDS = 9;

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
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
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

/** What is wrong with a field. */
export interface Fault {
  /** The keys and indexes that lead to the field; empty: the whole value. */
  path: readonly PropertyKey[];
  /** Completes the field's name: `must be true or false, not 1`. */
  message: string;
}

export interface Wording {
  /** Whether faults repeat the value that was given. Default: true; false where it may be a credential. */
  showsGiven?: boolean;
}

const MAX_SHOWN_CHARS = 60;
const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

/** The name of a field for people, as `limits.max_iterations`. */
export function nameOf(path: Fault['path']): string {
  return path.map((key) => cutText(String(key), MAX_SHOWN_CHARS)).join('.');
}

/** A value in a message, as JSON, cut. */
export function show(value: unknown): string {
  return cutText(
    typeof value === 'number' ? String(value) : JSON.stringify(value),
    MAX_SHOWN_CHARS,
  );
}

/**
 * The message of an issue whose shape has none of its own; for unknown keys, the known ones. Checks of shapes
 * (lengths, bounds, forms) have messages of their own.
 */
function wordIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type')
    return `must be ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
  }
  return issue.inst instanceof z.ZodMiniObject
    ? Object.keys(issue.inst.shape).join(', ')
    : 'is not valid';
}

/** The faults of issues: the first one of each field, and one for each unknown key. */
function toFaults(issues: readonly z.core.$ZodIssue[], wording: Wording): Fault[] {
  const faults = issues.flatMap((issue) => {
    const { path } = issue;
    if (issue.code !== 'unrecognized_keys') return { path, message: messageOf(issue, wording) };
    const known = issue.message.split(', ');
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, known) }));
  });
  const first = new Map<string, Fault>();
  for (const fault of faults) {
    const field = fault.path.join('\0');
    if (!first.has(field)) first.set(field, fault);
  }
  return [...first.values()];
}

function messageOf(issue: z.core.$ZodIssue, { showsGiven = true }: Wording): string {
  const { code, path, input, message } = issue;
  // The shape of the keys words what is wrong with a key.
  if (code === 'invalid_key') return issue.issues[0]?.message ?? message;
  if (code !== 'custom' && input === undefined && path.length > 0) return 'is required';
  const isShown = showsGiven && input !== undefined && message.startsWith('must be ');
  return isShown ? `${message}, not ${show(input)}` : message;
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearestName(key, known);
  return `is not a field; ${near === undefined ? `use ${known.join(', ')}` : `did you mean ${near}?`}`;
}
