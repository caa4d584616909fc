import { diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Lines that may differ: texts further apart are shown whole, since a comparison would take seconds. */
const MAX_EDITS = 1_000;

/** The shortest line diff of two texts. Pure. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const changes = diffArrays(old, fresh, { maxEditLength: MAX_EDITS }) ?? [
    { value: old, removed: true, added: false },
    { value: fresh, removed: false, added: true },
  ];
  return changes.flatMap(({ value, added, removed }) => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return value.map((text) => ({ kind, text }) as const);
  });
}

/** Lines without the empty one after a final line feed. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
