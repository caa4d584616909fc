/**
 * Whether a text is base64 of the standard alphabet, with padding or without. Takes texts of any
 * length: a single expression would backtrack over each character, and fails on some ten million.
 */
export function isBase64(text: string): boolean {
  const end = text.indexOf('=');
  const padding = end < 0 ? '' : text.slice(end);
  if (padding.length > 2 || /[^=]/.test(padding)) return false;
  return !/[^A-Za-z0-9+/]/.test(end < 0 ? text : text.slice(0, end));
}
