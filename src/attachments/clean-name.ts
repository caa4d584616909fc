/** UTF-16 units of a name at most. */
const MOST_CHARS = 255;
/** UTF-16 units of an extension, with its dot; a longer last part is none. */
const MOST_EXTENSION_CHARS = 20;

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
  if (name.length <= MOST_CHARS) return name;
  const dot = name.lastIndexOf('.');
  const hasExtension = dot > 0 && name.length - dot <= MOST_EXTENSION_CHARS;
  const extension = hasExtension ? name.slice(dot) : '';
  // A surrogate pair that was cut in half is left out.
  const stem = name.slice(0, MOST_CHARS - extension.length).replace(/\p{Cs}$/u, '');
  return stem + extension;
}
