import { randomUUID } from 'node:crypto';
import {
  Catch,
  HttpException,
  Inject,
  Optional,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { hideKeys } from '../access/keys/key-secret.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { isDatabaseDown } from '../storage/database-errors.js';
import { refusedWrite } from '../storage/refused-writes.js';
import { Presence } from '../turn/face.js';
import { idsOf, noteError, recordOf } from '../http/request-record.js';
import { TypedError, invalidRequest } from '../errors/typed-error.js';
import {
  toPublicError,
  type PublicError,
  type ShapedPaths,
  envelopeShape,
  type ErrorShape,
} from '../http/errors/error-shape.js';

/**
 * The shapes of errors by path, also of paths without a route: each has the shape of the nearest paths
 * that it is below, up to their first parameter. Pure.
 */
export class ErrorShapes {
  /** The longest first, each with a final slash. */
  readonly #heads: readonly { head: string; shape: ErrorShape | undefined }[];

  constructor(paths: readonly ShapedPaths[]) {
    this.#heads = paths
      .flatMap(({ patterns, shape }) => patterns.map((one) => ({ head: headOf(one), shape })))
      .filter(({ head }) => head !== '/')
      .toSorted((a, b) => b.head.length - a.head.length);
  }

  of(path: string): ErrorShape {
    const below = `${path.toLowerCase()}/`;
    return this.#heads.find(({ head }) => below.startsWith(head))?.shape ?? envelopeShape;
  }
}

function headOf(pattern: string): string {
  const parts = pattern.toLowerCase().split('/');
  const end = parts.findIndex((part) => part.startsWith(':') || part.startsWith('*'));
  const head = parts.slice(0, end === -1 ? undefined : end).filter((part) => part !== '');
  return head.map((part) => `/${part}`).join('') + '/';
}

/** Turns every error into an HTTP answer. */
@Catch()
export class HarnessErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly shapes: ErrorShapes,
    /** Absent where the process takes no readers. */
    @Optional() private readonly presence?: Presence,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const { method } = request;
    const path = hideKeys(request.path);
    const response = http.getResponse<Response>();
    const refused = refusedWrite(thrown);
    const isStorageDown = isDatabaseDown(thrown);
    // The refused request may have been a reader's.
    if (isStorageDown) this.presence?.noteAway();
    const unavailable = isStorageDown ? storageUnavailable(thrown) : undefined;
    const error = refused ?? unavailable ?? toTyped(thrown, path);
    const ids = idsOf(recordOf(request) ?? { id: randomUUID() });
    const log = this.logger.child(ids);
    noteError(request, error instanceof TypedError ? error.type : 'SDK_FAILURE');
    if (error instanceof TypedError) {
      const { type, message, status, cause } = error;
      log.debug({ method, path, status, type, message, error: cause }, 'request refused');
    } else if (response.destroyed && recordOf(request)?.isBroken !== true) {
      // Failures after the client left are no one's fault.
      log.debug({ method, path, error }, 'request failed after its client had left');
    } else {
      log.error(
        { method, path, error },
        'request failed by a fault of the server; report it with the stack in `error`',
      );
    }
    if (response.destroyed) return;
    if (response.headersSent) {
      response.end();
      return;
    }
    this.#answer(response, toPublicError(error, ids.requestId), path);
  }

  #answer(response: Response, error: PublicError, path: string): void {
    const { status, headers, body } = this.shapes.of(path).write(error, path);
    response.statusCode = status;
    // The framework's own method would add a charset to types that have none.
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(JSON.stringify(body));
  }
}

/** Translates the framework's own errors. */
function toTyped(thrown: unknown, path: string): unknown {
  if (thrown instanceof TypedError) return thrown;
  if (thrown instanceof HttpException) {
    const status = thrown.getStatus();
    if (status === 404) return notFound(path);
    // The framework's only other error, as it parses no body: a malformed URL.
    if (status < 500) return invalidRequest('The URL must be valid');
  }
  return thrown;
}

/** The driver's own message is for the log alone. */
function storageUnavailable(cause: unknown): TypedError {
  return new TypedError('STORAGE_UNAVAILABLE', {
    message:
      'The database does not answer. Turns that were accepted go on when it does; send this request again in a few seconds, a turn with its Idempotency-Key.',
    cause,
  });
}

function notFound(path: string): TypedError {
  return new TypedError('ROUTE_NOT_FOUND', {
    message: `There is no route ${path.slice(0, 200)}. The routes are listed at /docs.`,
  });
}
