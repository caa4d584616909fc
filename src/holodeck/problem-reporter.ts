import { randomUUID } from 'node:crypto';
import type { Logger } from '../platform/logger.js';
import { TypedError } from '../platform/typed-error.js';
import { toPublicError } from '../wire/public-error.js';
import { storageUnavailable } from './holodeck-errors.js';
import { toProblemAnswer } from './problem.js';

export interface FailedRequest {
  method: string;
  path: string;
  /** Its client has left: what broke then is nobody's fault. */
  isAbandoned: boolean;
}

/** From whatever was thrown to what a client is told; the rest goes to the log. */
export class ProblemReporter {
  /** @param isStorageDown whether an error means that the database did not answer. */
  constructor(
    private readonly logger: Logger,
    private readonly isStorageDown: (error: unknown) => boolean,
  ) {}

  report(thrown: unknown, { method, path, isAbandoned }: FailedRequest) {
    const correlationId = randomUUID();
    const error = this.#toTyped(thrown, correlationId);
    const { type, status, message, cause } = error;
    if (error === thrown || isAbandoned || cause !== undefined) {
      this.logger.debug({ method, path, status, type, message, cause }, 'request refused');
    } else {
      this.logger.error({ method, path, correlationId, error: thrown }, 'request failed');
    }
    return toProblemAnswer(error, path);
  }

  #toTyped(thrown: unknown, correlationId: string): TypedError {
    if (thrown instanceof TypedError) return thrown;
    if (this.isStorageDown(thrown)) return storageUnavailable(thrown);
    const { status, body } = toPublicError(thrown, correlationId);
    return new TypedError(body.error.type, { status, message: body.error.message });
  }
}
