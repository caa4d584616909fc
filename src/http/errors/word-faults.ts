import type { ValidationError } from 'class-validator';
import { isPlainObject } from '../../platform/json.js';
import { invalidRequest, TypedError } from '../../errors/typed-error.js';
import { fieldsOf } from '../fields/class-fields.js';
import type { FieldWords } from '../fields/field-words.js';
import type { RequestForm } from '../request-form.decorator.js';

/** Limits of an answer: a request may have any number of unknown fields, of any length. */
const MOST_UNKNOWN = 20;
const LONGEST_NAME = 60;
const LONGEST_MESSAGE = 300;

/** A field that breaks a rule. */
interface Fault {
  /** The field's name, after those of the objects that it is in. */
  path: readonly string[];
  /** The validator's name of the rule. */
  rule: string;
  value: unknown;
  words: FieldWords;
}

/** The rule that an object has only the fields of its class. */
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
  { listedIn, closed, namesParam }: RequestForm,
  value: unknown,
): TypedError {
  const faults = errors.flatMap((error) => faultsOf(error, value));
  if (listedIn === undefined) {
    const param = faults[0]?.path.join('.') ?? null;
    return invalidRequest(firstInWords(faults, closed), namesParam && { param });
  }
  if (Array.isArray(value)) return new ValidationDetailError([noObject(listedIn)]);
  const unknown = faults.filter(({ rule }) => rule === UNKNOWN).slice(0, MOST_UNKNOWN);
  const wrong = faults.filter(({ rule }) => rule !== UNKNOWN);
  return new ValidationDetailError([...wrong, ...unknown].map((fault) => listed(fault, listedIn)));
}

/** @param given the object that has the field, as it came: the validator drops what it does not know. */
function faultsOf(error: ValidationError, given: unknown, above: readonly string[] = []): Fault[] {
  const { property, constraints = {}, contexts = {}, children = [], target, value } = error;
  const path = [...above, property];
  const [rule] = Object.keys(constraints);
  const came = isPlainObject(given) ? given[property] : undefined;
  if (rule === undefined) return children.flatMap((child) => faultsOf(child, came, path));
  const words = (contexts[rule] ?? {}) as FieldWords;
  if (rule === UNKNOWN) return [{ path, rule, value, words: { known: knownBeside(target) } }];
  const odd = Object.keys(came ?? {}).find((name) => words.known?.includes(name) === false);
  return [
    odd === undefined
      ? { path, rule, value, words }
      : { path: [...path, odd], rule: UNKNOWN, value, words },
  ];
}

function knownBeside(target: object | undefined): string[] {
  return target === undefined ? [] : fieldsOf(target.constructor as new () => object);
}

function firstInWords([first]: readonly Fault[], whole = 'The request'): string {
  if (first === undefined) return 'The request is not valid: send a JSON object.';
  const { path, rule, value, words } = first;
  const [name = '', above] = [path.at(-1), path.slice(0, -1).join('.')];
  if (rule === UNKNOWN) {
    const odd = JSON.stringify(clip(name, LONGEST_NAME));
    const whose = above === '' ? whole : `'${above}'`;
    return `${whose} has no field ${odd}; its fields are ${words.known?.join(', ')}`;
  }
  if (words.says !== undefined) return words.says.replaceAll('$field', name);
  if (words.expected === undefined) return `Missing or invalid '${path.join('.')}'`;
  if (above === '') return `'${name}' must be ${words.expected}`;
  return clip(
    `'${above}': ${name} must be ${words.expected}, not ${JSON.stringify(value)}`,
    LONGEST_MESSAGE,
  );
}

function listed(fault: Fault, listedIn: string): ValidationProblem {
  const { rule, value, words } = fault;
  const path = fault.path.map((name) => clip(name, LONGEST_NAME));
  const type = words.pydantic ?? pydanticTypes[rule]?.(value) ?? 'value_error';
  return {
    loc: [listedIn, ...path],
    msg: clip(message(fault, path.join('.')), LONGEST_MESSAGE),
    type: value === undefined ? 'missing' : type,
  };
}

function message({ rule, value, words }: Fault, name: string): string {
  if (rule === UNKNOWN) return `${name} is no field here: send any of ${words.known?.join(', ')}`;
  if (value === undefined) return `${name} is missing; it must be ${words.expected}`;
  return `${name} must be ${words.expected}, not ${JSON.stringify(value)}`;
}

function noObject(listedIn: string): ValidationProblem {
  return { loc: [listedIn], msg: 'The request body must be a JSON object', type: 'dict_type' };
}

function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A fault of a request, in the form that clients of FastAPI parse. */
export interface ValidationProblem {
  /** `body`, then the path to the field. */
  loc: (string | number)[];
  /** For a person: names the field and its valid values. */
  msg: string;
  /** Pydantic's name of the fault, for example `int_type`. */
  type: string;
}

/**
 * A 422 that lists every fault of a request. The body is `{detail}` where the controller uses
 * `ValidationDetailFilter`, and the harness envelope elsewhere.
 */
export class ValidationDetailError extends TypedError {
  constructor(readonly detail: ValidationProblem[]) {
    const message = detail.map(({ msg }) => msg).join('; ');
    super('INVALID_REQUEST', { case: 'fields', message, details: detail });
    this.name = 'ValidationDetailError';
  }
}
