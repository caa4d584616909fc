import { extname } from 'node:path';

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

export const allowedExtensions: readonly string[] = Object.keys(mimeByExtension);

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
export function extensionFor(mimeType: string): string {
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
