import type { StoredTrace } from '../storage/shapes/stored-turn.js';
import { compact } from '../platform/compact.js';
import type { Logger } from '../platform/logger.js';
import { traceIdOf } from '../telemetry/span-names.js';
import type { KeyScope, PrincipalLimits } from '../storage/governance-schema.js';

/** The id of the principal of requests while there are no API keys. */
export const LOCAL_USER = 'local';

/** Limits of a principal, with the server's defaults filled in; 0: no limit. */
export type ResolvedLimits = Readonly<Required<PrincipalLimits>>;

/** The sender of a request, and the owner of everything it creates. */
export interface Principal {
  id: string;
  /** The key of the request; null: none, on a server without keys. */
  keyId: string | null;
  scopes: readonly KeyScope[];
  limits: ResolvedLimits;
  /** Folders that the key opens for sessions, beside its own and those open to all. */
  projectRoots: readonly string[];
  /** Id of the request, for the log. */
  requestId?: string;
  /** The span of the request; absent: none. */
  trace?: StoredTrace;
}

/** Limits of a key: its own, and the server's for the others. Pure. */
export function limitsOf(own: PrincipalLimits, defaults: ResolvedLimits): ResolvedLimits {
  return { ...defaults, ...own };
}

/** The caller of a server without keys. Creating keys needs `Authenticator.mayMakeFirstKey`. */
export function localPrincipal(limits: ResolvedLimits): Principal {
  return { id: LOCAL_USER, keyId: null, scopes: ['turns', 'approvals'], limits, projectRoots: [] };
}

/** A logger that puts the ids of the caller's request on every line. */
export function callerLogger(
  logger: Logger,
  caller: Pick<Principal, 'requestId' | 'trace'> | undefined,
): Logger {
  const { requestId, trace } = caller ?? {};
  if (requestId === undefined) return logger;
  return logger.child(compact({ requestId, traceId: trace && traceIdOf(trace) }));
}
