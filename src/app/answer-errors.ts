import type { OpenAPIObject } from '@nestjs/swagger';
import { describeErrors, type ListedError, type StatusErrors } from '../errors/describe-errors.js';
import { errorTable } from '../errors/error-table.js';
import { LISTED_ERRORS, type ErrorShape } from '../http/errors/error-shape.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [LISTED_ERRORS]?: ListedError[];
};

/** Errors of every route that needs a caller, before its own code and beside it. */
const guarded: ListedError[] = [
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'FORBIDDEN_ROLE',
  'ISSUER_UNAVAILABLE',
  'FORBIDDEN_ORIGIN',
  'FORBIDDEN_SCOPE',
  'FORBIDDEN_FOR_PAGE',
  'RATE_LIMITED',
  'SDK_FAILURE',
  'STORAGE_UNAVAILABLE',
  'STORAGE_READ_ONLY',
  'STORAGE_FULL',
];

/** Errors of every route that takes a body, while it is received. */
const receiving: ListedError[] = ['REQUEST_TIMEOUT', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** Errors of every route that streams. */
const reading: ListedError[] = ['TOO_MANY_READERS', 'TOO_MANY_READERS/process'];

/**
 * Adds the answers of an operation for its errors: those that its route lists, and those that any route
 * may give. A client that waits for the model gets failures of the provider with its status. Answers that the route describes itself stay as they are, and so do open routes.
 */
export function answerErrors(operation: Operation, shape: ErrorShape): void {
  const listed = operation[LISTED_ERRORS] ?? [];
  delete operation[LISTED_ERRORS];
  if (operation.security?.length === 0) return;
  if (listed.includes('SDK_FAILURE/unreadable')) {
    const description = `${errorTable.SDK_FAILURE.means} With the status of the provider.`;
    const errors: StatusErrors = {
      status: errorTable.SDK_FAILURE.status,
      codes: ['SDK_FAILURE'],
      description,
    };
    operation.responses.default = { description, content: shape.describe(errors) };
  }
  const whole = operation.responses['200'];
  const isStream =
    whole !== undefined && 'content' in whole && 'text/event-stream' in (whole.content ?? {});
  const common = [
    ...(isStream ? reading : []),
    ...guarded,
    ...(operation.requestBody === undefined ? [] : receiving),
  ];
  for (const errors of describeErrors([...listed, ...common])) {
    const { status, description } = errors;
    operation.responses[status] ??= { description, content: shape.describe(errors) };
  }
}
