import { basename, isAbsolute } from 'node:path';
import { errorCode } from '../../platform/error-code.js';
import type { BlobStore } from '../blob-store.js';
import { chunkShare } from '../../http/streams/chunk-share.js';
import { refuseAccess, shownPath } from '../check-attachment.js';
import { openAttachment, type AttachmentFolders } from '../open-attachment.js';
import { cleanName } from '../clean-name.js';
import type { ReceivedFile } from '../received-file.js';

/** Bytes of one read. */
const READ_BYTES = 64 * 1024;

export interface PathRules extends AttachmentFolders {
  store: Pick<BlobStore, 'put'>;
  /** The reason against a file of that many bytes; undefined for none. */
  refuseSize(size: number): string | undefined;
}

/**
 * Loads a file of this machine into the store, checked and read once. A fault of the file is a
 * reason, never an error.
 */
export async function loadPath(
  path: string,
  { store, refuseSize, ...where }: PathRules,
): Promise<{ file: ReceivedFile } | { reason: string }> {
  if (!isAbsolute(path)) return { reason: 'Attachment path must be absolute' };
  const opened = await openAttachment(path, where);
  if ('reason' in opened) return opened;
  const { handle, size } = opened;
  try {
    const reason = refuseSize(size);
    if (reason !== undefined) return { reason };
    // One byte past the end reveals growth; a file that grows without end is not followed.
    const content = handle.createReadStream({
      start: 0,
      end: size,
      autoClose: false,
      highWaterMark: READ_BYTES,
    });
    const stored = await store.put(readable(content, path));
    if (stored.size !== size)
      return { reason: `Attachment file changed while it was read: ${shownPath(path)}` };
    return { file: { ...stored, name: cleanName(basename(path)) } };
  } catch (error) {
    if (error instanceof UnreadableError) return { reason: error.message };
    throw error;
  } finally {
    await handle.close();
  }
}

/** A fault of the file, which becomes a reason; a fault of the store is an error. */
class UnreadableError extends Error {}

async function* readable(content: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content) {
      await chunkShare.next();
      yield chunk;
    }
  } catch (error) {
    throw new UnreadableError(refuseAccess(errorCode(error), path));
  }
}
