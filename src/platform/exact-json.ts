import { isPlainObject, type JsonObject } from './json.js';

/**
 * JSON of others, with its numbers as they came: of models, of MCP servers and of clients' tools.
 *
 * A number that JavaScript would print otherwise (2512292042121000001, 1e400, -0, 1.0) is kept as an object with one
 * key, its digits as text. Such an object goes through events, columns and logs as any other JSON; `printJson` and
 * `printExact` print it as the number that it was. The key is a code point that Unicode keeps for the inside of
 * programs. JSON that imitates such an object says the same number, and no text can: quotes in it are escaped.
 */
const KEY = '\uFDD0';

const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const wholeNumber = new RegExp(`^${number}$`);
const printedExact = new RegExp(String.raw`\{"${KEY}":"(${number})"\}`, 'g');
const printedInside = new RegExp(String.raw`\{\\"${KEY}\\":\\"(${number})\\"\}`, 'g');
/** Finds numbers that may print otherwise, and texts that look like them. Most JSON has neither. */
const mayDiffer = /(?:^|[[:,])\s*(?:-?\d{16}|-?\d+[.eE]|-0)/;

/** Levels of lists and objects inside of each other at most: code that walks a value is recursive. */
const MAX_LEVELS = 500;

/**
 * Parses JSON as `JSON.parse` does, and keeps numbers exact.
 *
 * @throws SyntaxError, also for more than 500 levels: near the end of the stack the engine aborts the process where it
 *   compiles a regular expression, so that the error of a full stack cannot be waited for.
 */
export function parseJson(text: string): unknown {
  if (isDeepJson(text)) throw new SyntaxError(`it has more than ${MAX_LEVELS} levels`);
  return JSON.parse(mayDiffer.test(text) ? keepExact(text) : text);
}

/** The beginning of a JSON text, with exact numbers for a lenient parser; one at its end may be cut. */
export function exactBeginning(text: string): string {
  if (!mayDiffer.test(text)) return text;
  let cut = text.length;
  while (/[-+.\deE]/.test(text.charAt(cut - 1))) cut -= 1;
  return keepExact(text.slice(0, cut)) + text.slice(cut);
}

/** Prints JSON as `JSON.stringify` does, with exact numbers as they came. */
export function printJson(value: unknown): string {
  return printExact(JSON.stringify(value));
}

/** JSON that was printed without regard to exact numbers, with these as they came. */
export function printExact(json: string): string {
  return json.includes(KEY) ? json.replace(printedExact, '$1') : json;
}

/** As `printExact`, also within texts that are JSON themselves, as arguments of calls are on some wires. */
export function printExactInside(json: string): string {
  if (!json.includes(KEY)) return json;
  return json.replace(printedExact, '$1').replace(printedInside, '$1');
}

/** The value with the nearest JavaScript number for each exact one: for schemas, and for code that counts. */
export function plainNumbers(value: JsonObject): JsonObject;
export function plainNumbers(value: unknown): unknown;
export function plainNumbers(value: unknown): unknown {
  return hasExact(value) ? toPlain(value) : value;
}

function hasExact(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasExact);
  if (!isPlainObject(value)) return false;
  return exactIn(value) !== undefined || Object.values(value).some(hasExact);
}

function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isPlainObject(value)) return value;
  const exact = exactIn(value);
  if (exact !== undefined) return nearest(exact);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}

function nearest(digits: string): number {
  // Infinity is no number of JSON, nor of a schema.
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(digits)));
}

function exactIn(value: Readonly<Record<string, unknown>>): string | undefined {
  const digits = value[KEY];
  const isExact = typeof digits === 'string' && wholeNumber.test(digits);
  return isExact && Object.keys(value).length === 1 ? digits : undefined;
}

/** JSON text with objects in place of the numbers that JavaScript prints otherwise. What is no JSON stays none. */
function keepExact(text: string): string {
  const start = /["\d-]/g;
  const digits = /-?[\d.eE+-]+/y;
  let kept = '';
  let copied = 0;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const { index } = found;
    if (found[0] === '"') {
      start.lastIndex = endOfString(text, index);
      continue;
    }
    digits.lastIndex = index;
    const token = digits.exec(text)?.[0] ?? '';
    start.lastIndex = index + token.length;
    if (!wholeNumber.test(token) || String(Number(token)) === token) continue;
    kept += `${text.slice(copied, index)}{"${KEY}":"${token}"}`;
    copied = start.lastIndex;
  }
  return kept + text.slice(copied);
}

/** Whether JSON has more than 500 levels. Time is linear; what is no JSON is counted as far as it looks like it. */
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

/** The place behind a string of JSON that begins at `from`. */
function endOfString(text: string, from: number): number {
  const end = /["\\]/g;
  end.lastIndex = from + 1;
  for (let found = end.exec(text); found !== null; found = end.exec(text)) {
    if (found[0] === '"') return found.index + 1;
    end.lastIndex = found.index + 2;
  }
  return text.length;
}
