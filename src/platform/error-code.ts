/**
 * The code of a system error (`ENOENT`, `EADDRINUSE`), or undefined for anything else. By shape:
 * the runtime's errors may come from another realm, where `instanceof Error` is false.
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
