import { TypedError } from '../../errors/typed-error.js';

/** A fault of a request, in the form that clients of FastAPI parse. */
export interface ValidationProblem {
  /** `body`, then the path to the field. */
  loc: (string | number)[];
  /** For a person: names the field and its valid values. */
  msg: string;
  /** Pydantic's name of the fault, for example `int_type`. */
  type: string;
}

/**
 * A 422 that lists every fault of a request. The body is `{detail}` where the controller uses
 * `ValidationDetailFilter`, and the harness envelope elsewhere.
 */
export class ValidationDetailError extends TypedError {
  constructor(readonly detail: ValidationProblem[]) {
    const message = detail.map(({ msg }) => msg).join('; ');
    super('INVALID_REQUEST', { case: 'fields', message, details: detail });
    this.name = 'ValidationDetailError';
  }
}
