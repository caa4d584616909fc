import type { KeyScope, PrincipalLimits } from '../storage/governance-schema.js';

/** The id of the principal of requests while there are no API keys. */
export const LOCAL_USER = 'local';

/** What a principal may use, with the server's defaults filled in; 0: no limit. */
export type ResolvedLimits = Readonly<Required<PrincipalLimits>>;

/** Who a request comes from. What it makes is this one's, and nobody else's. */
export interface Principal {
  id: string;
  /** The key it came with; null: none, and the server has none. */
  keyId: string | null;
  scopes: readonly KeyScope[];
  limits: ResolvedLimits;
  /** Folders that its key opens for sessions, beside its own and those open to all. */
  projectRoots: readonly string[];
  /** Id of the request that it sent, for the lines of the log about it. */
  requestId?: string;
}

/** Limits of a key, where it has its own, and else the server's. Pure. */
export function limitsOf(own: PrincipalLimits, defaults: ResolvedLimits): ResolvedLimits {
  return { ...defaults, ...own };
}

/** Whoever reaches a server without keys. Does not manage keys: see `mayBootstrap`. */
export function localPrincipal(limits: ResolvedLimits): Principal {
  return { id: LOCAL_USER, keyId: null, scopes: ['turns', 'approvals'], limits, projectRoots: [] };
}
