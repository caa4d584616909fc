import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Fields that tell which alternative a value is. */
const kinds = ['role', 'type', 'state'];

/**
 * Words the first issue of a schema for the sender: the field, and what it should be. Of alternatives, the one
 * that the value comes nearest to is told: it fails deepest inside. Pure.
 *
 * @param offsets what to add to the first index under a field whose list was checked in part.
 */
export function describeIssue(
  issues: readonly Issue[],
  offsets: Readonly<Record<string, number>> = {},
): string {
  const { path, message } = deepest(issues);
  const [field, index, ...rest] = path;
  const offset = typeof field === 'string' ? (offsets[field] ?? 0) : 0;
  const place = typeof index === 'number' ? [field, index + offset, ...rest] : path;
  return `Missing or invalid '${nameOf(place)}': ${plain(message)}`;
}

function deepest([issue]: readonly Issue[]): { path: Path; message: string } {
  if (issue === undefined) return { path: [], message: 'it is not valid' };
  const here = { path: issue.path, message: issue.message };
  if (issue.code !== 'invalid_union') return here;
  const ofItsKind = issue.errors.filter((alternative) => !alternative.some(isOfOtherKind));
  const alternatives = ofItsKind.length > 0 ? ofItsKind : issue.errors;
  const inside = alternatives.map(deepest).toSorted((a, b) => b.path.length - a.path.length);
  const [nearest] = inside;
  if (nearest === undefined) return here;
  if (nearest.path.length > 0) {
    return { path: [...issue.path, ...nearest.path], message: nearest.message };
  }
  return { path: issue.path, message: inside.map(({ message }) => plain(message)).join(' or ') };
}

/** Whether an alternative is for values of another kind: messages of another role, parts of another type. */
function isOfOtherKind({ path }: Issue): boolean {
  const [field, ...rest] = path;
  return rest.length === 0 && kinds.some((kind) => kind === field);
}

function nameOf([first, ...rest]: readonly (PropertyKey | undefined)[]): string {
  const parts = rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return [String(first ?? 'the body'), ...parts].join('');
}

/** The library's message without its beginning, which every one has. */
function plain(message: string): string {
  return message.replace(/^Invalid [a-z ]+[.:] ?/i, '').replace(/^E/, 'e');
}
