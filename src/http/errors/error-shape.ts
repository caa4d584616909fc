import { getSchemaPath, type ApiResponseSchemaHost } from '@nestjs/swagger';
import type { StatusErrors } from '../../errors/describe-errors.js';
import { ErrorEnvelopeDto } from './api-errors.decorator.js';
import type { PublicError } from './public-error.js';
import { ValidationDetailDto } from './validation-detail.dto.js';

/** The answer for an error, with all its headers, its `Content-Type` among them. */
export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}

export type Schema = ApiResponseSchemaHost['schema'];

/** Errors as the clients of a wire parse them. */
export interface ErrorShape {
  /** @param path of the request. */
  write(error: PublicError, path: string): ErrorAnswer;
  /** The answers of a status in the API's document, by their media type. */
  describe(errors: StatusErrors): Record<string, { schema: Schema }>;
  /** Models that `describe` refers to. */
  models: readonly (new () => object)[];
}

const json = { 'Content-Type': 'application/json; charset=utf-8' };

/** The shape of errors on most routes. */
export const envelopeShape: ErrorShape = {
  write: ({ status, headers, body }) => ({ status, headers: { ...headers, ...json }, body }),
  describe: ({ codes }) => {
    const error: Schema = { type: 'object', properties: { type: { enum: codes } } };
    return { 'application/json': { schema: narrowed(ErrorEnvelopeDto, { error }) } };
  },
  models: [ErrorEnvelopeDto],
};

/** Lists the faults of a request as clients of FastAPI parse them; other errors are enveloped. */
export const faultsShape: ErrorShape = {
  write: (error, path) =>
    error.faults === undefined
      ? envelopeShape.write(error, path)
      : {
          ...envelopeShape.write(error, path),
          body: { detail: error.faults, correlationId: error.body.error.correlationId },
        },
  describe: (errors) =>
    errors.status === 422
      ? { 'application/json': { schema: { $ref: getSchemaPath(ValidationDetailDto) } } }
      : envelopeShape.describe(errors),
  models: [ErrorEnvelopeDto, ValidationDetailDto],
};

/** A model's schema, with properties that say more. */
export function narrowed(model: new () => object, properties: Record<string, Schema>): Schema {
  return { allOf: [{ $ref: getSchemaPath(model) }, { type: 'object', properties }] };
}
