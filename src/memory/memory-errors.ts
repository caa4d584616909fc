import { invalidRequest, TypedError } from '../errors/typed-error.js';

export function memoryFileNotFound(path: string): TypedError {
  return new TypedError('MEMORY_FILE_NOT_FOUND', {
    message: `The memory has no file ${path.slice(0, 200)}. GET /api/harness/memory/{agent} lists its files.`,
  });
}

/** @param version undefined: there is no such file. */
export function memoryChanged(path: string, version: number | undefined): TypedError {
  const now = version === undefined ? 'It does not exist.' : `Its version is ${version}.`;
  return new TypedError('MEMORY_CHANGED', {
    message: `The file ${path} is not in the state that the request expects, and was not changed. ${now} Read it, then send the request with its ETag.`,
    details: { version: version ?? null },
  });
}

/** @param why a whole sentence. */
export function memoryFull(why: string): TypedError {
  return new TypedError('MEMORY_FULL', { message: why });
}

export function memoryLimit(most: number): TypedError {
  return memoryFull(
    `You have memories of ${most} agents already, which is the limit. Delete one, then write again.`,
  );
}

export function memoryOff(): TypedError {
  return new TypedError('MEMORY_OFF', {
    message:
      'Memory is off on this server (TURNPIKE_MEMORY=false). Existing files can be read and deleted.',
  });
}

/** @param problem a sentence without its full stop. */
export function badPath(problem: string): TypedError {
  return invalidRequest(`'path': ${problem}`);
}

export function preconditionMissing(): TypedError {
  return invalidRequest(
    "Send 'If-Match' with the ETag of the file to replace it, or 'If-None-Match: *' to make a new one. Without either, a write could replace what you have not read",
  );
}

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
