import { errorCode } from '../platform/error-code.js';

/**
 * Whether the database refused a statement for what it says, and will again: SQLSTATE class 22 is
 * data, 23 constraints, 54 limits. A missing table may come back. Looks through the chain of causes.
 */
export function isStatementRefused(error: unknown): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause !== undefined && cause !== null; depth += 1) {
    if (/^(22|23|54)[0-9A-Z]{3}$/.test(errorCode(cause) ?? '')) return true;
    cause = typeof cause === 'object' && 'cause' in cause ? cause.cause : undefined;
  }
  return false;
}
