import { assertNever } from '../../src/platform/assert-never.js';
import { compact } from '../../src/platform/compact.js';
import type { JsonObject } from '../../src/platform/json.js';
import {
  refusalCategories,
  stopReasons,
  type RefusalCategory,
  type WireStopReason,
} from '../reply/reply-plan.js';
import { printJson } from '../../src/platform/exact-json.js';
import type { AskedFailure } from '../http/wire-error.js';
import type { ModelProfile } from '../models/profiles.js';
import { refuseDirective, scanDirectives, type RawDirective } from './scan-directives.js';

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

const mostDeltas = 1_000_000;
const mostSteps = 10_000;
const longestWaitMs = 3_600_000;
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** The parts that each directive may have. */
const allowed: Record<Directive['name'], { value: boolean; pairs: string[]; json: boolean }> = {
  tokens: { value: true, pairs: ['gap', 'first', 'step'], json: false },
  tool: { value: true, pairs: ['step'], json: true },
  loop: { value: true, pairs: ['tool'], json: true },
  think: { value: true, pairs: ['step'], json: false },
  update: { value: true, pairs: ['step'], json: false },
  redact: { value: false, pairs: ['step'], json: false },
  cite: { value: false, pairs: ['step'], json: false },
  server: { value: true, pairs: ['step'], json: true },
  output: { value: false, pairs: ['step'], json: true },
  empty: { value: false, pairs: ['step'], json: false },
  surrogate: { value: false, pairs: ['step'], json: false },
  stop: { value: true, pairs: ['category', 'step'], json: false },
  fail: { value: true, pairs: ['times', 'after', 'retry', 'step'], json: false },
  drop: { value: false, pairs: ['after', 'step'], json: false },
  stall: { value: true, pairs: ['step'], json: false },
  args: { value: true, pairs: ['step'], json: false },
};

export const directiveNames = Object.keys(allowed) as Directive['name'][];

/**
 * Parses the directives of a text, in order.
 *
 * @throws a 400 that names an unknown or malformed directive
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
        ...stepOf(raw),
      };
    case 'tool':
    case 'server':
      return { name, tool: toolOf(raw, raw.value), input: raw.json ?? {}, ...stepOf(raw) };
    case 'loop':
      return {
        name,
        steps: whole(raw, { min: 1, max: mostSteps }),
        tool: toolOf(raw, raw.pairs.get('tool')),
        input: raw.json ?? {},
      };
    case 'think':
    case 'update':
    case 'args':
      return { name, count: whole(raw, { min: 1, max: mostDeltas }), ...stepOf(raw) };
    case 'output':
      return { name, text: outputOf(raw), ...stepOf(raw) };
    case 'cite':
    case 'redact':
    case 'empty':
    case 'surrogate':
      return { name, ...stepOf(raw) };
    case 'stop':
      return { name, reason: stopReasonOf(raw), category: categoryOf(raw), ...stepOf(raw) };
    case 'fail':
      return {
        name,
        failure: failureOf(raw),
        ...compact({
          times: optionalWhole(raw, { min: 1, max: mostSteps }, 'times'),
          after: optionalWhole(raw, { min: 0, max: mostDeltas }, 'after'),
          retryAfter: optionalWhole(raw, { min: 0, max: mostSteps }, 'retry'),
        }),
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
      return assertNever(name);
  }
}

function knownName(raw: RawDirective): Directive['name'] {
  const name = directiveNames.find((known) => known === raw.name);
  if (name) return name;
  throw refuseDirective(`Unknown directive ${raw.source}. Known: ${directiveNames.join(', ')}.`);
}

function checkShape(raw: RawDirective, name: Directive['name']): void {
  const shape = allowed[name];
  const extra = [...raw.pairs.keys()].find((key) => !shape.pairs.includes(key));
  if (extra !== undefined) {
    const pairs = shape.pairs.length > 0 ? shape.pairs.join(', ') : 'none';
    throw refuseDirective(
      `Directive ${raw.source}: "${extra}" is not a parameter of it. Allowed: ${pairs}.`,
    );
  }
  if (raw.json !== undefined && !shape.json) {
    throw refuseDirective(`Directive ${raw.source}: only tool, loop, server and output take JSON.`);
  }
  if (shape.value && raw.value === undefined) {
    throw refuseDirective(`Directive ${raw.source}: write [[${name}=VALUE]].`);
  }
  if (!shape.value && raw.value !== undefined && name !== 'output') {
    throw refuseDirective(`Directive ${raw.source}: "${name}" takes no value.`);
  }
}

function stepOf(raw: RawDirective): AtStep {
  return compact({ step: optionalWhole(raw, { min: 1, max: mostSteps }, 'step') });
}

function toolOf(raw: RawDirective, name: string | undefined): string {
  if (name !== undefined && toolName.test(name)) return name;
  throw refuseDirective(
    `Directive ${raw.source}: it needs a tool's name of up to 64 letters, digits, "_" and "-".`,
  );
}

/** The object, or the word, of a directive. */
function outputOf(raw: RawDirective): string {
  const text = raw.json === undefined ? raw.value : printJson(raw.json);
  if (text !== undefined) return text;
  throw refuseDirective(`Directive ${raw.source}: write [[output={…}]] or [[output=WORD]].`);
}

function stopReasonOf(raw: RawDirective): WireStopReason {
  const reason = stopReasons.find((known) => known === raw.value);
  if (reason) return reason;
  throw refuseDirective(
    `Directive ${raw.source}: the reason must be one of ${stopReasons.join(', ')}.`,
  );
}

function categoryOf(raw: RawDirective): RefusalCategory {
  const value = raw.pairs.get('category') ?? 'general_harms';
  const category = refusalCategories.find((known) => known === value);
  if (category && (raw.value === 'refusal' || !raw.pairs.has('category'))) return category;
  throw refuseDirective(
    `Directive ${raw.source}: only [[stop=refusal]] has a category, one of ${refusalCategories.join(', ')}.`,
  );
}

function failureOf(raw: RawDirective): number | FailureName {
  const name = failureNames.find((known) => known === raw.value);
  if (name) return name;
  if (/^\d/.test(raw.value ?? '')) return whole(raw, { min: 400, max: 599 });
  throw refuseDirective(
    `Directive ${raw.source}: fail must be a whole number from 400 to 599 or one of ${failureNames.join(', ')}.`,
  );
}

interface Range {
  min: number;
  max: number;
}

/** The number of a directive's value or, with `pair`, of that parameter. */
function whole(raw: RawDirective, range: Range, pair?: string): number {
  const text = (pair === undefined ? raw.value : raw.pairs.get(pair)) ?? '';
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number >= range.min && number <= range.max) return number;
  throw refuseDirective(
    `Directive ${raw.source}: ${pair ?? raw.name} must be a whole number from ${range.min} to ${range.max}.`,
  );
}

function optionalWhole(raw: RawDirective, range: Range, pair: string): number | undefined {
  return raw.pairs.has(pair) ? whole(raw, range, pair) : undefined;
}

/** Failures that clients tell apart by text or code, not by status. */
export const failureNames = [
  'spend_limit',
  'enforced_spend_limit',
  'credit',
  'ramp_limit',
  'prompt_too_long',
  'bound',
] as const;
type FailureName = (typeof failureNames)[number];

export function namedFailure(name: FailureName, profile: ModelProfile): AskedFailure {
  switch (name) {
    case 'spend_limit':
      return {
        status: 400,
        message:
          'You have reached your specified API usage limits. You will regain access on ' +
          '2026-12-01 at 00:00 UTC.',
      };
    case 'enforced_spend_limit':
      return {
        status: 429,
        message: 'Your organization has reached its spend limit.',
        code: 'enforced_spend_limit_reached',
      };
    case 'credit':
      return {
        status: 400,
        message:
          'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing ' +
          'to upgrade or purchase credits.',
      };
    case 'ramp_limit':
      return {
        status: 429,
        message: 'Your usage has risen faster than your organization may ramp it up.',
        code: 'ramp_limit_exceeded',
      };
    case 'prompt_too_long':
      return {
        status: 400,
        message: `prompt is too long: ${profile.window + 1} tokens > ${profile.window} maximum`,
      };
    case 'bound':
      return {
        status: 400,
        message:
          'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a ' +
          'different conversation. Remove the block, or set ' +
          '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
      };
  }
}
