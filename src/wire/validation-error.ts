import { invalidRequest, type TypedError } from '../platform/typed-error.js';

/** What a validator says of one property. */
export interface FieldProblem {
  property: string;
  constraints?: Record<string, string>;
}

/** The contract's wording for the first field that is wrong. */
export function toValidationError(problems: readonly FieldProblem[]): TypedError {
  const [first] = problems;
  if (first === undefined) return invalidRequest('The request is not valid');
  return 'isArray' in (first.constraints ?? {})
    ? invalidRequest(`Field '${first.property}' must be an array of strings`)
    : invalidRequest(`Missing or invalid '${first.property}'`);
}
