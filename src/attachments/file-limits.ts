const MiB = 1024 * 1024;

/** Limits of the files of a turn, each inclusive. */
export interface AttachmentLimits {
  files: number;
  /** Bytes of one file. */
  fileBytes: number;
  /** Bytes of all accepted files of a turn. */
  turnBytes: number;
}

/** Limits for turns of the harness. */
export const harnessLimits: AttachmentLimits = {
  files: 20,
  fileBytes: 10 * MiB,
  turnBytes: 18 * MiB,
};

/**
 * Limits for turns of named agents: larger, as files that the model does not take are shown as
 * text.
 */
export const agentLimits: AttachmentLimits = {
  files: 10,
  fileBytes: 50 * MiB,
  turnBytes: 100 * MiB,
};

/** Bytes of an image that the model takes. */
export const maxImageBytes = 5 * MiB;
/** Pixels of the longer side of an image that the model takes. */
export const maxImageSide = 8_000;
/** The same in a request of more than `manyImages`, for each of them. */
export const maxSideOfMany = 2_000;
export const manyImages = 20;

/** Characters of a path that an error repeats. */
const MAX_PATH_CHARS = 200;

/** The end of a long path, which has the file's name. */
export function shownPath(path: string): string {
  if (path.length <= MAX_PATH_CHARS) return path;
  return `…${path.slice(1 - MAX_PATH_CHARS).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

const notRegular = 'Attachment path must reference a regular file';

/** The reason for a file that could not be opened or read, by the system's error code. */
export function refuseAccess(code: string | undefined, named: string): string {
  const path = shownPath(named);
  if (code === 'ENOENT') return refuseMissing(named);
  if (code === 'EACCES' || code === 'EPERM') return `Attachment file not readable: ${path}`;
  // Opening a socket fails so, on Linux and on macOS.
  if (code === 'ENXIO' || code === 'EOPNOTSUPP') return notRegular;
  return `Attachment file not accessible: ${path}`;
}

/** @param near names that are there instead. */
export function refuseMissing(named: string, near: readonly string[] = []): string {
  const names = near.map((name) => JSON.stringify(cleanName(name)));
  const instead = names.length === 0 ? '' : `; there is ${names.join(', ')}`;
  return `Attachment file not found: ${shownPath(named)}${instead}`;
}

export const symlinkRefused = `${notRegular} (symbolic links are rejected)`;

export const outsideRefused =
  "Attachment path must lie inside the session's project root or a folder of TURNPIKE_ATTACHMENT_ROOTS; send other files to POST /api/harness/attachments";

/** The reason against a directory entry that is no regular file; undefined for a file. */
export function refuseKind(file: { isFile(): boolean }): string | undefined {
  return file.isFile() ? undefined : notRegular;
}

/** The reason against a file of more than so many bytes. */
export function refuseFileSize(most: number): string {
  return `Attachment exceeds per-file size limit (${most} bytes)`;
}

/**
 * The reason against a file that is too large, alone or with the turn's accepted files; else
 * undefined.
 */
export function refuseSize(
  size: number,
  accepted: { files: number; bytes: number },
  limits: AttachmentLimits,
): string | undefined {
  if (size > limits.fileBytes) {
    return refuseFileSize(limits.fileBytes);
  }
  if (accepted.bytes + size > limits.turnBytes) {
    return `Attachment exceeds per-turn size budget (${limits.turnBytes} bytes total)`;
  }
  return accepted.files >= limits.files ? refuseCount(limits) : undefined;
}

/** @param more files after this one that are refused for the same reason. */
export function refuseCount({ files }: AttachmentLimits, more = 0): string {
  const others = more > 0 ? `, and so do ${more} more after it` : '';
  return `Attachment exceeds per-turn limit of ${files} files${others}`;
}

/** UTF-16 units of a name at most. */
const MAX_NAME_CHARS = 255;
/** UTF-16 units of an extension, with its dot; a longer last part is none. */
const MAX_EXTENSION_CHARS = 20;

/**
 * Control characters, characters that reorder or hide text, lone surrogates, line separators. The two
 * joiners stay: scripts and emoji need them, and they reorder nothing.
 */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

/** The name of a file that was sent without one, until its type is known. */
export const unnamed = 'file';

/** A file's name that is safe to show to people and models: the last part of a path of any system. */
export function cleanName(sent: string | undefined): string {
  const visible = (sent ?? '').replace(unsafe, '');
  const last = (visible.split(/[/\\]/).at(-1) ?? '').replace(/^[A-Za-z]:/, '').trim();
  return /^[.\s]*$/.test(last) ? unnamed : shorten(last);
}

/** Cuts a long name, and keeps its extension. */
function shorten(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  const dot = name.lastIndexOf('.');
  const hasExtension = dot > 0 && name.length - dot <= MAX_EXTENSION_CHARS;
  const extension = hasExtension ? name.slice(dot) : '';
  // A surrogate pair that was cut in half is left out.
  const stem = name.slice(0, MAX_NAME_CHARS - extension.length).replace(/\p{Cs}$/u, '');
  return stem + extension;
}
