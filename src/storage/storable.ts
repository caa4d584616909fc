import { isPlainObject } from '../platform/json.js';

/** NUL and half of a surrogate pair: no column holds them, of text or of JSON that is looked into. */
const unstorable = /[\0\p{Cs}]/u;
const everyUnstorable = /[\0\p{Cs}]/gu;

export function isStorable(text: string): boolean {
  return !unstorable.test(text);
}

/** The text with `�` for every character that cannot be stored. */
export function storableText(text: string): string {
  return text.replaceAll(everyUnstorable, '\uFFFD');
}

/** A value out of JSON, its texts and keys made storable. It recurses: for what the body's limits passed. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storableJson(item)]),
  );
}
