/** Most texts of one pattern. */
const mostTexts = 32;

/**
 * Expands `{a,b}`, nested and side by side, to all its texts. A brace without a comma stands for itself,
 * as in a shell.
 *
 * @throws RangeError when the pattern has more than 32 texts.
 */
export function expandGlobBraces(pattern: string): string[] {
  const texts: string[] = [];
  const left = [pattern];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const choice = findChoice(next);
    if (choice === undefined) texts.push(next);
    else left.push(...choice.toReversed());
    if (texts.length + left.length > mostTexts) {
      throw new RangeError(`its braces stand for more than ${mostTexts} patterns`);
    }
  }
  return texts;
}

/** The pattern with each option of its first choice; undefined when it has no choice. */
function findChoice(pattern: string): string[] | undefined {
  /** Open braces, from the outside in, with the end of each of their options. */
  const open: { start: number; ends: number[] }[] = [];
  let first: { start: number; ends: number[] } | undefined;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\') {
      index += 1;
    } else if (character === '{') {
      open.push({ start: index, ends: [] });
    } else if (character === ',') {
      open.at(-1)?.ends.push(index);
    } else if (character === '}') {
      const closed = open.pop();
      if (closed === undefined || closed.ends.length === 0) continue;
      closed.ends.push(index);
      first = closed;
      break;
    }
  }
  if (first === undefined) return undefined;
  const before = pattern.slice(0, first.start);
  const after = pattern.slice((first.ends.at(-1) ?? first.start) + 1);
  return first.ends.map((end, index) => {
    const start = (index === 0 ? first.start : (first.ends[index - 1] ?? first.start)) + 1;
    return before + pattern.slice(start, end) + after;
  });
}
