import { isPlainObject } from '../platform/json.js';

/**
 * NUL and unpaired surrogates: PostgreSQL stores them neither as text nor in JSON that it parses.
 */
const unstorable = /[\0\p{Cs}]/u;
const everyUnstorable = /[\0\p{Cs}]/gu;

export function isStorable(text: string): boolean {
  return !unstorable.test(text);
}

/** The text with `�` for each character that cannot be stored. */
export function storableText(text: string): string {
  return text.replaceAll(everyUnstorable, '\uFFFD');
}

/**
 * A JSON value with storable texts and keys. Recursive: the value's depth must be limited, as that
 * of request bodies is.
 */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storableJson(item)]),
  );
}
