/** CSI sequences, and control characters other than line feed and tab. */
const controls = new RegExp(
  String.raw`\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
  'g',
);

/**
 * Removes control characters from the text of a model or a tool: escape sequences could move a
 * terminal's cursor, rename its window or type into it. Line feeds and tabs stay.
 */
export function plainText(text: string): string {
  return text.replace(controls, '');
}

/** Text on one line, cut to `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** The most characters of a tool call in a question, and those of them for its end. */
const ASKED_LENGTH = 2_000;
const ASKED_END = 500;

/**
 * A tool call on one line, for a question. A call that is too long shows its start, its end and how many
 * characters are left out, so that nothing hides behind a long start.
 */
export function askedLine(text: string): string {
  const line = oneLine(text, Infinity);
  const hidden = line.length - ASKED_LENGTH;
  if (hidden <= 0) return line;
  const start = line.slice(0, ASKED_LENGTH - ASKED_END);
  return `${start} … ${hidden} characters are not shown … ${line.slice(-ASKED_END)}`;
}

/** `1 file`, `2 files`. */
export function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
