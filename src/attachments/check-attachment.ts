import { isAbsolute } from 'node:path';
import { allowedExtensions, extensionOf, mediaKind, mimeOfPath } from './classify.js';

/** Bytes; a file of exactly this size is accepted. */
export const maxFileBytes = 10 * 1024 * 1024;
/** Bytes of all accepted files of a turn; exactly this sum is accepted. */
export const maxTurnBytes = 18 * 1024 * 1024;
/** Bytes; what the model takes at most for one image, inclusive. */
export const maxImageBytes = 5 * 1024 * 1024;

const notRegular = 'Attachment path must reference a regular file';

/** The checks that need the path only: absolute, then the extension. */
export function checkPath(path: string): { mimeType: string } | { reason: string } {
  if (!isAbsolute(path)) return { reason: 'Attachment path must be absolute' };
  const mimeType = mimeOfPath(path);
  if (mimeType !== undefined) return { mimeType };
  const extension = extensionOf(path) || '(none)';
  return {
    reason: `Unsupported attachment extension '${extension}'. Allowed: ${allowedExtensions.join(', ')}`,
  };
}

/** The reason for a file that could not be opened or read, by the system's error code. */
export function refuseAccess(code: string | undefined, path: string): string {
  if (code === 'ENOENT') return `Attachment file not found: ${path}`;
  if (code === 'EACCES' || code === 'EPERM') return `Attachment file not readable: ${path}`;
  // What opening a socket gives, on Linux and on macOS: it is there, and it is no file.
  if (code === 'ENXIO' || code === 'EOPNOTSUPP') return notRegular;
  return `Attachment file not accessible: ${path}`;
}

export const symlinkRefused = `${notRegular} (symbolic links are rejected)`;

/** The checks of an open file: regular, then its size. A reason, or undefined. */
export function refuseFile(
  file: { isFile(): boolean; size: number },
  mimeType: string,
): string | undefined {
  if (!file.isFile()) return notRegular;
  if (file.size > maxFileBytes) {
    return `Attachment exceeds per-file size limit (${maxFileBytes} bytes)`;
  }
  if (mediaKind(mimeType) === 'image' && file.size > maxImageBytes) {
    return `Attachment exceeds the model's image size limit (${maxImageBytes} bytes)`;
  }
  return undefined;
}

/** Whether a file still fits beside what the turn has accepted. A reason, or undefined. */
export function refuseBudget(acceptedBytes: number, size: number): string | undefined {
  return acceptedBytes + size > maxTurnBytes
    ? `Attachment exceeds per-turn size budget (${maxTurnBytes} bytes total)`
    : undefined;
}
