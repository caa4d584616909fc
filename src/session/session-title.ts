/** Characters of a title, as people count them. */
const MAX_CHARS = 80;

const characters = new Intl.Segmenter();

/**
 * Makes a title of a session's first message: its beginning, on one line; undefined where the message
 * has no text. Pure.
 *
 * @param request the head of the first turn's request as it is stored: JSON that may be cut anywhere.
 */
export function sessionTitle(request: string | null): string | undefined {
  const [, written = ''] = /^\{\s*"message"\s*:\s*"((?:[^"\\]|\\.)*)/s.exec(request ?? '') ?? [];
  // A cut may leave half an escape, which is dropped; after an escaped backslash it is text.
  const message = parseText(written.replace(/(?<=^|[^\\])((?:\\\\)*)\\u[\da-fA-F]{0,3}$/, '$1'));
  const line = message.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line === '') return undefined;
  const cut = Array.from(characters.segment(line), ({ segment }) => segment);
  if (cut.length <= MAX_CHARS) return line;
  const kept = cut.slice(0, MAX_CHARS - 1).join('');
  return `${kept.trimEnd()}…`;
}

function parseText(written: string): string {
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return '';
  }
}
