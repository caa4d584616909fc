import { extname } from 'node:path';
import { fileTypeFromBuffer } from 'file-type';
import { cutText } from '../platform/text/cut-text.js';
import type { AttachmentRef } from '../storage/shapes/stored-step.js';
import { maxImageBytes, unnamed } from './file-limits.js';
import type { ReceivedFile } from './blob-store.js';
import { detectUtf16, isTextByte } from './extract/text/decode-text.js';

const imageTooLarge = `Attachment exceeds the model's image size limit (${maxImageBytes} bytes)`;
/** Characters of an extension that an error repeats. */
const MAX_EXTENSION_CHARS = 40;

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
  [
    /zip|x-tar|x-7z|x-rar|x-bzip|x-xz|zstd/,
    'archives are not opened; unpack it and attach its files',
  ],
];

function refuseType(name: string, found: string | undefined): string {
  const hint = advice.find(([pattern]) => found !== undefined && pattern.test(found))?.[1];
  if (hint !== undefined) return `Unsupported attachment type ${found}: ${hint}`;
  const extension = cutText(extensionOf(name), MAX_EXTENSION_CHARS) || '(none)';
  const content = `its content is ${found ?? 'binary'}`;
  if (mimeOfPath(name) !== undefined) {
    return `Unsupported attachment: ${content}, which '${extension}' is not`;
  }
  const allowed = allowedExtensions.join(', ');
  return `Unsupported attachment extension '${extension}': ${content}. Allowed: ${allowed}, and any text`;
}

/** Types that are an alias of an accepted type. */
const sameAs: Readonly<Record<string, string>> = { 'image/apng': 'image/png' };

/** The type of a file by its magic number; undefined for text, and for an unknown type. */
export async function sniffType(start: Uint8Array): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(start);
  return found === undefined ? undefined : (sameAs[found.mime] ?? found.mime);
}

const pdf = Buffer.from('%PDF-');
/** Largest share of control characters in a text's bytes: a log may have some. */
const MAX_CONTROL_SHARE = 0.02;

/**
 * Whether the first bytes of a file are text. Tested before the magic number: a list that begins with
 * `BM` is no bitmap, and UTF-16 is no MP3.
 */
export function isTextLike(start: Uint8Array): boolean {
  // The cut may be in the middle of a UTF-16 character.
  const whole = start.subarray(0, start.length - (start.length % 2));
  if (detectUtf16(whole) !== undefined) return true;
  if (pdf.equals(start.subarray(0, pdf.length))) return false;
  return start.every(isTextByte);
}

/** Whether the first bytes of a file are no text in any known encoding. */
function isBinary(start: Uint8Array): boolean {
  if (isTextLike(start)) return false;
  const controls = start.filter((byte) => !isTextByte(byte)).length;
  return start.includes(0) || controls > start.length * MAX_CONTROL_SHARE;
}

const mimeByExtension = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
} as const;

const imageTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);
const mimeToken = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

/** `office`: a document of which the model gets extracted text. `other`: cannot be shown to a model. */
export type MediaKind = 'image' | 'pdf' | 'text' | 'office' | 'other';

const allowedExtensions: readonly string[] = Object.keys(mimeByExtension);

/** The extension of a path with its dot, in lower case; `''` when it has none. */
export function extensionOf(path: string): string {
  return extname(path).toLowerCase();
}

/** The MIME type of a path by its extension alone; undefined when the extension is not allowed. */
export function mimeOfPath(path: string): string | undefined {
  const extension = extensionOf(path);
  return Object.entries(mimeByExtension).find(([known]) => known === extension)?.[1];
}

/** The first extension of a MIME type, with its dot; `''` for a type that is not allowed. */
function extensionFor(mimeType: string): string {
  return Object.entries(mimeByExtension).find(([, known]) => known === mimeType)?.[0] ?? '';
}

export function mediaKind(mimeType: string): MediaKind {
  if (imageTypes.has(mimeType)) return 'image';
  if (mimeType === 'application/pdf') return 'pdf';
  if (mimeType.startsWith('application/vnd.openxmlformats-officedocument.')) return 'office';
  return mimeType.startsWith('text/') ? 'text' : 'other';
}

/**
 * The effective MIME type: the declared type, normalised (`Text/CSV; charset=x` is `text/csv`). The
 * extension decides where the declared type is too vague: no `type/subtype`, octet-stream, or an image
 * type that no model takes. Any other valid declared type wins, even over an image's extension.
 */
export function effectiveMime(declared: string, path: string): string {
  const mime = (declared.split(';')[0] ?? '').trim().toLowerCase();
  const isVague =
    !mimeToken.test(mime) ||
    mime === 'application/octet-stream' ||
    (mime.startsWith('image/') && !imageTypes.has(mime));
  return isVague ? (mimeOfPath(path) ?? (mime || 'application/octet-stream')) : mime;
}
