import type { OpenAPIObject } from '@nestjs/swagger';
import { describeErrors, type ListedError } from '../errors/describe-errors.js';
import { LISTED_ERRORS } from '../http/api-errors.decorator.js';
import type { ErrorShape } from '../http/error-shape.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [LISTED_ERRORS]?: ListedError[];
};

/** Errors of every route that needs a caller, before its own code and beside it. */
const guarded: ListedError[] = [
  'UNAUTHENTICATED',
  'FORBIDDEN_ORIGIN',
  'FORBIDDEN_SCOPE',
  'RATE_LIMITED',
  'SDK_FAILURE',
  'STORAGE_UNAVAILABLE',
];

/** Errors of every route that takes a body, while it is received. */
const receiving: ListedError[] = [
  'INVALID_REQUEST',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
];

/**
 * Adds the answers of an operation for its errors: those that its route lists, and those that any route
 * may give. Answers that the route describes itself stay as they are, and so do open routes.
 */
export function answerErrors(operation: Operation, shape: ErrorShape): void {
  const listed = operation[LISTED_ERRORS] ?? [];
  delete operation[LISTED_ERRORS];
  if (operation.security?.length === 0) return;
  const common = [...guarded, ...(operation.requestBody === undefined ? [] : receiving)];
  for (const errors of describeErrors([...listed, ...common])) {
    const { status, description } = errors;
    operation.responses[status] ??= { description, content: shape.describe(errors) };
  }
}
