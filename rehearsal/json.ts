export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

declare global {
  /** Members that every supported Node has, and that the compiler's library lacks. */
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** A plain object: not null, not an array, not a class instance. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Parses JSON, with numbers that JavaScript would print otherwise (2512292042121000001, 1e400, 1.0) as raw JSON,
 * which `JSON.stringify` prints as it came.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined) return value;
    return String(value) === source ? value : JSON.rawJSON(source);
  });
}

/** Levels of lists and objects inside of each other at most: code that walks a value is recursive. */
const MAX_LEVELS = 500;

/** Whether JSON has more than 500 levels. Time is linear; text that is not JSON is counted as far as it looks like it. */
export function isDeepJson(text: string): boolean {
  if (text.length <= MAX_LEVELS) return false;
  const mark = /["[\]{}]/g;
  let level = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [one] = found;
    if (one === '"') mark.lastIndex = endOfString(text, found.index);
    else if (one === '[' || one === '{') level += 1;
    else level -= 1;
    if (level > MAX_LEVELS) return true;
  }
  return false;
}

/** The index behind a string of JSON that begins at `from`. */
function endOfString(text: string, from: number): number {
  const end = /["\\]/g;
  end.lastIndex = from + 1;
  for (let found = end.exec(text); found !== null; found = end.exec(text)) {
    if (found[0] === '"') return found.index + 1;
    end.lastIndex = found.index + 2;
  }
  return text.length;
}
