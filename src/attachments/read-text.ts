/** Characters of one text that the model is shown; about 100,000 tokens. */
export const maxTextChars = 400_000;

/** Text in UTF-8, without a byte order mark; undefined when it is in another encoding. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The only thing a decoder throws for: bytes that are not UTF-8.
    return undefined;
  }
}
