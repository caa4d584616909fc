/** Passes a content through. @throws what `refuse` makes, as soon as it is over `maxBytes`. */
export async function* limitBytes(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refuse: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw refuse();
    yield chunk;
  }
}
