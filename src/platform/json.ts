export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A plain object: not null, not an array, not a class instance. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Whether the JSON text of a value is longer than `most` characters. Stops at that length, and counts
 * an escaped character as one.
 */
export function isLongJson(value: unknown, most: number): boolean {
  let left = most;
  // Counted for quotes and commas; numbers and empty lists take at least as much.
  const scalarChars = 2;
  const visit = (item: unknown): void => {
    left -= typeof item === 'string' ? item.length + scalarChars : scalarChars;
    if (left < 0 || typeof item !== 'object' || item === null) return;
    for (const [key, inner] of Object.entries(item)) {
      if (!Array.isArray(item)) left -= key.length + scalarChars;
      if (left < 0) return;
      visit(inner);
    }
  };
  visit(value);
  return left < 0;
}

/** JSON with the keys of every object sorted: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isPlainObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** Whether two values have the same canonical JSON. Plain values that are equal, as most are, are not made text. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isSameValue(a, b) || canonicalJson(a) === canonicalJson(b);
}

function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    // Unlike `every` it visits what is missing, which is `null` in JSON.
    const other = a.findIndex((item, index) => !isSameValue(item, b[index]));
    return a.length === b.length && other === -1;
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]))
  );
}
