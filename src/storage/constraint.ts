/**
 * The constraint a failed statement violated: the database's error is somewhere in the chain of
 * causes of what the query builder throws.
 */
export function violatedConstraint(error: unknown): string | undefined {
  let cause: unknown = error;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ('constraint' in cause && typeof cause.constraint === 'string') return cause.constraint;
    cause = cause.cause;
  }
  return undefined;
}
