import type { BlobStore } from '../../attachments/blob-store.js';
import type { ReceivedFile } from '../../attachments/received-file.js';

/** A file whose bytes came in a message. */
export interface InlineFile {
  /** As `cleanName` made it. */
  name: string;
  bytes: Buffer;
}

/** A file of a message: its bytes, or the id of one that the server has. */
export type WireFile = InlineFile | { id: string };

export async function storeInlineFiles(
  store: Pick<BlobStore, 'put'>,
  files: readonly InlineFile[],
): Promise<ReceivedFile[]> {
  const stored: ReceivedFile[] = [];
  for (const { name, bytes } of files) {
    stored.push({ name, ...(await store.put(inOnePiece(bytes))) });
  }
  return stored;
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
