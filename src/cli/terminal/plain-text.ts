/** CSI sequences, and every control character but line feed and tab. */
const controls = new RegExp(
  String.raw`\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
  'g',
);

/**
 * Text of a model or a tool, made harmless for a terminal: escape sequences could move its cursor,
 * rename its window or type into it. Line feeds and tabs stay.
 */
export function plainText(text: string): string {
  return text.replace(controls, '');
}

/** One line of at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Characters of a call that a person is asked about. */
const ASKED_LENGTH = 2_000;
const ASKED_END = 500;

/**
 * One line of what a person is to decide about. Of what is too long the end is shown too, and how much
 * is not: nothing hides behind a long beginning.
 */
export function askedLine(text: string): string {
  const line = oneLine(text, Infinity);
  const hidden = line.length - ASKED_LENGTH;
  if (hidden <= 0) return line;
  const start = line.slice(0, ASKED_LENGTH - ASKED_END);
  return `${start} … ${hidden} characters are not shown … ${line.slice(-ASKED_END)}`;
}
