import { getMetadataStorage, type ValidationError } from 'class-validator';
import { invalidRequest, type TypedError } from '../errors/typed-error.js';
import type { FieldWords } from './field-words.js';
import type { RequestForm } from './request-form.decorator.js';
import { ValidationDetailError, type ValidationProblem } from './validation-detail.js';

/** Limits of an answer: a request may have any number of unknown fields, of any length. */
const MOST_UNKNOWN = 20;
const LONGEST_NAME = 60;
const LONGEST_MESSAGE = 300;

/** A field that breaks a rule. */
interface Fault {
  /** The field's name, after those of the objects that it is in. */
  path: string[];
  /** The validator's name of the rule. */
  rule: string;
  value: unknown;
  words: FieldWords;
  /** Fields of the object that the field is in. */
  known: string[];
}

const UNKNOWN = 'whitelistValidation';

/** Pydantic's names of faults, by the rule that is broken. */
const pydanticTypes: Record<string, (value: unknown) => string> = {
  isString: () => 'string_type',
  isBoolean: () => 'bool_type',
  isInt: (value) => (typeof value === 'number' ? 'int_from_float' : 'int_type'),
  min: () => 'greater_than_equal',
  max: () => 'less_than_equal',
  minLength: () => 'string_too_short',
  maxLength: () => 'string_too_long',
  matches: () => 'string_pattern_mismatch',
  isIn: () => 'literal_error',
  isArray: () => 'list_type',
  [UNKNOWN]: () => 'extra_forbidden',
};

/**
 * The error for a request that breaks rules of its class, in the words of its wire: the first fault, or
 * the list of all. Pure.
 *
 * @param value the request as it came.
 */
export function wordFaults(
  errors: readonly ValidationError[],
  { listedIn, closed }: RequestForm,
  value: unknown,
): TypedError {
  const faults = errors.flatMap((error) => faultsOf(error, []));
  if (listedIn === undefined) return invalidRequest(firstInWords(faults, closed));
  if (Array.isArray(value)) return new ValidationDetailError([noObject(listedIn)]);
  const unknown = faults.filter(({ rule }) => rule === UNKNOWN).slice(0, MOST_UNKNOWN);
  const wrong = faults.filter(({ rule }) => rule !== UNKNOWN);
  return new ValidationDetailError([...wrong, ...unknown].map((fault) => listed(fault, listedIn)));
}

function faultsOf(error: ValidationError, above: readonly string[]): Fault[] {
  const { property, constraints = {}, contexts = {}, children = [], target, value } = error;
  const path = [...above, property];
  const [rule] = Object.keys(constraints);
  if (rule === undefined) return children.flatMap((child) => faultsOf(child, path));
  const words = (contexts[rule] ?? {}) as FieldWords;
  return [{ path, rule, value, words, known: fieldsOf(target) }];
}

function fieldsOf(target: object | undefined): string[] {
  if (target === undefined) return [];
  const rules = getMetadataStorage().getTargetValidationMetadatas(
    target.constructor,
    '',
    false,
    false,
  );
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

function firstInWords([first]: readonly Fault[], whole = 'The request'): string {
  if (first === undefined) return 'The request is not valid: send a JSON object.';
  const { path, rule, words, known } = first;
  const name = path.join('.');
  if (rule === UNKNOWN) {
    const whose = path.length === 1 ? whole : `'${path.slice(0, -1).join('.')}'`;
    const odd = JSON.stringify(path.at(-1)?.slice(0, LONGEST_NAME));
    return `${whose} has no field ${odd}; its fields are ${known.join(', ')}`;
  }
  if (words.says !== undefined) return words.says.replaceAll('$field', name);
  return words.expected === undefined
    ? `Missing or invalid '${name}'`
    : `'${name}' must be ${words.expected}`;
}

function listed(fault: Fault, listedIn: string): ValidationProblem {
  const path = fault.path.map((name) => clip(name, LONGEST_NAME));
  const { rule, value } = fault;
  const type = value === undefined ? 'missing' : (pydanticTypes[rule]?.(value) ?? 'value_error');
  return {
    loc: [listedIn, ...path],
    msg: clip(message(fault, path.join('.')), LONGEST_MESSAGE),
    type,
  };
}

function message({ rule, value, words, known }: Fault, name: string): string {
  if (rule === UNKNOWN) return `${name} is no field here: send any of ${known.join(', ')}`;
  if (value === undefined) return `${name} is missing; it must be ${words.expected}`;
  return `${name} must be ${words.expected}, not ${JSON.stringify(value)}`;
}

function noObject(listedIn: string): ValidationProblem {
  return { loc: [listedIn], msg: 'The request body must be a JSON object', type: 'dict_type' };
}

function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
