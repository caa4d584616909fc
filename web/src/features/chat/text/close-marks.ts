/**
 * Closes open Markdown marks at the end of a text that still streams, and hides marks without text after them. Without
 * this, bold text would show its asterisks first. Pure.
 */
export function closeMarks(text: string): string {
  const lineStart = text.lastIndexOf('\n') + 1;
  const line = text.slice(lineStart);
  const outsideCode = closeCode(line);
  if (outsideCode !== undefined) return text.slice(0, lineStart) + outsideCode;
  return text.slice(0, lineStart) + closeEmphasis(hideLink(line));
}

/** The text with its code closed; undefined where no code is open. */
function closeCode(line: string): string | undefined {
  const marks = line.match(/`+/g) ?? [];
  const last = marks.at(-1);
  if (last === undefined || marks.filter((mark) => mark === last).length % 2 === 0)
    return undefined;
  return line.endsWith(last) ? line.slice(0, -last.length) : line + last;
}

/** Shows the text of a link whose `[text](http://…` is not whole. */
function hideLink(line: string): string {
  const open = /!?\[([^\]]*)(?:\](?:\([^)]*)?)?$/.exec(line);
  if (open === null || (open[0].endsWith(']') && !open[0].includes('('))) return line;
  if (/^\[[ x]?$/.test(open[0])) return line;
  return line.slice(0, open.index) + (open[1] ?? '');
}

function closeEmphasis(line: string): string {
  let closed = line.replace(/(?:\*{1,3}|~{1,2}|_{1,2})$/, (mark, at: number) =>
    isOpening(line.slice(0, at), mark) ? '' : mark,
  );
  for (const mark of ['**', '~~']) {
    if (count(closed, mark) % 2 === 1) closed = closed.trimEnd() + mark;
  }
  return closed;
}

/** Whether a mark at the end opens rather than closes. */
function isOpening(before: string, mark: string): boolean {
  return count(before, mark) % 2 === 0 && before.trim() !== '';
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}
