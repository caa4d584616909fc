import { checkName, maxImageBytes } from './check-attachment.js';
import { extensionOf, mediaKind } from './classify.js';
import type { ReceivedFile } from './received-file.js';
import { isTextLike, refuseMismatch, sniffType } from './sniff-type.js';
import type { AttachmentRef } from '../show/stored-part.js';

const imageTooLarge = `Attachment exceeds the model's image size limit (${maxImageBytes} bytes)`;

export type Judgement = { file: AttachmentRef } | { reason: string };

/**
 * Whether a file is taken: of a kind that is, with the content its first bytes say. What the sender says
 * of its type is not asked. Nothing is read further: what only its content tells, such as whether a
 * document is whole, is found out where it is read, on a worker.
 */
export async function judgeFile(received: ReceivedFile): Promise<Judgement> {
  const { name, sha256, size } = received;
  const typed = await typeOf(received);
  if ('reason' in typed) return typed;
  const { mimeType } = typed;
  const file = { name, mimeType, size, sha256 };
  if (size <= maxImageBytes || mediaKind(mimeType) !== 'image') return { file };
  // It is made smaller later, if it is an image at all.
  return (await sniffType(received.start)) === undefined ? { reason: imageTooLarge } : { file };
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
