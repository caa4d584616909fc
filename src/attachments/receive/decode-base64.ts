/** Characters that are decoded together, about. */
const BATCH_CHARS = 64 * 1024;

const wholeGroups = /^[A-Za-z0-9+/]*$/;
const lastGroups = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes a base64 text that comes in pieces. Strict: the standard alphabet, no white space, padded to
 * a multiple of four.
 *
 * @param refuse makes the error for any other text.
 */
export async function* decodeBase64(
  texts: AsyncIterable<string> | Iterable<string>,
  refuse: () => Error,
): AsyncGenerator<Buffer> {
  let text = '';
  for await (const more of texts) {
    text += more;
    if (text.length < BATCH_CHARS) continue;
    // The last group stays for the next round: only the end may have padding.
    const end = text.length - (text.length % 4 || 4);
    yield decode(text.slice(0, end), wholeGroups, refuse);
    text = text.slice(end);
  }
  if (text !== '') yield decode(text, lastGroups, refuse);
}

function decode(text: string, form: RegExp, refuse: () => Error): Buffer {
  if (text.length % 4 !== 0 || !form.test(text)) throw refuse();
  return Buffer.from(text, 'base64');
}
