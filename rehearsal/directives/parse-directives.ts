import { isDeepJson, isPlainObject, parseExactJson, type JsonObject } from '../json.js';
import { refuse } from '../http/wire-error.js';
import {
  refusalCategories,
  serverTools,
  stopReasons,
  type RefusalCategory,
} from '../reply/reply-plan.js';
import { failureNames, type FailureName } from './named-failures.js';

/** A directive as written: `[[name=value key=value {json}]]`. */
interface RawDirective {
  name: string;
  value: string | undefined;
  /** The `key=value` pairs after the head. */
  pairs: ReadonlyMap<string, string>;
  json: JsonObject | undefined;
  /** The directive's text, for error messages. */
  source: string;
}

// `[[word=`, `[[word]]` and `[[word key=` are directives; `[[Some Page]]` and `[[see also]]` are not.
const headPattern = /\[\[([a-z]+)(?==|\]\]|\s+[a-z]+=)/;
const valuePattern = /=([^\s[\]{}=]+)/y;
const objectPattern = /=(?=\{)/y;
const pairPattern = /\s+([a-z]+)=([^\s[\]{}=]+)/y;
const endPattern = /\s*\]\]/y;
const MAX_SHOWN_CHARS = 80;

/** Bounds of whole numbers. */
type Range = readonly [min: number, max: number];

const deltas: Range = [1, 1_000_000];
const deltasBefore: Range = [0, 1_000_000];
const steps: Range = [1, 10_000];
const waitMs: Range = [0, 3_600_000];
const statuses: Range = [400, 599];

/** How a directive is written. */
interface Form {
  /** Whether a value stands behind the name: always, never, or a word in place of JSON. */
  value: 'needed' | 'none' | 'word';
  /** The keys of its `key=value` pairs. */
  pairs: readonly string[];
  /** Whether it takes an object. */
  json?: true;
}

/** `step` limits a directive to that reply of the turn, from 1; absent: all replies. */
interface AtStep {
  step?: number;
}

const bare: Form = { value: 'none', pairs: ['step'] };
const counted: Form = { value: 'needed', pairs: ['step'] };
const called: Form = { value: 'needed', pairs: ['step'], json: true };
const countOf = (raw: RawDirective) => ({ count: whole(raw, deltas) });
const nothing = () => ({});

/** The directives: how each is written, and what it says. Times are in milliseconds. */
const definitions = [
  /** `count` text deltas, with `gapMs` between them and `firstMs` before the first. */
  define('tokens', { value: 'needed', pairs: ['gap', 'first', 'step'] }, (raw) => ({
    count: whole(raw, deltas),
    gapMs: optionalWhole(raw, waitMs, 'gap') ?? 0,
    firstMs: optionalWhole(raw, waitMs, 'first') ?? 0,
  })),
  /** Calls a tool, by default in the turn's first reply. */
  define('tool', called, (raw) => ({ tool: toolOf(raw, raw.value), input: raw.json ?? {} })),
  /** Calls a tool in each of the turn's first `steps` replies; `$i` in a string is the step. */
  define('loop', { value: 'needed', pairs: ['tool'], json: true }, (raw) => ({
    steps: whole(raw, steps),
    tool: toolOf(raw, raw.pairs.get('tool')),
    input: raw.json ?? {},
  })),
  /** Words of thinking, where the request lets the model think. */
  define('think', counted, countOf),
  /** Words of an update before the next tool: `claude-sonnet-5-5` writes it as thinking. */
  define('update', counted, countOf),
  /** A block of redacted thinking after the thinking. */
  define('redact', bare, nothing),
  define('cite', bare, nothing),
  /** Uses a tool of the API's own, with its result, by default in the turn's first reply. */
  define('server', called, (raw) => ({
    tool: oneOf(raw, 'tool', serverTools),
    input: raw.json ?? {},
  })),
  /** The text of a reply that calls no tool: the JSON of an object, or a word. */
  define('output', { value: 'word', pairs: ['step'], json: true }, (raw) => {
    const text = raw.json === undefined ? raw.value : JSON.stringify(raw.json);
    return { text: text ?? fault(raw, 'write [[output={…}]] or [[output=WORD]].') };
  }),
  /** A reply without content. */
  define('empty', bare, nothing),
  /** Text that ends in half a surrogate pair. */
  define('surrogate', bare, nothing),
  define('stop', { value: 'needed', pairs: ['category', 'step'] }, (raw) => ({
    reason: oneOf(raw, 'reason', stopReasons),
    category: categoryOf(raw),
  })),
  /**
   * A failure. With `times`, only while the SDK's retry count is below it; with `after`, in the
   * stream after so many deltas; `retryAfter` in seconds.
   */
  define('fail', { value: 'needed', pairs: ['times', 'after', 'retry', 'step'] }, (raw) => {
    const times = optionalWhole(raw, steps, 'times');
    const after = optionalWhole(raw, deltasBefore, 'after');
    const retryAfter = optionalWhole(raw, [0, 10_000], 'retry');
    return {
      failure: failureOf(raw),
      ...(times !== undefined && { times }),
      ...(after !== undefined && { after }),
      ...(retryAfter !== undefined && { retryAfter }),
    };
  }),
  /** Ends the connection after so many text deltas. */
  define('drop', { value: 'none', pairs: ['after', 'step'] }, (raw) => ({
    after: optionalWhole(raw, deltasBefore, 'after') ?? 0,
  })),
  /** Silence after the first text delta. */
  define('stall', counted, (raw) => ({ ms: whole(raw, [1, waitMs[1]]) })),
  /** The number of fragments of each call's input. */
  define('args', counted, countOf),
];

function define<Name extends string, Says extends object>(
  name: Name,
  form: Form,
  says: (raw: RawDirective) => Says,
) {
  const parse = (raw: RawDirective): { name: Name } & Says & AtStep => {
    const step = optionalWhole(raw, steps, 'step');
    return { name, ...says(raw), ...(step !== undefined && { step }) };
  };
  return { name, form, parse };
}

/** An instruction to the rehearsal model. */
export type Directive = ReturnType<(typeof definitions)[number]['parse']>;

export const directiveNames = definitions.map(({ name }) => name);

/**
 * Parses the directives of a text, in order.
 *
 * @throws a 400 that names an unknown or malformed directive
 */
export function parseDirectives(text: string): Directive[] {
  const found: Directive[] = [];
  const heads = new RegExp(headPattern, 'g');
  for (let head = heads.exec(text); head !== null; head = heads.exec(text)) {
    const { raw, end } = scanDirective(text, head);
    found.push(toDirective(raw));
    heads.lastIndex = end;
  }
  return found;
}

/** Whether a text has a directive, be it a malformed one. */
export function hasDirective(text: string): boolean {
  return headPattern.test(text);
}

function toDirective(raw: RawDirective): Directive {
  const definition = definitions.find(({ name }) => name === raw.name);
  if (definition === undefined) {
    throw refuseDirective(`Unknown directive ${raw.source}. Known: ${directiveNames.join(', ')}.`);
  }
  const { name, form } = definition;
  const extra = [...raw.pairs.keys()].find((key) => !form.pairs.includes(key));
  if (extra !== undefined) {
    fault(raw, `"${extra}" is not a parameter of it. Allowed: ${form.pairs.join(', ')}.`);
  }
  if (raw.json !== undefined && form.json !== true) {
    fault(raw, 'only tool, loop, server and output take JSON.');
  }
  if (form.value === 'needed' && raw.value === undefined) fault(raw, `write [[${name}=VALUE]].`);
  if (form.value === 'none' && raw.value !== undefined) fault(raw, `"${name}" takes no value.`);
  return definition.parse(raw);
}

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

function toolOf(raw: RawDirective, tool: string | undefined): string {
  if (tool !== undefined && toolName.test(tool)) return tool;
  return fault(raw, 'it needs a tool\'s name of up to 64 letters, digits, "_" and "-".');
}

/** The value of a directive that is one of a few words. */
function oneOf<Word extends string>(raw: RawDirective, what: string, words: readonly Word[]): Word {
  const word = words.find((known) => known === raw.value);
  return word ?? fault(raw, `the ${what} must be one of ${words.join(', ')}.`);
}

function categoryOf(raw: RawDirective): RefusalCategory {
  const value = raw.pairs.get('category') ?? 'general_harms';
  const category = refusalCategories.find((known) => known === value);
  if (category && (raw.value === 'refusal' || !raw.pairs.has('category'))) return category;
  return fault(
    raw,
    `only [[stop=refusal]] has a category, one of ${refusalCategories.join(', ')}.`,
  );
}

function failureOf(raw: RawDirective): number | FailureName {
  const name = failureNames.find((known) => known === raw.value);
  if (name) return name;
  if (/^\d/.test(raw.value ?? '')) return whole(raw, statuses);
  return fault(
    raw,
    `fail must be a whole number from 400 to 599 or one of ${failureNames.join(', ')}.`,
  );
}

/** The number of a directive's value or, with `pair`, of that parameter. */
function whole(raw: RawDirective, [min, max]: Range, pair?: string): number {
  const text = (pair === undefined ? raw.value : raw.pairs.get(pair)) ?? '';
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number >= min && number <= max) return number;
  return fault(raw, `${pair ?? raw.name} must be a whole number from ${min} to ${max}.`);
}

function optionalWhole(raw: RawDirective, range: Range, pair: string): number | undefined {
  return raw.pairs.has(pair) ? whole(raw, range, pair) : undefined;
}

function fault(raw: RawDirective, what: string): never {
  throw refuseDirective(`Directive ${raw.source}: ${what}`);
}

/** One directive. JSON in it may have any bracket or brace. @throws a 400 that quotes a malformed one */
function scanDirective(text: string, head: RegExpExecArray): { raw: RawDirective; end: number } {
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
  return { raw: { name, value, pairs, json, source }, end: at };
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
    const value = isDeepJson(source) ? undefined : parseExactJson(source);
    if (isPlainObject(value)) return value as JsonObject;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refuseDirective(
      `Directive ${head[0]}: its JSON cannot be read (${reason}). Write [[tool=NAME {…}]].`,
    );
  }
  throw refuseDirective(`Directive ${head[0]}: its JSON must be an object of at most 500 levels.`);
}

function malformed(text: string, start: number, stopped: number): Error {
  const shown = text.slice(start, Math.min(start + MAX_SHOWN_CHARS, Math.max(stopped + 20, start)));
  return refuseDirective(
    `Directive ${JSON.stringify(shown)} cannot be read: write [[name=value key=value {json}]].`,
  );
}

/** The 400 for a malformed directive. */
function refuseDirective(message: string): Error {
  return refuse('directive', message);
}
