import { getSchemaPath, type ApiResponseSchemaHost, ApiExtraModels } from '@nestjs/swagger';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Reflector, type DiscoveryService } from '@nestjs/core';
import type { StatusErrors } from '../../errors/describe-errors.js';
import { findHandlers } from '../find-handlers.js';
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

const ERROR_SHAPE = 'turnpike:error-shape';

/**
 * The shape of errors of a controller's routes, for clients that do not parse `{error: …}`. Paths below
 * its prefix and its routes have it too, even where there is no such route.
 */
export const ErrorsAs = (shape: ErrorShape): ClassDecorator =>
  applyDecorators(SetMetadata(ERROR_SHAPE, shape), ApiExtraModels(...shape.models));

export interface ShapedPaths {
  /** A controller's prefix, and the pattern of one of its routes. */
  patterns: readonly string[];
  /** Undefined: the usual shape. */
  shape: ErrorShape | undefined;
}

/** Finds the declared shapes of all routes. */
export function findShapedPaths(
  discovery: Pick<DiscoveryService, 'getControllers'>,
): ShapedPaths[] {
  const reflector = new Reflector();
  return findHandlers(discovery).map(({ controller, patterns, prefixes }) => ({
    patterns: [...prefixes, ...patterns],
    shape: reflector.get<ErrorShape | undefined>(ERROR_SHAPE, controller),
  }));
}
