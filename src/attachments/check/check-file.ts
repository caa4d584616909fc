import { cutText } from '../../platform/text/cut-text.js';
import type { AttachmentRef } from '../../storage/shapes/stored-part.js';
import { maxImageBytes } from '../check-attachment.js';
import { unnamed } from '../clean-name.js';
import type { ReceivedFile } from '../received-file.js';
import { allowedExtensions, extensionFor, extensionOf, mediaKind, mimeOfPath } from './classify.js';
import { isBinary, isTextLike, sniffType } from './sniff-type.js';

const imageTooLarge = `Attachment exceeds the model's image size limit (${maxImageBytes} bytes)`;
/** Characters of an extension that an error repeats. */
const longestExtension = 40;

export type FileCheck = { file: AttachmentRef } | { reason: string };

/**
 * Decides whether a file is accepted, by its first bytes; its name counts where they do not tell, and the type
 * that the sender declared never does. Faults further inside, as of a damaged document, are found when a worker
 * extracts it.
 */
export async function checkFile(received: ReceivedFile): Promise<FileCheck> {
  const { sha256, size, start } = received;
  const found = isTextLike(start) ? undefined : await sniffType(start);
  const mimeType = chooseType(received, found);
  if (mimeType === undefined) return { reason: refuseType(received.name, found) };
  const name = received.name === unnamed ? unnamed + extensionFor(mimeType) : received.name;
  const file = { name, mimeType, size, sha256 };
  if (size <= maxImageBytes || mediaKind(mimeType) !== 'image') return { file };
  // An image that is too large is scaled down later.
  return found === undefined ? { reason: imageTooLarge } : { file };
}

/** @param found the type by the first bytes; undefined for text and for unknown bytes. */
function chooseType({ name, start }: ReceivedFile, found: string | undefined): string | undefined {
  const named = mimeOfPath(name);
  const kind = named === undefined ? undefined : mediaKind(named);
  if (found !== undefined) {
    // The first bytes of an office document may show only that it is a zip archive.
    if (found === 'application/zip' && kind === 'office') return named;
    return mediaKind(found) === 'other' ? undefined : found;
  }
  if (start.length > 0 && isBinary(start)) {
    // Bytes that nobody knows may be a damaged document; they are never text.
    return kind === 'text' ? undefined : named;
  }
  return kind === 'text' || start.length === 0 ? (named ?? 'text/plain') : 'text/plain';
}

/** Advice to the sender of a file that is refused, by the type of its content. */
const advice: readonly (readonly [RegExp, string])[] = [
  [/^image\//, 'no model takes it: send it as JPEG or PNG'],
  [/x-cfb$/, 'save it as .docx, .xlsx, .pptx or PDF, without a password'],
  [/opendocument|rtf$/, 'save it as .docx, .xlsx, .pptx or PDF'],
  [/zip|x-tar|x-7z|x-rar|x-bzip|x-xz|zstd/, 'send the files in it'],
];

function refuseType(name: string, found: string | undefined): string {
  const hint = advice.find(([pattern]) => found !== undefined && pattern.test(found))?.[1];
  if (hint !== undefined) return `Unsupported attachment type ${found}: ${hint}`;
  const extension = cutText(extensionOf(name), longestExtension) || '(none)';
  const content = `its content is ${found ?? 'binary'}`;
  if (mimeOfPath(name) !== undefined) {
    return `Unsupported attachment: ${content}, which '${extension}' is not`;
  }
  const allowed = allowedExtensions.join(', ');
  return `Unsupported attachment extension '${extension}': ${content}. Allowed: ${allowed}, and any text`;
}
