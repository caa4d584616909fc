import { randomUUID } from 'node:crypto';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from '../platform/logger.js';
import { TypedError, invalidRequest } from '../platform/typed-error.js';
import { toPublicError, type PublicError } from './public-error.js';

/** How the clients of some routes parse an error, where it is not `{error: …}`. */
export interface ErrorFormat {
  /** Of requests that it answers, also where there is no such route. */
  paths: RegExp;
  /** @param headers of the answer, its `Content-Type` among them. */
  write(
    error: PublicError,
    path: string,
  ): { status: number; headers: Record<string, string>; body: object };
}

/** The one place from an error to an HTTP answer. */
@Catch()
export class HarnessErrorFilter implements ExceptionFilter {
  /**
   * @param isStorageDown whether an error means that the database did not answer.
   * @param formats the first one that has the path counts.
   */
  constructor(
    private readonly logger: Logger,
    private readonly isStorageDown: (error: unknown) => boolean,
    private readonly formats: readonly ErrorFormat[] = [],
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { method, path } = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = this.isStorageDown(thrown) ? storageUnavailable(thrown) : toTyped(thrown, path);
    const correlationId = randomUUID();
    if (error instanceof TypedError) {
      const { type, message, status, cause } = error;
      this.logger.debug({ method, path, status, type, message, cause }, 'request refused');
    } else if (response.destroyed) {
      // Its client has left: what broke then is nobody's fault.
      this.logger.debug({ method, path, error }, 'request abandoned');
    } else {
      this.logger.error({ method, path, correlationId, error }, 'request failed');
    }
    if (response.destroyed) return;
    if (response.headersSent) {
      response.end();
      return;
    }
    this.#answer(response, toPublicError(error, correlationId), path);
  }

  #answer(response: Response, error: PublicError, path: string): void {
    const format = this.formats.find(({ paths }) => paths.test(path)) ?? harnessFormat;
    const { status, headers, body } = format.write(error, path);
    response.statusCode = status;
    // Not the framework's way: it would add a charset to types that have none.
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(JSON.stringify(body));
  }
}

const harnessFormat: ErrorFormat = {
  paths: /^/,
  write: ({ status, headers, body }) => ({
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
    body,
  }),
};

/** What the framework throws by itself, in our words. */
function toTyped(thrown: unknown, path: string): unknown {
  if (thrown instanceof TypedError) return thrown;
  if (thrown instanceof HttpException) {
    const status = thrown.getStatus();
    if (status === 404) return notFound(path);
    if (status === 413) return bodyTooLarge();
    // The framework's only other refusals: an address and a body that it could not read.
    if (status < 500 && !isReadable(path)) return invalidRequest('The URL must be valid');
    if (status < 500) return invalidRequest('Request body must be valid JSON');
  }
  return thrown;
}

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The driver's own words are for the log. */
function storageUnavailable(cause: unknown): TypedError {
  return new TypedError('STORAGE_UNAVAILABLE', {
    status: 503,
    message:
      'The database does not answer. Turns that were accepted go on when it does; send this request again in a few seconds, a turn with its Idempotency-Key.',
    headers: { 'Retry-After': '5' },
    cause,
  });
}

function notFound(path: string): TypedError {
  return new TypedError('ROUTE_NOT_FOUND', {
    status: 404,
    message: `There is no route ${path.slice(0, 200)} with this method. The routes are listed at /docs.`,
  });
}

function bodyTooLarge(): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    status: 413,
    message:
      'The request body is larger than TURNPIKE_MAX_BODY_BYTES allows. Send large content as an attachment.',
  });
}
