import { invalidRequest, type TypedError } from '../errors/typed-error.js';

/** The validator's messages about a property. */
export interface FieldProblem {
  property: string;
  constraints?: Record<string, string>;
}

/** The error for the first invalid field, in the words of the field's rule. */
export function toValidationError(problems: readonly FieldProblem[]): TypedError {
  const [first] = problems;
  const [message] = Object.values(first?.constraints ?? {});
  return invalidRequest(message ?? 'The request is not valid: send a JSON object.');
}
