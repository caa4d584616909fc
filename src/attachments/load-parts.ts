import type { UserPart } from '../provider/model-types.js';
import type { AttachmentRef, StoredPart } from './stored-part.js';

/** What a user said, with the bytes of its files. */
export function loadParts(
  parts: readonly StoredPart[],
  load: (file: AttachmentRef) => Promise<UserPart>,
): Promise<UserPart[]> {
  return Promise.all(
    parts.map(async (part) => (part.type === 'text' ? part : await load(part.file))),
  );
}
