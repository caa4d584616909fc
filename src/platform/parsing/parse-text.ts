import { CST, isMap, isScalar, isSeq, LineCounter, parseDocument, Parser } from 'yaml';
import type { Fault } from './parse-value.js';

/** The value of a text, and the line of each of its fields. */
export interface TextValue {
  value: unknown;
  /** The line of a field or of its closest parent, from 1. Aliases are not followed. */
  lineOf(path: Fault['path']): number;
}

/** A text without a value: no YAML, or no JSON. */
export interface TextFault {
  /** From 1; absent where the parser does not say. */
  line?: number;
  message: string;
}

type ParsedText = TextValue | { fault: TextFault };

/** Levels of lists and maps inside of each other at most. The code that makes values of a text is recursive. */
const MAX_LEVELS = 100;

const tooDeep = { fault: { line: 1, message: `it has more than ${MAX_LEVELS} levels` } };

/** Parses YAML, and so JSON. Its value is a tree: an alias inside of its own anchor is a fault. */
export function parseYaml(text: string): ParsedText {
  if (isTooDeep(text)) return tooDeep;
  const { document, counter } = readDocument(text);
  const [error] = document.errors;
  if (error) {
    const { line } = counter.linePos(error.pos[0]);
    return { fault: { line, message: error.message } };
  }
  try {
    const value: unknown = document.toJS();
    JSON.stringify(value);
    return { value, lineOf: linesIn(document.contents, counter) };
  } catch (error) {
    const [message = ''] = String(error).split('\n');
    return { fault: { line: 1, message } };
  }
}

/** Parses JSON. A fault never quotes the text, which may have credentials. */
export function parseJson(text: string): ParsedText {
  if (isTooDeep(text)) return tooDeep;
  let lineOf: TextValue['lineOf'] | undefined;
  try {
    const value: unknown = JSON.parse(text);
    // Only faults need lines.
    return { value, lineOf: (path) => (lineOf ??= linesOf(text))(path) };
  } catch (error) {
    const [, offset] = / in JSON at position (\d+)/.exec(String(error)) ?? [];
    const { document, counter } = readDocument(text);
    const at = offset === undefined ? document.errors[0]?.pos[0] : Number(offset);
    const line = at === undefined ? {} : { line: counter.linePos(at).line };
    return { fault: { ...line, message: 'it is no JSON; check its commas, quotes and brackets' } };
  }
}

/**
 * Whether a text has more levels than may be. Near the end of the stack the engine aborts the process where it
 * compiles a regular expression: the error of a full stack cannot be waited for.
 */
function isTooDeep(text: string): boolean {
  let level: CST.Token[] = [...new Parser().parse(text)];
  for (let levels = 0; level.length > 0; levels += 1) {
    // A document is around the first one.
    if (levels > MAX_LEVELS + 1) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

function partsOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items
    .flatMap(({ key, value }) => [key, value])
    .filter((part) => part !== undefined && part !== null);
}

function linesOf(text: string): TextValue['lineOf'] {
  const { document, counter } = readDocument(text);
  return linesIn(document.contents, counter);
}

function readDocument(text: string) {
  const counter = new LineCounter();
  const options = { logLevel: 'silent', prettyErrors: false, lineCounter: counter } as const;
  return { document: parseDocument(text, options), counter };
}

const linesIn =
  (contents: unknown, counter: LineCounter): TextValue['lineOf'] =>
  (path) => {
    let line = 1;
    let node = contents;
    for (const key of path) {
      const found = entryOf(node, String(key));
      if (found === undefined) break;
      line = counter.linePos(found.offset).line;
      node = found.value;
    }
    return line;
  };

/** The value under a key or an index, and where its entry begins. */
function entryOf(node: unknown, key: string): { offset: number; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
    return pair && isScalar(pair.key) ? at(pair.key, pair.value) : undefined;
  }
  return isSeq(node) ? at(node.items[Number(key)]) : undefined;
}

function at(node: unknown, value = node): { offset: number; value: unknown } | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  const { range } = node;
  return Array.isArray(range) && typeof range[0] === 'number'
    ? { offset: range[0], value }
    : undefined;
}
