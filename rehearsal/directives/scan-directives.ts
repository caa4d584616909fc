import { isPlainObject, type JsonObject } from '../../src/platform/json.js';
import { refuse } from '../http/wire-error.js';
import { parseJson } from '../../src/platform/exact-json.js';

/** A directive as written: `[[name=value key=value {json}]]`. */
export interface RawDirective {
  name: string;
  value: string | undefined;
  /** The `key=value` pairs after the head. */
  pairs: ReadonlyMap<string, string>;
  json: JsonObject | undefined;
  /** The directive's text, for error messages. */
  source: string;
}

// `[[word=`, `[[word]]` and `[[word key=` are directives; `[[Some Page]]` and `[[see also]]` are not.
const headPattern = /\[\[([a-z]+)(?==|\]\]|\s+[a-z]+=)/g;
const valuePattern = /=([^\s[\]{}=]+)/y;
const objectPattern = /=(?=\{)/y;
const pairPattern = /\s+([a-z]+)=([^\s[\]{}=]+)/y;
const endPattern = /\s*\]\]/y;
const longestShown = 80;

/**
 * Finds the directives of a text, in order. JSON in a directive may have any bracket or brace.
 *
 * @throws a 400 that quotes a malformed directive
 */
export function scanDirectives(text: string): RawDirective[] {
  const found: RawDirective[] = [];
  const heads = new RegExp(headPattern);
  for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
    const { directive, end } = scanDirective(text, head);
    found.push(directive);
    heads.lastIndex = end;
  }
  return found;
}

function scanDirective(
  text: string,
  head: RegExpExecArray,
): { directive: RawDirective; end: number } {
  const name = head[1] ?? '';
  let at = head.index + head[0].length;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };

  const value = take(valuePattern)?.[1];
  if (value === undefined && name === 'output') take(objectPattern);
  const pairs = new Map<string, string>();
  let json: JsonObject | undefined;
  while (take(endPattern) === null) {
    const pair = take(pairPattern);
    const brace = text.slice(at).search(/\S/) + at;
    if (pair) {
      pairs.set(pair[1] ?? '', pair[2] ?? '');
    } else if (json === undefined && text[brace] === '{') {
      at = closingBrace(text, brace);
      json = parseObject(text.slice(brace, at), head);
    } else {
      throw malformed(text, head.index, at);
    }
  }
  const source = text.slice(head.index, at);
  return { directive: { name, value, pairs, json, source }, end: at };
}

/** The index after the brace that closes the one at `open`; the text's length if none does. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = open; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') {
      quoted = true;
    } else if (char === '{') {
      depth += 1;
    } else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

function parseObject(source: string, head: RegExpExecArray): JsonObject {
  try {
    const value = parseJson(source);
    if (isPlainObject(value)) return value as JsonObject;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refuseDirective(
      `Directive ${head[0]}: its JSON cannot be read (${reason}). Write [[tool=NAME {…}]].`,
    );
  }
  throw refuseDirective(`Directive ${head[0]}: its JSON must be an object.`);
}

function malformed(text: string, start: number, stopped: number): Error {
  const shown = text.slice(start, Math.min(start + longestShown, Math.max(stopped + 20, start)));
  return refuseDirective(
    `Directive ${JSON.stringify(shown)} cannot be read: write [[name=value key=value {json}]].`,
  );
}

/** The 400 for a malformed directive. */
export function refuseDirective(message: string): Error {
  return refuse('directive', message);
}
