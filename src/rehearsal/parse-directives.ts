import { unreachable } from '../platform/exhaustive.js';
import type { JsonObject } from '../platform/json.js';
import { scanDirectives, type RawDirective } from './scan-directives.js';
import { stopReasons, type WireStopReason } from './stream-types.js';
import { refuse } from './wire-error.js';

/** `step` limits a directive to that reply of the turn, from 1; absent, it holds for each. */
interface AtStep {
  step?: number;
}

/** An order to the rehearsal model. Times are in milliseconds. */
export type Directive =
  /** `count` text deltas, `gapMs` (0) between two, `firstMs` (0) before the first. */
  | { name: 'tokens'; count: number; gapMs: number; firstMs: number }
  /** One call in the turn's first reply. */
  | { name: 'tool'; tool: string; input: JsonObject }
  /** One call in each of the turn's first `steps` replies; `$i` in a string is the step. */
  | { name: 'loop'; steps: number; tool: string; input: JsonObject }
  | { name: 'think'; count: number }
  | { name: 'cite' }
  | ({ name: 'stop'; reason: WireStopReason } & AtStep)
  /** With `times`, only while the SDK's retry count is below it; with `after`, in the stream. */
  | ({ name: 'fail'; status: number; times?: number; after?: number } & AtStep)
  /** Ends the connection after so many text deltas (0). */
  | ({ name: 'drop'; after: number } & AtStep)
  /** Silence after the first text delta. */
  | ({ name: 'stall'; ms: number } & AtStep)
  /** Into how many fragments each call's input is cut. */
  | { name: 'args'; count: number };

const mostDeltas = 1_000_000;
const mostSteps = 10_000;
const longestWaitMs = 3_600_000;
const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

/** Which parts each directive may have beyond its value. */
const allowed: Record<Directive['name'], { value: boolean; pairs: string[]; json: boolean }> = {
  tokens: { value: true, pairs: ['gap', 'first'], json: false },
  tool: { value: true, pairs: [], json: true },
  loop: { value: true, pairs: ['tool'], json: true },
  think: { value: true, pairs: [], json: false },
  cite: { value: false, pairs: [], json: false },
  stop: { value: true, pairs: ['step'], json: false },
  fail: { value: true, pairs: ['times', 'after', 'step'], json: false },
  drop: { value: false, pairs: ['after', 'step'], json: false },
  stall: { value: true, pairs: ['step'], json: false },
  args: { value: true, pairs: [], json: false },
};

/**
 * The directives of a text, in order.
 *
 * @throws a 400 that names a directive which is unknown or malformed
 */
export function parseDirectives(text: string): Directive[] {
  return scanDirectives(text).map(toDirective);
}

function toDirective(raw: RawDirective): Directive {
  const name = knownName(raw);
  checkShape(raw, name);
  switch (name) {
    case 'tokens':
      return {
        name,
        count: whole(raw, { min: 1, max: mostDeltas }),
        gapMs: optionalWhole(raw, { min: 0, max: longestWaitMs }, 'gap') ?? 0,
        firstMs: optionalWhole(raw, { min: 0, max: longestWaitMs }, 'first') ?? 0,
      };
    case 'tool':
      return { name, tool: toolOf(raw, raw.value), input: raw.json ?? {} };
    case 'loop':
      return {
        name,
        steps: whole(raw, { min: 1, max: mostSteps }),
        tool: toolOf(raw, raw.pairs.get('tool')),
        input: raw.json ?? {},
      };
    case 'think':
    case 'args':
      return { name, count: whole(raw, { min: 1, max: mostDeltas }) };
    case 'cite':
      return { name };
    case 'stop':
      return { name, reason: stopReasonOf(raw), ...stepOf(raw) };
    case 'fail':
      return {
        name,
        status: whole(raw, { min: 400, max: 599 }),
        ...present('times', optionalWhole(raw, { min: 1, max: mostSteps }, 'times')),
        ...present('after', optionalWhole(raw, { min: 0, max: mostDeltas }, 'after')),
        ...stepOf(raw),
      };
    case 'drop':
      return {
        name,
        after: optionalWhole(raw, { min: 0, max: mostDeltas }, 'after') ?? 0,
        ...stepOf(raw),
      };
    case 'stall':
      return { name, ms: whole(raw, { min: 1, max: longestWaitMs }), ...stepOf(raw) };
    default:
      return unreachable(name);
  }
}

function knownName(raw: RawDirective): Directive['name'] {
  const names = Object.keys(allowed) as Directive['name'][];
  const name = names.find((known) => known === raw.name);
  if (name) return name;
  throw refuse(`Unknown directive ${raw.source}. Known: ${names.join(', ')}.`);
}

function checkShape(raw: RawDirective, name: Directive['name']): void {
  const shape = allowed[name];
  const extra = [...raw.pairs.keys()].find((key) => !shape.pairs.includes(key));
  if (extra !== undefined) {
    const pairs = shape.pairs.length > 0 ? shape.pairs.join(', ') : 'none';
    throw refuse(
      `Directive ${raw.source}: "${extra}" is not a parameter of it. Allowed: ${pairs}.`,
    );
  }
  if (raw.json !== undefined && !shape.json) {
    throw refuse(`Directive ${raw.source}: only tool and loop take JSON.`);
  }
  if (shape.value && raw.value === undefined) {
    throw refuse(`Directive ${raw.source}: write [[${name}=VALUE]].`);
  }
  if (!shape.value && raw.value !== undefined) {
    throw refuse(`Directive ${raw.source}: "${name}" takes no value.`);
  }
}

interface Range {
  min: number;
  max: number;
}

/** The directive's value or, with `pair`, that parameter's. */
function whole(raw: RawDirective, range: Range, pair?: string): number {
  const text = (pair === undefined ? raw.value : raw.pairs.get(pair)) ?? '';
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number >= range.min && number <= range.max) return number;
  throw refuse(
    `Directive ${raw.source}: ${pair ?? raw.name} must be a whole number from ${range.min} to ${range.max}.`,
  );
}

function optionalWhole(raw: RawDirective, range: Range, pair: string): number | undefined {
  return raw.pairs.has(pair) ? whole(raw, range, pair) : undefined;
}

function present<K extends string>(key: K, value: number | undefined): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  if (value !== undefined) found[key] = value;
  return found;
}

function stepOf(raw: RawDirective): AtStep {
  return present('step', optionalWhole(raw, { min: 1, max: mostSteps }, 'step'));
}

function toolOf(raw: RawDirective, name: string | undefined): string {
  if (name !== undefined && toolName.test(name)) return name;
  throw refuse(
    `Directive ${raw.source}: it needs a tool's name of up to 128 letters, digits, "_" and "-".`,
  );
}

function stopReasonOf(raw: RawDirective): WireStopReason {
  const reason = stopReasons.find((known) => known === raw.value);
  if (reason) return reason;
  throw refuse(`Directive ${raw.source}: the reason must be one of ${stopReasons.join(', ')}.`);
}
