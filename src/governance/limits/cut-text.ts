/**
 * The start of a text, at most `limit` characters (UTF-16 units) with the mark `…` of what was cut.
 * A surrogate pair is never split: the database refuses half of one.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
