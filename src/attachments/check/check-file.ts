import { checkName, maxImageBytes } from '../check-attachment.js';
import { extensionOf, mediaKind } from './classify.js';
import type { ReceivedFile } from '../received-file.js';
import { isTextLike, refuseMismatch, sniffType } from './sniff-type.js';
import type { AttachmentRef } from '../../storage/shapes/stored-part.js';

const imageTooLarge = `Attachment exceeds the model's image size limit (${maxImageBytes} bytes)`;

export type FileCheck = { file: AttachmentRef } | { reason: string };

/**
 * Decides whether a file is accepted, by its name and its first bytes; the type that the sender declared
 * is ignored. Faults further inside, as of a damaged document, are found when a worker extracts it.
 */
export async function checkFile(received: ReceivedFile): Promise<FileCheck> {
  const { name, sha256, size } = received;
  const typed = await typeOf(received);
  if ('reason' in typed) return typed;
  const { mimeType } = typed;
  const file = { name, mimeType, size, sha256 };
  if (size <= maxImageBytes || mediaKind(mimeType) !== 'image') return { file };
  // An image that is too large is scaled down later.
  return (await sniffType(received.start)) === undefined ? { reason: imageTooLarge } : { file };
}

/** The type by the file's name; by its content where the name has no extension. */
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
