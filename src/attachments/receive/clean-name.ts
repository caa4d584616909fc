import { allowedExtensions, mimeOfPath } from '../check/classify.js';

/** UTF-16 units. */
const MOST_CHARS = 255;
/** A longer last part of a name is no extension. */
const MOST_EXTENSION_CHARS = 20;

/**
 * Control characters, what reorders or hides text, lone surrogates, line separators. The two joiners
 * stay: scripts and emoji need them, and they move nothing.
 */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

/**
 * A file's name as it may be shown and told to a model: the last part of a path, of any system.
 *
 * @param declaredType names the file where no name is left: `file.pdf`, or `file`.
 */
export function cleanName(sent: string | undefined, declaredType: string): string {
  const visible = (sent ?? '').replace(unsafe, '');
  const last = (visible.split(/[/\\]/).at(-1) ?? '').replace(/^[A-Za-z]:/, '').trim();
  return /^[.\s]*$/.test(last) ? `file${extensionFor(declaredType)}` : shorten(last);
}

function extensionFor(declaredType: string): string {
  const mime = (declaredType.split(';')[0] ?? '').trim().toLowerCase();
  return allowedExtensions.find((extension) => mimeOfPath(`a${extension}`) === mime) ?? '';
}

/** Keeps the extension: it says what the file is. */
function shorten(name: string): string {
  if (name.length <= MOST_CHARS) return name;
  const dot = name.lastIndexOf('.');
  const hasExtension = dot > 0 && name.length - dot <= MOST_EXTENSION_CHARS;
  const extension = hasExtension ? name.slice(dot) : '';
  // Half of a pair that was cut is left out.
  const stem = name.slice(0, MOST_CHARS - extension.length).replace(/\p{Cs}$/u, '');
  return stem + extension;
}
