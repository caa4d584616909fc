/**
 * The start of a text, at most `limit` characters (UTF-16 units), with `…` in place of the rest. A
 * surrogate pair is never split: PostgreSQL refuses half of a pair.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
