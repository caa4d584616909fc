import type { BlobStore } from './blobs/blob-store.js';
import { checkName, maxImageBytes, maxImageSide } from './check-attachment.js';
import { extensionOf, mediaKind } from './classify.js';
import type { Extractor } from './extract/extractor.js';
import type { ReceivedFile } from './received-file.js';
import { isTextLike, refuseMismatch, sniffType } from './sniff-type.js';
import type { AttachmentRef } from './stored-part.js';

export interface JudgeDeps {
  store: Pick<BlobStore, 'put' | 'get'>;
  extractor: Pick<Extractor, 'fitImage'>;
}

const imageTooLarge = `Attachment exceeds the model's image size limit (${maxImageBytes} bytes)`;

export type Judgement = { file: AttachmentRef } | { reason: string };

/**
 * Whether a file is taken: of a kind that is, with the content its name says. What the sender says of
 * its type is not asked. An image that is too large for the model, or lies on its side, is made fit;
 * whether a document is whole is found out where it is read, on a worker.
 */
export async function judgeFile(deps: JudgeDeps, received: ReceivedFile): Promise<Judgement> {
  const { name, sha256, size } = received;
  const typed = await typeOf(received);
  if ('reason' in typed) return typed;
  const { mimeType } = typed;
  const file = { name, mimeType, size, sha256 };
  if (size === 0) return { file };
  if (mediaKind(mimeType) !== 'image') return { file };
  // Bytes that nobody knows pass, as for every client before: what shows them says what they are.
  if ((await sniffType(received.start)) !== undefined) return fit(deps, file);
  return size > maxImageBytes ? { reason: imageTooLarge } : { file };
}

/** By its name; where that has no extension, by its content. */
async function typeOf(file: ReceivedFile): Promise<{ mimeType: string } | { reason: string }> {
  if (extensionOf(file.name) === '') {
    if (isTextLike(file.start)) return { mimeType: 'text/plain' };
    const found = await sniffType(file.start);
    if (found !== undefined) return checkName(`file.${found.extension}`);
  }
  const named = checkName(file.name);
  if ('reason' in named) return named;
  const mismatch = await refuseMismatch(file.start, named.mimeType);
  return mismatch === undefined ? named : { reason: mismatch };
}

async function fit({ store, extractor }: JudgeDeps, file: AttachmentRef): Promise<Judgement> {
  const load = async (): Promise<Buffer> => {
    const content = await store.get(file.sha256);
    if (content === undefined) throw new Error('A file is gone that was stored a moment ago');
    return content;
  };
  const limits = { maxBytes: maxImageBytes, maxSide: maxImageSide };
  const fitted = await extractor.fitImage(load, limits);
  if (fitted.type === 'refused') return { reason: fitted.reason };
  if (fitted.type === 'fits') return { file };
  const { sha256, size } = await store.put(inOnePiece(fitted.content));
  return { file: { ...file, sha256, size, mimeType: fitted.mimeType, changed: fitted.why } };
}

async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
