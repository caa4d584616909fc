/**
 * Whether an error is the server's refusal with a code. Not by its class: the client of an embedded server has one of its
 * own. Pure.
 */
export function isRefusal(error: unknown, code: string): error is Error {
  return error instanceof Error && 'code' in error && error.code === code;
}
