import { isDeepJson, isPlainObject, parseExactJson, type JsonObject } from '../json.js';
import { refuse } from '../http/wire-error.js';
import {
  refusalCategories,
  stopReasons,
  type RefusalCategory,
  type WireStopReason,
} from '../reply/reply-plan.js';
import { failureNames, type FailureName } from './named-failures.js';

/** `step` limits a directive to that reply of the turn, from 1; absent: all replies. */
interface AtStep {
  step?: number;
}

/** An instruction to the rehearsal model. Times are in milliseconds. */
export type Directive =
  /** `count` text deltas, with `gapMs` between them and `firstMs` before the first (default 0). */
  | ({ name: 'tokens'; count: number; gapMs: number; firstMs: number } & AtStep)
  /** Calls a tool, by default in the turn's first reply. */
  | ({ name: 'tool'; tool: string; input: JsonObject } & AtStep)
  /** Calls a tool in each of the turn's first `steps` replies; `$i` in a string is the step. */
  | { name: 'loop'; steps: number; tool: string; input: JsonObject }
  /** Words of thinking, where the request lets the model think. */
  | ({ name: 'think'; count: number } & AtStep)
  /** Words of an update before the next tool: `claude-sonnet-5-5` writes it as thinking. */
  | ({ name: 'update'; count: number } & AtStep)
  /** A block of redacted thinking after the thinking. */
  | ({ name: 'redact' } & AtStep)
  | ({ name: 'cite' } & AtStep)
  /** Uses a server tool, with its result, by default in the turn's first reply. */
  | ({ name: 'server'; tool: string; input: JsonObject } & AtStep)
  /** A reply without content. */
  | ({ name: 'empty' } & AtStep)
  /** The text of a reply that calls no tool: the JSON of an object, or a word. */
  | ({ name: 'output'; text: string } & AtStep)
  /** Text that ends in half a surrogate pair. */
  | ({ name: 'surrogate' } & AtStep)
  | ({ name: 'stop'; reason: WireStopReason; category: RefusalCategory } & AtStep)
  /**
   * A failure. With `times`, only while the SDK's retry count is below it; with `after`, in the
   * stream after so many deltas; `retryAfter` in seconds.
   */
  | ({
      name: 'fail';
      failure: number | FailureName;
      times?: number;
      after?: number;
      retryAfter?: number;
    } & AtStep)
  /** Ends the connection after so many text deltas (default 0). */
  | ({ name: 'drop'; after: number } & AtStep)
  /** Silence after the first text delta. */
  | ({ name: 'stall'; ms: number } & AtStep)
  /** The number of fragments of each call's input. */
  | ({ name: 'args'; count: number } & AtStep);

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
const longestShown = 80;

/** Bounds of whole numbers. */
type Range = readonly [min: number, max: number];

const deltas: Range = [1, 1_000_000];
const deltasBefore: Range = [0, 1_000_000];
const steps: Range = [1, 10_000];
const waitMs: Range = [0, 3_600_000];
const statuses: Range = [400, 599];

interface Shape {
  /** Whether a value stands behind the name: always, never, or a word in place of JSON. */
  value: 'needed' | 'none' | 'word';
  /** The keys of its `key=value` pairs. */
  pairs: readonly string[];
  json: boolean;
  parse: (raw: RawDirective) => Directive;
}

const atStep = ['step'];

/** Each directive: what it may be written with, and what it becomes. */
const shapes: {
  [Name in Directive['name']]: Shape & { parse: (raw: RawDirective) => Named<Name> };
} = {
  tokens: {
    value: 'needed',
    pairs: ['gap', 'first', 'step'],
    json: false,
    parse: (raw) => ({
      name: 'tokens',
      count: whole(raw, deltas),
      gapMs: optionalWhole(raw, waitMs, 'gap') ?? 0,
      firstMs: optionalWhole(raw, waitMs, 'first') ?? 0,
      ...stepOf(raw),
    }),
  },
  tool: {
    value: 'needed',
    pairs: atStep,
    json: true,
    parse: (raw) => ({ name: 'tool', ...callOf(raw, raw.value), ...stepOf(raw) }),
  },
  loop: {
    value: 'needed',
    pairs: ['tool'],
    json: true,
    parse: (raw) => ({
      name: 'loop',
      steps: whole(raw, steps),
      ...callOf(raw, raw.pairs.get('tool')),
    }),
  },
  think: counted('think'),
  update: counted('update'),
  redact: bare('redact'),
  cite: bare('cite'),
  server: {
    value: 'needed',
    pairs: atStep,
    json: true,
    parse: (raw) => ({ name: 'server', ...callOf(raw, raw.value), ...stepOf(raw) }),
  },
  output: {
    value: 'word',
    pairs: atStep,
    json: true,
    parse: (raw) => ({ name: 'output', text: outputOf(raw), ...stepOf(raw) }),
  },
  empty: bare('empty'),
  surrogate: bare('surrogate'),
  stop: {
    value: 'needed',
    pairs: ['category', 'step'],
    json: false,
    parse: (raw) => ({
      name: 'stop',
      reason:
        stopReasons.find((reason) => reason === raw.value) ??
        fault(raw, `the reason must be one of ${stopReasons.join(', ')}.`),
      category: categoryOf(raw),
      ...stepOf(raw),
    }),
  },
  fail: {
    value: 'needed',
    pairs: ['times', 'after', 'retry', 'step'],
    json: false,
    parse: (raw) => {
      const times = optionalWhole(raw, steps, 'times');
      const after = optionalWhole(raw, deltasBefore, 'after');
      const retryAfter = optionalWhole(raw, [0, 10_000], 'retry');
      return {
        name: 'fail',
        failure: failureOf(raw),
        ...(times !== undefined && { times }),
        ...(after !== undefined && { after }),
        ...(retryAfter !== undefined && { retryAfter }),
        ...stepOf(raw),
      };
    },
  },
  drop: {
    value: 'none',
    pairs: ['after', 'step'],
    json: false,
    parse: (raw) => ({
      name: 'drop',
      after: optionalWhole(raw, deltasBefore, 'after') ?? 0,
      ...stepOf(raw),
    }),
  },
  stall: {
    value: 'needed',
    pairs: atStep,
    json: false,
    parse: (raw) => ({ name: 'stall', ms: whole(raw, [1, waitMs[1]]), ...stepOf(raw) }),
  },
  args: counted('args'),
};

export const directiveNames = Object.keys(shapes) as Directive['name'][];

type Named<Name extends Directive['name']> = Extract<Directive, { name: Name }>;

/** The shape of a directive whose value is a number of pieces. */
function counted<Name extends 'think' | 'update' | 'args'>(name: Name) {
  const parse = (raw: RawDirective) => ({ name, count: whole(raw, deltas), ...stepOf(raw) });
  return { value: 'needed', pairs: atStep, json: false, parse } as const;
}

/** The shape of a directive that is its name alone. */
function bare<Name extends 'redact' | 'cite' | 'empty' | 'surrogate'>(name: Name) {
  const parse = (raw: RawDirective) => ({ name, ...stepOf(raw) });
  return { value: 'none', pairs: atStep, json: false, parse } as const;
}

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
  const name = directiveNames.find((known) => known === raw.name);
  if (name === undefined) {
    throw refuseDirective(`Unknown directive ${raw.source}. Known: ${directiveNames.join(', ')}.`);
  }
  const shape: Shape = shapes[name];
  const extra = [...raw.pairs.keys()].find((key) => !shape.pairs.includes(key));
  if (extra !== undefined) {
    fault(raw, `"${extra}" is not a parameter of it. Allowed: ${shape.pairs.join(', ')}.`);
  }
  if (raw.json !== undefined && !shape.json) {
    fault(raw, 'only tool, loop, server and output take JSON.');
  }
  if (shape.value === 'needed' && raw.value === undefined) fault(raw, `write [[${name}=VALUE]].`);
  if (shape.value === 'none' && raw.value !== undefined) fault(raw, `"${name}" takes no value.`);
  return shape.parse(raw);
}

function stepOf(raw: RawDirective): AtStep {
  const step = optionalWhole(raw, steps, 'step');
  return step === undefined ? {} : { step };
}

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

function callOf(raw: RawDirective, tool: string | undefined): { tool: string; input: JsonObject } {
  if (tool !== undefined && toolName.test(tool)) return { tool, input: raw.json ?? {} };
  return fault(raw, 'it needs a tool\'s name of up to 64 letters, digits, "_" and "-".');
}

/** The object, or the word, of a directive. */
function outputOf(raw: RawDirective): string {
  const text = raw.json === undefined ? raw.value : JSON.stringify(raw.json);
  return text ?? fault(raw, 'write [[output={…}]] or [[output=WORD]].');
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
  const shown = text.slice(start, Math.min(start + longestShown, Math.max(stopped + 20, start)));
  return refuseDirective(
    `Directive ${JSON.stringify(shown)} cannot be read: write [[name=value key=value {json}]].`,
  );
}

/** The 400 for a malformed directive. */
function refuseDirective(message: string): Error {
  return refuse('directive', message);
}
