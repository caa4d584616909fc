import { getSchemaPath } from '@nestjs/swagger';
import { TypedError } from '../../errors/typed-error.js';
import {
  clipped,
  MAX_FAULT_MESSAGE_CHARS,
  MAX_FAULT_NAME_CHARS,
  UNKNOWN_FIELD,
  type FieldFault,
  type RequestForm,
} from '../request.pipe.js';
import { envelopeShape, type ErrorShape, type PublicError } from './error-shape.js';
import { ErrorEnvelopeDto, ValidationDetailDto, type ValidationProblemDto } from './error.dto.js';

/** Faults of requests as clients of FastAPI parse them: on the routes of preferences and on the oracle's. */

/** A request may have any number of unknown fields. */
const MAX_UNKNOWN_FIELDS = 20;

/** Pydantic's names of faults, by the rule that is broken. */
const faultNames: Record<string, (value: unknown) => string> = {
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
  [UNKNOWN_FIELD]: () => 'extra_forbidden',
};

/**
 * Refuses a request with the list of all its faults, the unknown fields last.
 *
 * @param place of the fields, with which each location begins.
 * @param others names of faults in place of Pydantic's for their rules.
 */
export function listedIn(
  place: 'body' | 'query',
  others: Readonly<Record<string, string>> = {},
): NonNullable<RequestForm['refuse']> {
  const entryOf = (fault: FieldFault): ValidationProblemDto => {
    const { rule, value } = fault;
    const path = fault.path.map((name) => clipped(name, MAX_FAULT_NAME_CHARS));
    const type = others[rule] ?? faultNames[rule]?.(value) ?? 'value_error';
    return {
      loc: [place, ...path],
      msg: clipped(message(fault, path.join('.')), MAX_FAULT_MESSAGE_CHARS),
      type: value === undefined ? 'missing' : type,
    };
  };
  return (faults, request) => {
    if (Array.isArray(request)) return faultList([noObject(place)]);
    const unknown = faults
      .filter(({ rule }) => rule === UNKNOWN_FIELD)
      .slice(0, MAX_UNKNOWN_FIELDS);
    const wrong = faults.filter(({ rule }) => rule !== UNKNOWN_FIELD);
    return faultList([...wrong, ...unknown].map(entryOf));
  };
}

function message({ rule, value, words }: FieldFault, name: string): string {
  if (rule === UNKNOWN_FIELD) {
    return `${name} is no field here: send any of ${words.known?.join(', ')}`;
  }
  if (value === undefined) return `${name} is missing; it must be ${words.expected}`;
  return `${name} must be ${words.expected}, not ${JSON.stringify(value)}`;
}

function noObject(place: string): ValidationProblemDto {
  return { loc: [place], msg: 'The request body must be a JSON object', type: 'dict_type' };
}

/** A 422 whose details are the faults of a request. */
function faultList(faults: readonly ValidationProblemDto[]): TypedError {
  const message = faults.map(({ msg }) => msg).join('; ');
  return new TypedError('INVALID_REQUEST', { case: 'fields', message, details: faults });
}

/** The faults that an error lists; undefined for any other error. */
export function listedFaults({ status, body: { error } }: PublicError): unknown {
  return status === 422 && error.type === 'INVALID_REQUEST' ? error.details : undefined;
}

/** Lists the faults of a request; other errors are enveloped. */
export const faultsShape: ErrorShape = {
  write: (error, path) => {
    const answer = envelopeShape.write(error, path);
    const detail = listedFaults(error);
    const { correlationId } = error.body.error;
    return detail === undefined ? answer : { ...answer, body: { detail, correlationId } };
  },
  describe: (errors) =>
    errors.status === 422
      ? { 'application/json': { schema: { $ref: getSchemaPath(ValidationDetailDto) } } }
      : envelopeShape.describe(errors),
  models: [ErrorEnvelopeDto, ValidationDetailDto],
};
