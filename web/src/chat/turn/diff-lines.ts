export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** The most lines that are compared one by one: the table has their product in cells. */
const MOST_CELLS = 400_000;

/** The shortest line diff of two texts. Pure. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const head = commonStart(old, fresh);
  const tail = commonStart(old.slice(head).reverse(), fresh.slice(head).reverse());
  const middle = diffMiddle(
    old.slice(head, old.length - tail),
    fresh.slice(head, fresh.length - tail),
  );
  return [...old.slice(0, head).map(same), ...middle, ...old.slice(old.length - tail).map(same)];
}

/** Lines without the empty one after a final line feed. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > MOST_CELLS) return [...old.map(removed), ...fresh.map(added)];
  const lengths = commonLengths(old, fresh);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const [a, b] = [old[i], fresh[j]];
    if (a !== undefined && a === b) {
      lines.push(same(a));
      i += 1;
      j += 1;
    } else if (
      b === undefined ||
      (a !== undefined && at(lengths, i + 1, j) >= at(lengths, i, j + 1))
    ) {
      lines.push(removed(a ?? ''));
      i += 1;
    } else {
      lines.push(added(b));
      j += 1;
    }
  }
  return lines;
}

/** For each pair of offsets, the length of the longest common subsequence from there. */
function commonLengths(old: readonly string[], fresh: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: fresh.length + 1 }, () => 0),
  );
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = lengths[i] ?? [];
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      row[j] =
        old[i] === fresh[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

const same = (text: string): DiffLine => ({ kind: 'same', text });
const added = (text: string): DiffLine => ({ kind: 'added', text });
const removed = (text: string): DiffLine => ({ kind: 'removed', text });
