import type { JsonValue } from '../json.js';

/**
 * Replaces half surrogate pairs by U+FFFD in every string and key of a value: UTF-8 cannot carry
 * them. A value without any comes back as it is.
 */
export function wellFormed<T extends JsonValue>(value: T): T;
export function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (isWellFormed(value)) return value;
  if (Array.isArray(value)) return value.map((item) => wellFormed(item));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
  );
}

function isWellFormed(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

/**
 * The text of bytes that are in an encoding without fault; undefined for others. A byte order mark is dropped.
 *
 * @param isCut whether they are the start of more, and may end within a character.
 */
export function decodeStrictly(
  bytes: Uint8Array,
  { encoding = 'utf-8', keepsMark = false, isCut = false } = {},
): string | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: keepsMark });
  try {
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** Characters that turn the direction of text, and marks of it: what follows is shown in another order than it is. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A foreign text for people without characters that change the order in which it is shown. */
export function withoutDirections(text: string): string {
  return text.replaceAll(directions, '');
}
