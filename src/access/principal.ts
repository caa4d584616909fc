import type { RequestTry } from '../http/request-try.js';
import type { StoredTrace } from '../storage/shapes/stored-turn.js';
import { compact } from '../platform/compact.js';
import type { Logger } from '../platform/logger.js';
import { traceIdOf } from '../telemetry/span-names.js';
import type { KeyCensus } from './keys/key-store.js';
import type { KeyScope, PrincipalLimits } from '../storage/governance-schema.js';
import type { DayLimits } from '../storage/shapes/stored-options.js';

/** The id of the principal of requests to an open server. */
export const LOCAL_USER = 'local';

/** The form of a principal's id: the name of a key's, or `issuer:person`. */
export const principalForm = /^[A-Za-z0-9][^\s\p{C}]{0,199}$/u;
export const principalFormWords = '1 to 200 characters, a letter or digit first, and none blank';

/** Limits of a principal, with the server's defaults filled in; 0: no limit. */
export type ResolvedLimits = Readonly<Required<PrincipalLimits>>;

/** The proof of who sent a request. */
export type Credential =
  /** No credential: an open server lets every client do everything. */
  | { kind: 'none' }
  /** An API key, by its id. */
  | { kind: 'key'; id: string }
  /** A token of an identity provider, by its issuer's name. */
  | {
      kind: 'token';
      issuer: string;
      /** SHA-256 of the token's `jti`, in hex; absent: it has none. */
      id?: string;
      expiresAt: Date;
      /** Groups of the person, as the token has them. */
      groups: readonly string[];
      /** 1970 where the token does not say. */
      issuedAt: Date;
    }
  /** The cookie of a log-in in the console, by the id of the log-in. */
  | {
      kind: 'login';
      id: string;
      /** Name of the person as the identity provider shows it. */
      name: string;
      issuer: string;
      expiresAt: Date;
      groups: readonly string[];
      issuedAt: Date;
    }
  /** A grant, for what somebody with a token set up earlier. */
  | { kind: 'grant'; id: string; issuer: string }
  /** Whatever an authenticator of an extension looked at. Without `expiresAt` it does not end by itself. */
  | { kind: 'custom'; authenticator: string; expiresAt?: Date }
  /**
   * A page token, by the id of the key that made it, and its own. `sessionId` absent: all sessions of the principal.
   */
  | { kind: 'page'; id: string; tokenId: string; expiresAt: Date; sessionId?: string };

/** A principal that acts, and its credential; absent: a command acts, or the server itself. */
export interface Actor {
  id: string;
  credential?: Credential;
}

/** The part of a credential that rows and the audit log have. It lets nobody in. */
export interface NotedCredential {
  kind: Credential['kind'];
  id?: string;
  issuer?: string;
  tokenId?: string;
}

/** Whether a server takes requests without a credential, and whether what it stores has several owners. */
export interface Deployment {
  isOpen: boolean;
  hasOwners: boolean;
}

/**
 * The one place that decides whether a server is open: it has no key that was not revoked, and no issuer of tokens.
 * Once there was a key, or an issuer, its objects have owners. Pure.
 */
export function deploymentOf(
  { isKeyed, hasHadKeys }: Pick<KeyCensus, 'isKeyed' | 'hasHadKeys'>,
  { hasIssuers }: { hasIssuers: boolean },
): Deployment {
  return { isOpen: !isKeyed && !hasIssuers, hasOwners: hasHadKeys || hasIssuers };
}

/** The sender of a request, and the owner of everything it creates. */
export interface Principal {
  id: string;
  credential: Credential;
  scopes: readonly KeyScope[];
  limits: ResolvedLimits;
  /** Names of the agents that may be used; absent: all. */
  agents?: readonly string[];
  /** Roles in which it may decide about calls of others; most principals have none. */
  approves: readonly string[];
  /** Folders that the credential opens for sessions, beside its own and those open to all. */
  projectRoots: readonly string[];
  /** Id of the request, for the log. */
  requestId?: string;
  /** The span of the request; absent: none. */
  trace?: StoredTrace;
  /** The request itself, which its client may send again; absent: it is none that could be. */
  try?: RequestTry;
}

/** The API key that a credential is, or was made by; undefined: none. Pure. */
export function keyOf(credential: Credential): string | undefined {
  return credential.kind === 'key' || credential.kind === 'page' ? credential.id : undefined;
}

/** The credential as rows and the audit log have it. Pure. */
export function notedCredential(credential: Credential): NotedCredential {
  switch (credential.kind) {
    case 'none':
      return { kind: 'none' };
    case 'custom':
      return { kind: 'custom', id: credential.authenticator };
    case 'key':
      return { kind: 'key', id: credential.id };
    case 'page':
      return { kind: 'page', id: credential.id, tokenId: credential.tokenId };
    case 'token':
    case 'login':
    case 'grant': {
      const { kind, id, issuer } = credential;
      return { kind, issuer, ...compact({ id }) };
    }
  }
}

/** Whether an identity provider or an extension says what somebody may do, and no row of the database. Pure. */
export function isKnownElsewhere({ kind }: Pick<Credential, 'kind'>): boolean {
  return kind === 'token' || kind === 'login' || kind === 'grant' || kind === 'custom';
}

/** The one session that a principal may use; undefined: any of its own. Pure. */
export function boundSession({ credential }: Pick<Principal, 'credential'>): string | undefined {
  return credential.kind === 'page' ? credential.sessionId : undefined;
}

/** Limits of a key: its own, and the server's for the others. Pure. */
export function limitsOf(own: PrincipalLimits, defaults: ResolvedLimits): ResolvedLimits {
  return { ...defaults, ...own };
}

/** The day's limits that are set; undefined where there are none, and then nothing is counted. Pure. */
export function dayLimitsOf({ tokensPerDay, usdPerDay }: DayLimits): DayLimits | undefined {
  return tokensPerDay > 0 || usdPerDay > 0 ? { tokensPerDay, usdPerDay } : undefined;
}

/** The caller of an open server. Creating keys needs `Authenticator.mayMakeFirstKey`. */
export function localPrincipal(limits: ResolvedLimits): Principal {
  const credential = { kind: 'none' } as const;
  return {
    id: LOCAL_USER,
    credential,
    scopes: ['turns', 'approvals'],
    limits,
    approves: [],
    projectRoots: [],
  };
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
