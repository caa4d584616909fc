import { isAbsolute } from 'node:path';
import { cutText } from '../../governance/limits/cut-text.js';
import { allowedExtensions, extensionOf, mimeOfPath } from './classify.js';

const MiB = 1024 * 1024;

/** What a turn may bring; each limit is inclusive. */
export interface AttachmentLimits {
  files: number;
  /** Bytes of one file. */
  fileBytes: number;
  /** Bytes of all accepted files of a turn. */
  turnBytes: number;
}

/** Of turns of the harness. */
export const harnessLimits: AttachmentLimits = {
  files: 20,
  fileBytes: 10 * MiB,
  turnBytes: 18 * MiB,
};

/** Of turns of named agents: what the model does not take as it is, it is shown as text. */
export const agentLimits: AttachmentLimits = {
  files: 10,
  fileBytes: 50 * MiB,
  turnBytes: 100 * MiB,
};

/** Bytes; what the model takes at most for one image. */
export const maxImageBytes = 5 * MiB;
/** Pixels of the longer side of an image that the model takes. */
export const maxImageSide = 8_000;

/** Characters of a path that an answer repeats, and of an extension. */
const longestPath = 200;
const longestExtension = 40;

/** The end of a path: the file's name is there. */
export function shownPath(path: string): string {
  if (path.length <= longestPath) return path;
  return `…${path.slice(1 - longestPath).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

const notRegular = 'Attachment path must reference a regular file';

/** The checks that need the path only: absolute, then the extension. */
export function checkPath(path: string): { mimeType: string } | { reason: string } {
  if (!isAbsolute(path)) return { reason: 'Attachment path must be absolute' };
  return checkName(path);
}

export function checkName(name: string): { mimeType: string } | { reason: string } {
  const mimeType = mimeOfPath(name);
  if (mimeType !== undefined) return { mimeType };
  const extension = cutText(extensionOf(name), longestExtension) || '(none)';
  return {
    reason: `Unsupported attachment extension '${extension}'. Allowed: ${allowedExtensions.join(', ')}`,
  };
}

/** The reason for a file that could not be opened or read, by the system's error code. */
export function refuseAccess(code: string | undefined, named: string): string {
  const path = shownPath(named);
  if (code === 'ENOENT') return `Attachment file not found: ${path}`;
  if (code === 'EACCES' || code === 'EPERM') return `Attachment file not readable: ${path}`;
  // What opening a socket gives, on Linux and on macOS: it is there, and it is no file.
  if (code === 'ENXIO' || code === 'EOPNOTSUPP') return notRegular;
  return `Attachment file not accessible: ${path}`;
}

export const symlinkRefused = `${notRegular} (symbolic links are rejected)`;

export const outsideRefused =
  "Attachment path must lie inside the session's project root or a folder of TURNPIKE_ATTACHMENT_ROOTS; send other files to POST /api/harness/attachments";

/** A reason, or undefined. */
export function refuseKind(file: { isFile(): boolean }): string | undefined {
  return file.isFile() ? undefined : notRegular;
}

/**
 * Whether a file is small enough, alone and beside what the turn has accepted. A reason, or
 * undefined.
 */
export function refuseSize(
  size: number,
  accepted: { files: number; bytes: number },
  limits: AttachmentLimits,
): string | undefined {
  if (size > limits.fileBytes) {
    return `Attachment exceeds per-file size limit (${limits.fileBytes} bytes)`;
  }
  if (accepted.bytes + size > limits.turnBytes) {
    return `Attachment exceeds per-turn size budget (${limits.turnBytes} bytes total)`;
  }
  return accepted.files >= limits.files ? refuseCount(limits) : undefined;
}

/** @param more files after this one that are refused for the same. */
export function refuseCount({ files }: AttachmentLimits, more = 0): string {
  const others = more > 0 ? `, and so do ${more} more after it` : '';
  return `Attachment exceeds per-turn limit of ${files} files${others}`;
}
