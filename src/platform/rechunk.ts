/**
 * Cuts bytes anew into pieces of exactly `pieceBytes`, the last one shorter. Each piece is a copy, which
 * the caller may keep.
 */
export async function* rechunk(
  content: AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let filled = 0;
  for await (const chunk of content) {
    for (let taken = 0; taken < chunk.length;) {
      const part = chunk.subarray(taken, taken + pieceBytes - filled);
      piece.set(part, filled);
      filled += part.length;
      taken += part.length;
      if (filled < pieceBytes) continue;
      yield piece;
      piece = Buffer.allocUnsafe(pieceBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
