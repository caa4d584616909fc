import type { ApiPropertyOptions } from '@nestjs/swagger';
import { isStorable } from '../storage/connection.js';
import { isPlainObject } from '../platform/json.js';
import type { Provenance } from '../storage/shapes/stored-options.js';

/** The one definition of an option: what it does, its valid values in code, words and schema, and the default. */
export interface OptionRule<T> {
  /** What the option does, in a sentence. */
  about: string;
  schema: ApiPropertyOptions;
  /** @returns the value as it is used; undefined for an invalid value. */
  parse(value: unknown): T | undefined;
  /** Completes "must be …". */
  expected: string;
  /** A more exact fault of an invalid value, in place of `expected`. */
  fault?(value: unknown): string | undefined;
  /** Entries of a valid value that are left out of it: each with its place after the option's name. */
  odd?(value: unknown): { at: string; reason: string }[];
  fallback(): T;
}

/** Most characters of a model's or a mode's name, which notices and streams repeat. */
const LONGEST_NAME = 200;

/** Text that is not blank, trimmed. */
export function textRule<T>(about: string, fallback: T): OptionRule<string | T> {
  return {
    about,
    schema: { type: String },
    parse: parseText,
    expected: 'text that is not blank',
    fallback: () => fallback,
  };
}

/** A name, trimmed, that the database can store. */
export function nameRule<T>(about: string, fallback: T): OptionRule<string | T> {
  return {
    ...textRule(about, fallback),
    schema: { type: String, maxLength: LONGEST_NAME },
    parse: (value) => {
      const name = parseText(value);
      const isName = name !== undefined && name.length <= LONGEST_NAME && isStorable(name);
      return isName ? name : undefined;
    },
    expected: `text of 1 to ${LONGEST_NAME} characters`,
  };
}

export function countRule<T>(about: string, fallback: T): OptionRule<number | T> {
  return {
    about,
    schema: { type: 'integer', minimum: 1 },
    parse: (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined,
    expected: 'an integer greater than 0',
    fallback: () => fallback,
  };
}

/** The rule of an option that is one of some texts. @param values the first is the default. */
export function choiceRule<T extends string>(
  about: string,
  values: readonly [T, ...T[]],
): OptionRule<T> {
  const quoted = values.map((value) => JSON.stringify(value));
  return {
    about,
    schema: { enum: [...values] },
    parse: (value) => values.find((known) => known === value),
    expected: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
    fallback: () => values[0],
  };
}

function parseText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** A value in force, with the tier it came from. */
export type Chosen<T> = { value: T; from: Provenance };

/** A tier with its valid value; undefined: the tier has none. */
export type Tier<T> = readonly [Provenance, T | undefined];

/**
 * Chooses the first valid value: the request's, the first tier's that has one, or the rule's
 * default.
 */
export function choose<T>(
  rule: OptionRule<T>,
  given: unknown,
  tiers: readonly Tier<T>[],
): Chosen<T> {
  const all: Tier<T>[] = [['opts', rule.parse(given)], ...tiers];
  for (const [from, value] of all) if (value !== undefined) return { value, from };
  return { value: rule.fallback(), from: 'default' };
}

/** The fields of a request's `opts`; none where `opts` is no object. */
export function givenOptions(opts: unknown): Record<string, unknown> {
  return isPlainObject(opts) ? opts : {};
}
