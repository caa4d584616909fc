import { assertNever } from '../../platform/assert-never.js';
import type { UserPart } from '../../provider/model-types.js';
import { effectiveMime, mediaKind } from '../check/classify.js';
import type { AttachmentRef } from '../../storage/shapes/stored-part.js';

/**
 * The content block of a file for the model. An empty file becomes a note: providers refuse a block
 * without content, and the block would come back with every later turn of the session.
 */
export function toContentBlock(file: AttachmentRef, bytes: Buffer): UserPart {
  const mimeType = effectiveMime(file.mimeType, file.path ?? file.name);
  if (bytes.length === 0) return emptyNote(file);
  const kind = mediaKind(mimeType);
  switch (kind) {
    case 'image':
      return { type: 'image', mediaType: mimeType, base64: bytes.toString('base64') };
    case 'pdf':
      return { type: 'pdf', title: file.name, base64: bytes.toString('base64') };
    case 'text': {
      // Bytes that are not UTF-8 become U+FFFD; a byte order mark is dropped.
      const text = new TextDecoder('utf-8').decode(bytes);
      return text.trim() === '' ? emptyNote(file) : { type: 'document', title: file.name, text };
    }
    case 'office':
    case 'other':
      return { type: 'text', text: unmapped(file, mimeType) };
    default:
      return assertNever(kind);
  }
}

function unmapped({ name, path }: AttachmentRef, mimeType: string): string {
  const where = path === undefined ? '' : ` is available locally at ${path}, but`;
  return `[Attachment "${name}" (${mimeType})${where === '' ? ':' : where} its type cannot be shown here.]`;
}

export function emptyNote(file: AttachmentRef): UserPart {
  return { type: 'text', text: `[Attachment "${file.name}" is empty.]` };
}
