import { optionRules } from '../option-rules.js';

export type PreferenceValue = string | number | boolean;

/** The valid values of a preference, in code, in words and as JSON schema. */
export interface PreferenceRule<T extends PreferenceValue = PreferenceValue> {
  /** @returns the value as it is stored, or undefined for an invalid value. */
  parse(value: unknown): T | undefined;
  /** Completes "must be …". */
  expected: string;
  /** @returns Pydantic's name of the fault of an invalid value. */
  fault(value: unknown): string;
  schema: PreferenceSchema;
}

export interface PreferenceSchema {
  type: 'integer' | 'boolean' | 'string';
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Bounds {
  /** Least and greatest valid value. */
  min: number;
  max: number;
}

export function integerRule({ min, max }: Bounds): PreferenceRule<number> {
  return {
    parse: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
        ? value
        : undefined,
    expected: `a whole number from ${min} to ${max}`,
    fault: (value) => numberFault(value, min),
    schema: { type: 'integer', minimum: min, maximum: max },
  };
}

export const booleanRule: PreferenceRule<boolean> = {
  parse: (value) => (typeof value === 'boolean' ? value : undefined),
  expected: 'true or false',
  fault: () => 'bool_type',
  schema: { type: 'boolean' },
};

const longestModel = 200;

export const modelRule: PreferenceRule<string> = {
  parse: (value) => {
    const model = optionRules.model.parse(value);
    return model === undefined || model.length > longestModel ? undefined : model;
  },
  expected: `a model's name of 1 to ${longestModel} characters, without NUL`,
  fault: textFault,
  schema: { type: 'string', minLength: 1, maxLength: longestModel },
};

/** @param value invalid: no whole number within the bounds. */
export function numberFault(value: unknown, min: number): string {
  if (typeof value !== 'number') return 'int_type';
  if (Number.isFinite(value) && !Number.isInteger(value)) return 'int_from_float';
  return value < min ? 'greater_than_equal' : 'less_than_equal';
}

function textFault(value: unknown): string {
  if (typeof value !== 'string') return 'string_type';
  const text = value.trim();
  if (text === '') return 'string_too_short';
  return text.length > longestModel ? 'string_too_long' : 'value_error';
}
