import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isPlainObject, type JsonObject } from '../json.js';
import { plainNumbers } from '../exact-json.js';
import { wordInvalid } from './word-invalid.js';

export type CheckedInput = { ok: true; input: JsonObject } | { ok: false; message: string };
export type InputCheck = (input: unknown) => CheckedInput;

const shownProblems = 3;
const options: Options = {
  allErrors: true,
  verbose: true,
  // Schemas come from many authors: unknown keywords and formats are allowed.
  strict: false,
  validateFormats: false,
  // `compile` does it, with words of its own.
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
};
const draft7 = new Ajv(options);
const draft2020 = new Ajv2020(options);

/**
 * Compiles the JSON Schema of an input. The check's message names each wrong field and what is allowed
 * there, three at most. Exact numbers (`exact-json.ts`) are checked as plain ones, and stay in the input.
 *
 * @throws Error when the schema is not valid or its root is not an object.
 */
export function compileInputCheck(schema: JsonObject): InputCheck {
  if (schema['type'] !== 'object') throw new Error('the root of the schema must be type "object"');
  return compileObjectCheck(schema, 'the input');
}

/**
 * Compiles a JSON Schema of objects, however its root says so.
 *
 * @param whole the object's name in messages.
 * @throws Error when the schema is not valid.
 */
export function compileObjectCheck(schema: JsonObject, whole: string): InputCheck {
  const validate = compile(schema);
  return (input) => {
    const plain = plainNumbers(input);
    const isValid = validate(plain);
    if (isValid && isJsonObject(plain) && isJsonObject(input)) return { ok: true, input };
    const message = isValid
      ? `${whole} must be object`
      : describeProblems(validate.errors ?? [], whole);
    return { ok: false, message };
  };
}

function compile(schema: JsonObject): ValidateFunction {
  const { $schema: dialect, $id: _own, ...rest } = schema;
  const ajv = typeof dialect === 'string' && dialect.includes('draft-07') ? draft7 : draft2020;
  // ajv finds a reference to the root (`#`) by the root's name, and forgets what has it: it may be nobody else's.
  const named = { ...rest, $id: 'root' };
  if (ajv.validateSchema(named) !== true) {
    throw new Error(wordInvalid(named, ajv.errors ?? []).message);
  }
  try {
    return ajv.compile(named);
  } finally {
    // ajv keeps every schema it ever compiled; schemas here come and go with those who send them.
    ajv.removeSchema(named);
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}

function describeProblems(errors: readonly ErrorObject[], whole: string): string {
  const all = [...new Set(errors.map((error) => describeProblem(error, whole)))];
  const shown = all.slice(0, shownProblems).join('; ');
  const more = all.length - shownProblems;
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

function describeProblem(error: ErrorObject, whole: string): string {
  const fieldName = (path: readonly string[]): string => nameOf(path, whole);
  const at = error.instancePath.split('/').slice(1);
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
      return `${fieldName([...at, String(params['missingProperty'])])} is required`;
    case 'additionalProperties':
      return `${fieldName([...at, String(params['additionalProperty'])])} is not allowed${knownFields(error)}`;
    case 'enum':
      return `${fieldName(at)} must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'const':
      return `${fieldName(at)} must be ${JSON.stringify(params['allowedValue'])}`;
    default:
      return `${fieldName(at)} ${error.message ?? 'is not valid'}`;
  }
}

function nameOf(path: readonly string[], whole: string): string {
  if (path.length === 0) return whole;
  return path.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function knownFields(error: ErrorObject): string {
  const properties: unknown = error.parentSchema?.['properties'];
  const names = isPlainObject(properties) ? Object.keys(properties) : [];
  return names.length === 0 ? '' : ` (known: ${names.join(', ')})`;
}
