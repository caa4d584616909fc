/** Characters of one text that the model is shown; about 100,000 tokens. */
export const maxTextChars = 400_000;

/** Text in UTF-8, without a byte order mark; undefined when it is in another encoding, or has NULs. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Latin letters in UTF-16 are valid UTF-8 as well: letters and NULs.
    return text.includes('\0') ? undefined : text;
  } catch {
    // A decoder throws only for bytes that are not UTF-8.
    return undefined;
  }
}
