import type {
  PreferenceRule,
  PreferenceValue,
} from '../../options/preferences/preference-rules.js';

/** A field's value, or what is wrong with it: for a person, and by pydantic's name of it. */
export type ParsedField<T> = { value: T } | { msg: string; type: string };

export type FieldRule<T> = (value: unknown) => ParsedField<T>;

interface Bounds {
  /** Both included. */
  min: number;
  max: number;
}

export function requiredField<T>(rule: FieldRule<T>): FieldRule<T> {
  return (value) =>
    value === undefined ? { msg: 'is required and missing', type: 'missing' } : rule(value);
}

/** Null leaves a field out: clients of this family send it so. */
export function optionalField<T>(rule: FieldRule<T>): FieldRule<T | undefined> {
  return (value) => (value === undefined || value === null ? { value: undefined } : rule(value));
}

/** Trimmed. Counts characters as Python does: a pair of surrogates is one. */
export function textField(
  rule: Bounds & { pattern?: RegExp; expected?: string },
): FieldRule<string> {
  const { min, max, pattern, expected = '' } = rule;
  return (given) => {
    if (typeof given !== 'string') return { msg: 'must be a text', type: 'string_type' };
    const value = given.trim();
    const length = Array.from(value).length;
    const bounds = `must have ${min} to ${max.toLocaleString('en')} characters, not ${length}`;
    if (length < min) return { msg: bounds, type: 'string_too_short' };
    if (length > max) return { msg: bounds, type: 'string_too_long' };
    // PostgreSQL stores no NUL in text.
    if (value.includes('\0')) return { msg: 'must not hold NUL', type: 'value_error' };
    if (pattern?.test(value) === false) {
      return { msg: `may have ${expected} only`, type: 'string_pattern_mismatch' };
    }
    return { value };
  };
}

/** A field with the rule of a preference. */
export function preferenceField<T extends PreferenceValue>(rule: PreferenceRule<T>): FieldRule<T> {
  return (given) => {
    const value = rule.parse(given);
    return value === undefined
      ? { msg: `must be ${rule.expected}`, type: rule.fault(given) }
      : { value };
  };
}

export function textListField<const T extends string>(allowed: readonly T[]): FieldRule<T[]> {
  const msg = `must be a list of ${allowed.join(', ')}`;
  return (value) => {
    if (!Array.isArray(value)) return { msg, type: 'list_type' };
    const known = (value as unknown[]).flatMap(
      (item) => allowed.find((candidate) => candidate === item) ?? [],
    );
    return known.length === value.length ? { value: known } : { msg, type: 'literal_error' };
  };
}
