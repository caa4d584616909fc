import * as z from 'zod/mini';
import { cutText } from '../platform/text/cut-text.js';
import { nearestName } from './nearest-name.js';

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

const longestShown = 60;
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
  return path.map((key) => cutText(String(key), longestShown)).join('.');
}

/** A value in a message, as JSON, cut. */
export function show(value: unknown): string {
  return cutText(typeof value === 'number' ? String(value) : JSON.stringify(value), longestShown);
}

/**
 * The message of an issue whose shape has none of its own; for unknown keys, the known ones. Checks of shapes
 * (lengths, bounds, forms) have messages of their own.
 */
export function wordIssue(issue: z.core.$ZodRawIssue): string {
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
export function toFaults(issues: readonly z.core.$ZodIssue[], wording: Wording): Fault[] {
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
