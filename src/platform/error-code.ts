/**
 * The code of a system error (`ENOENT`, `EADDRINUSE`), or undefined for anything else. By shape:
 * the runtime's errors may come from another realm, where `instanceof Error` is false.
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Errors of what is gone, was exchanged for a link, or may not be opened. */
const notThere: readonly (string | undefined)[] = [
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'EACCES',
  'EPERM',
];

/** @returns undefined for what is gone, was exchanged for a link, or may not be opened. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (notThere.includes(errorCode(error))) return undefined;
    throw error;
  }
}

/** Most causes of an error that are looked at: a chain of causes may be a ring. */
const MAX_CAUSES = 5;

/** An error and its causes, outermost first. */
export function withCauses(error: unknown): unknown[] {
  const links: unknown[] = [];
  let link = error;
  while (link !== undefined && link !== null && links.length < MAX_CAUSES) {
    links.push(link);
    link = typeof link === 'object' && 'cause' in link ? link.cause : undefined;
  }
  return links;
}
