import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { TypedError } from '../platform/typed-error.js';
import type { UserPart } from '../provider/model-types.js';
import { refuseAccess } from './check-attachment.js';
import { errorCode, openAttachment } from './open-attachment.js';
import type { AttachmentRef } from './stored-part.js';
import { toContentBlock } from './to-content-block.js';

type Fetched = { bytes: Buffer } | { reason: string };

/**
 * A file of the current turn, as a part of its message.
 *
 * @throws TypedError 400 `ATTACHMENT_FAILURE`, details `{path}`, when the file is gone or is not
 * what the turn was accepted with.
 */
export async function loadAttachment(ref: AttachmentRef): Promise<UserPart> {
  const fetched = await fetchBytes(ref);
  if ('bytes' in fetched) return toContentBlock(ref, fetched.bytes);
  throw new TypedError('ATTACHMENT_FAILURE', {
    status: 400,
    message: `${fetched.reason}. Send the turn again with the file as it is now.`,
    details: { path: ref.path },
  });
}

/**
 * A file of an earlier turn. One that is gone or changed becomes a note to the model: it must not
 * end a conversation that goes on without it.
 */
export async function loadAttachmentOrNote(ref: AttachmentRef): Promise<UserPart> {
  const fetched = await fetchBytes(ref);
  if ('bytes' in fetched) return toContentBlock(ref, fetched.bytes);
  return {
    type: 'text',
    text: `[Attachment "${ref.name}" of this message is no longer available as it was sent: it was moved, deleted or changed.]`,
  };
}

/** The one place where an attachment's bytes are fetched. */
async function fetchBytes(ref: AttachmentRef): Promise<Fetched> {
  const opened = await openAttachment(ref.path);
  if ('reason' in opened) return opened;
  const { handle } = opened;
  try {
    const stats = await handle.stat();
    const bytes =
      stats.isFile() && stats.size === ref.size ? await readExactly(handle, ref.size) : undefined;
    return bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === ref.sha256
      ? { bytes }
      : { reason: `Attachment file changed after the turn was accepted: ${ref.path}` };
  } catch (error) {
    return { reason: refuseAccess(errorCode(error), ref.path) };
  } finally {
    await handle.close();
  }
}

/** The first `size` bytes; undefined when the file ends before. */
async function readExactly(handle: FileHandle, size: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return buffer;
}
