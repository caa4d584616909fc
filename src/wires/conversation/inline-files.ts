import type { BlobStore, ReceivedFile } from '../../attachments/blob-store.js';
import { isBase64 } from '../../platform/text/is-base64.js';

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

export interface DataUrl {
  bytes: Buffer;
}

/** The content of a `data:` URL; undefined for text that is none. Pure. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const head = url.slice(0, comma);
  const body = url.slice(comma + 1);
  if (/;base64$/i.test(head)) return parseBase64(body);
  try {
    return { bytes: Buffer.from(decodeURIComponent(body)) };
  } catch {
    return undefined;
  }
}

function parseBase64(text: string): DataUrl | undefined {
  if (text.length % 4 !== 0 || !isBase64(text)) return undefined;
  return { bytes: Buffer.from(text, 'base64') };
}
