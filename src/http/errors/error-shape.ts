import {
  ApiExtension,
  ApiExtraModels,
  getSchemaPath,
  type ApiResponseSchemaHost,
} from '@nestjs/swagger';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { Reflector, type DiscoveryService } from '@nestjs/core';
import type { ListedError, StatusErrors } from '../../errors/describe-errors.js';
import type { ErrorCode } from '../../errors/error-table.js';
import { TypedError } from '../../errors/typed-error.js';
import { compact } from '../../platform/compact.js';
import { retryAdvice, type RetryAdvice } from '../../platform/retry-advice.js';
import { findHandlers } from '../find-handlers.js';
import { ErrorEnvelopeDto } from './error.dto.js';

export interface PublicError {
  status: number;
  headers: Record<string, string>;
  body: {
    error: {
      type: ErrorCode;
      message: string;
      details?: unknown;
      correlationId: string;
    } & RetryAdvice;
  };
}

/**
 * The client's view of a thrown error. A `TypedError` is meant for clients; anything else is the
 * server's own fault, whose text may contain paths, queries or keys: it is logged and masked here.
 *
 * @param correlationId the id of the request, under which its log lines are.
 */
export function toPublicError(thrown: unknown, correlationId: string): PublicError {
  const error =
    thrown instanceof TypedError
      ? thrown
      : new TypedError('SDK_FAILURE', {
          message: `Unexpected harness runtime error. The server's log has it under ${correlationId}.`,
          details: { correlationId },
        });
  const { type, message, details } = error;
  return {
    status: error.status,
    headers: error.headers,
    body: {
      error: {
        type,
        message,
        ...compact({ details }),
        ...retryAdvice(error),
        correlationId,
      },
    },
  };
}

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

/** The member of an operation with the errors that its route lists, until `answerErrors` describes them. */
export const LISTED_ERRORS = 'x-errors';

/** Lists the errors of a route, beside those that any route may give. */
export const ApiErrors = (...errors: ListedError[]) => ApiExtension(LISTED_ERRORS, errors);
