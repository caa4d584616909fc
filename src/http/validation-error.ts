import { invalidRequest, type TypedError } from '../errors/typed-error.js';

/** What a validator says of one property. */
export interface FieldProblem {
  property: string;
  constraints?: Record<string, string>;
}

/** One error for the first field that is wrong, in the words of the field's own rule. */
export function toValidationError(problems: readonly FieldProblem[]): TypedError {
  const [first] = problems;
  const [message] = Object.values(first?.constraints ?? {});
  return invalidRequest(message ?? 'The request is not valid: send a JSON object.');
}
