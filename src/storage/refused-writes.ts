import { TypedError } from '../errors/typed-error.js';
import { errorCode, withCauses } from '../platform/error-code.js';

/** Why a store that answers takes no write. */
export type WriteRefusal = 'full' | 'read-only';

/** SQLSTATEs, and codes of the operating system. */
const codes: Readonly<Record<string, WriteRefusal>> = {
  53100: 'full',
  ENOSPC: 'full',
  EDQUOT: 'full',
  25006: 'read-only',
  EROFS: 'read-only',
};

/**
 * Beginnings of Redis' errors: no memory; a replica, also after a failover; no disk for its snapshots; too few replicas.
 * And the system's words for a full disk, which the embedded database passes on.
 */
const messages: readonly [RegExp, WriteRefusal][] = [
  [/^-?OOM /, 'full'],
  [/^-?(?:READONLY|MISCONF|NOREPLICAS) /, 'read-only'],
  [/No space left on device|Disk quota exceeded/, 'full'],
  // PostgreSQL's, of a new connection that has no room for its catalogues.
  [/^could not write init file$/, 'full'],
  [/Read-only file system/, 'read-only'],
];

/** Why a write failed at a store that answers; undefined: for any other reason. */
export function writeRefusal(error: unknown): WriteRefusal | undefined {
  for (const cause of withCauses(error)) {
    const known = codes[errorCode(cause) ?? ''];
    if (known !== undefined) return known;
    // What a statement says itself is its text and its parameters, which people wrote.
    if (!(cause instanceof Error) || 'query' in cause) continue;
    const said = messages.find(([words]) => words.test(cause.message));
    if (said !== undefined) return said[1];
  }
  return undefined;
}

/** The error for a client whose write failed at a store that is full or read-only; undefined: for any other reason. */
export function refusedWrite(error: unknown): TypedError | undefined {
  const refusal = error instanceof TypedError ? undefined : writeRefusal(error);
  if (refusal === undefined) return undefined;
  if (refusal === 'full') {
    return new TypedError('STORAGE_FULL', {
      message:
        'The server has no space left to store this. Turns that were accepted go on when there is room; send this request again later, a turn with its Idempotency-Key. Operator: make room for the database, Redis and files; /ready says which is full.',
      cause: error,
    });
  }
  return new TypedError('STORAGE_READ_ONLY', {
    message:
      'A store of the server takes no writes at the moment. Turns that were accepted go on when it does; send this request again in a few seconds, a turn with its Idempotency-Key. Operator: /ready says which; after a failover, check that the address leads to the new primary.',
    cause: error,
  });
}
