import { invalidRequest } from '../errors/typed-error.js';

/** The state that a request expects of a file: its version, any that is there, or that it is not there. */
export type Expected = number | 'any' | 'none';

/** The `ETag` of a version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * The precondition of a request. @returns undefined: it has none. @throws TypedError INVALID_REQUEST 400.
 *
 * @param ifMatch,ifNoneMatch the headers.
 */
export function parsePrecondition(
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): Expected | undefined {
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch === '*' && ifMatch === undefined) return 'none';
    throw invalidRequest("'If-None-Match' must be '*', and come without 'If-Match'");
  }
  if (ifMatch === undefined) return undefined;
  if (ifMatch === '*') return 'any';
  const [, version] = /^"(\d{1,9})"$/.exec(ifMatch) ?? [];
  if (version !== undefined) return Number(version);
  throw invalidRequest("'If-Match' must be the ETag of the file, as '\"7\"', or '*'");
}
