import { refuseDirective } from './refuse-directive.js';
import type { RawDirective } from './scan-directives.js';

interface Range {
  min: number;
  max: number;
}

/** The directive's value or, with `pair`, that parameter's. */
export function whole(raw: RawDirective, range: Range, pair?: string): number {
  const text = (pair === undefined ? raw.value : raw.pairs.get(pair)) ?? '';
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number >= range.min && number <= range.max) return number;
  throw refuseDirective(
    `Directive ${raw.source}: ${pair ?? raw.name} must be a whole number from ${range.min} to ${range.max}.`,
  );
}

export function optionalWhole(raw: RawDirective, range: Range, pair: string): number | undefined {
  return raw.pairs.has(pair) ? whole(raw, range, pair) : undefined;
}

/** The field, where there is a value for it. */
export function presentNumber<K extends string>(
  key: K,
  value: number | undefined,
): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  if (value !== undefined) found[key] = value;
  return found;
}
