import { isPlainObject } from '../platform/json.js';
import type { Provenance } from '../storage/shapes/stored-options.js';
import type { OptionRule } from './option-rule.js';

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
