import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { checkPath, refuseAccess, refuseBudget, refuseFile } from './check-attachment.js';
import { errorCode, openAttachment } from './open-attachment.js';
import { refuseMismatch, SNIFF_BYTES } from './sniff-type.js';
import type { AttachmentRef } from './stored-part.js';

export interface AttachmentError {
  path: string;
  reason: string;
}

export interface ResolvedAttachments {
  /** Accepted, in input order. */
  files: AttachmentRef[];
  /** Refused, in input order. */
  errors: AttachmentError[];
}

/**
 * Checks and hashes the files of a turn, one after the other: a file that no longer fits the turn's
 * budget is refused on its own, and smaller ones after it may still fit. Never throws for a file.
 */
export async function resolveAttachments(paths: readonly string[]): Promise<ResolvedAttachments> {
  const files: AttachmentRef[] = [];
  const errors: AttachmentError[] = [];
  let acceptedBytes = 0;
  for (const path of paths) {
    const outcome = await resolveOne(path, acceptedBytes);
    if ('reason' in outcome) {
      errors.push({ path, reason: outcome.reason });
    } else {
      files.push(outcome.file);
      acceptedBytes += outcome.file.size;
    }
  }
  return { files, errors };
}

type Outcome = { file: AttachmentRef } | { reason: string };

async function resolveOne(path: string, acceptedBytes: number): Promise<Outcome> {
  const checked = checkPath(path);
  if ('reason' in checked) return checked;
  const { mimeType } = checked;
  const opened = await openAttachment(path);
  if ('reason' in opened) return opened;
  const { handle } = opened;
  try {
    const stats = await handle.stat();
    const { size } = stats;
    const reason = refuseFile(stats, mimeType) ?? refuseBudget(acceptedBytes, size);
    if (reason !== undefined) return { reason };
    const read = await hash(handle, size);
    if (read === undefined) return { reason: `Attachment file changed while it was read: ${path}` };
    const mismatch = await refuseMismatch(read.start, mimeType);
    if (mismatch !== undefined) return { reason: mismatch };
    const { sha256 } = read;
    return { file: { name: basename(path), path, mimeType, size, sha256 } };
  } catch (error) {
    return { reason: refuseAccess(errorCode(error), path) };
  } finally {
    await handle.close();
  }
}

/**
 * SHA-256 of the whole file, with its beginning; undefined when it is not (or no longer) `size`
 * bytes long.
 */
async function hash(
  handle: FileHandle,
  size: number,
): Promise<{ sha256: string; start: Buffer } | undefined> {
  const digest = createHash('sha256');
  let bytes = 0;
  let start = Buffer.alloc(0);
  // One byte past the end shows growth; a file that grows without end is not followed.
  const stream = handle.createReadStream({ start: 0, end: size, autoClose: false });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    digest.update(chunk);
    if (bytes < SNIFF_BYTES) start = Buffer.concat([start, chunk]).subarray(0, SNIFF_BYTES);
    bytes += chunk.length;
  }
  return bytes === size ? { sha256: digest.digest('hex'), start } : undefined;
}
