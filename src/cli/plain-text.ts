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
