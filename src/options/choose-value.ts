import { isPlainObject } from '../platform/json.js';
import type { Provenance } from '../storage/shapes/stored-options.js';
import type { OptionRule } from './option-rules.js';

/** A value that applies, and the tier it came from. */
export type Chosen<T> = { value: T; from: Provenance };

/** A place that may name a value, with the valid value it names; undefined: none. */
export type Tier<T> = readonly [Provenance, T | undefined];

/** Chooses the first value there is: the request's, that of the first tier, or the rule's default. */
export function choose<T>(
  rule: OptionRule<T>,
  given: unknown,
  tiers: readonly Tier<T>[],
): Chosen<T> {
  const all: Tier<T>[] = [['opts', rule.read(given)], ...tiers];
  for (const [from, value] of all) if (value !== undefined) return { value, from };
  return { value: rule.fallback(), from: 'default' };
}

/** The fields of a request's `opts`; none where that is no object. */
export function givenOptions(opts: unknown): Record<string, unknown> {
  return isPlainObject(opts) ? opts : {};
}
