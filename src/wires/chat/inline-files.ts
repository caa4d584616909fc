import type { BlobStore, ReceivedFile } from '../../attachments/face.js';
import { isBase64 } from '../../platform/face.js';

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
    stored.push({ name, ...(await store.put([bytes])) });
  }
  return stored;
}

/** The content of a `data:` URL; undefined for text that is none. Pure. */
export function parseDataUrl(url: string): Buffer | undefined {
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const head = url.slice(0, comma);
  const body = url.slice(comma + 1);
  if (/;base64$/i.test(head)) return parseBase64(body);
  try {
    return Buffer.from(decodeURIComponent(body));
  } catch {
    return undefined;
  }
}

/** What a text in base64 with its padding says; undefined for any other text. Pure. */
export function parseBase64(text: string): Buffer | undefined {
  return text.length % 4 === 0 && isBase64(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Several messages, or parts of one, as one: texts that are not empty are paragraphs. Pure. */
export function joinPieces<File>(pieces: readonly (string | File)[]): {
  text: string;
  files: File[];
} {
  const texts = pieces.filter((piece) => typeof piece === 'string' && piece !== '');
  const files = pieces.filter((piece): piece is File => typeof piece !== 'string');
  return { text: texts.join('\n\n'), files };
}
