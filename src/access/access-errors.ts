import { commandNameOfServer } from '../platform/process/command-name.js';
import { getTableName } from 'drizzle-orm';
import { TypedError, invalidRequest } from '../errors/typed-error.js';
import type { LoginError } from './logins/login-error.js';
import type { PageTokenError } from './pages/page-token.js';
import type { TokenError } from './tokens/token-error.js';
import type { KeyScope } from '../storage/governance-schema.js';
import type { SecretPlace } from './secrets/secret-columns.js';

/** Most groups that an error lists. */
const MAX_SHOWN_GROUPS = 50;

export type KeyFault =
  | 'missing'
  | 'unknown'
  | 'opaque'
  | 'expired'
  | 'revoked'
  | 'failed'
  | 'login_ended';

const toMakeOne = `Make a key with: ${commandNameOfServer()} keys create --principal NAME`;

const faults: Record<KeyFault, string> = {
  missing: `This server requires an API key, or a token of its identity provider. Send it in the header Authorization: Bearer …. ${toMakeOne}`,
  unknown: `This server does not know the API key. Check that it is complete. ${toMakeOne}`,
  opaque:
    'The credential is neither an API key nor a JWT. Send the access token of your identity provider; many providers issue tokens that are no JWTs until they are asked for an audience',
  expired: `The API key has expired. ${toMakeOne}`,
  revoked: `The API key was revoked. ${toMakeOne}`,
  failed:
    'The extension that finds callers failed for this request, so that nobody knows who sent it. The log of the server says why',
  login_ended: 'Your log-in has ended. Log in again',
};

/** Said where an application has the server inside of it: its users have no keys. */
const unknownToApplication =
  'The application does not say who sent this request: the option authenticate of createTurnpike returned undefined, or is not set. Return { principal } from it for a user who is logged in';

interface RefusalFacts {
  /** Names of the identity providers that people log in to the console with; none: no log-in is offered. */
  logins: readonly string[];
  isInApplication: boolean;
  headers?: Record<string, string>;
}

export function unauthenticated(
  fault: KeyFault,
  { logins, isInApplication, headers }: RefusalFacts,
): TypedError {
  const message = fault === 'missing' && isInApplication ? unknownToApplication : faults[fault];
  const problem = fault === 'missing' ? '' : ', error="invalid_token"';
  return new TypedError('UNAUTHENTICATED', {
    message,
    details: { reason: fault.toUpperCase(), ...(logins.length > 0 && { logins }) },
    headers: { 'WWW-Authenticate': `Bearer realm="turnpike"${problem}`, ...headers },
  });
}

/** The error of a log-in that failed. */
export function loginRefused({ fault, facts, message, cause }: LoginError): TypedError {
  const said = facts.error === undefined ? '' : ` It says: ${facts.error}.`;
  const claim = facts.claim === undefined ? '' : ` (${facts.claim})`;
  return new TypedError('LOGIN_REFUSED', {
    message: `${message}${claim}.${said}`,
    details: { reason: fault, ...facts },
    cause,
  });
}

export function loginUnavailable(issuer: string): TypedError {
  return new TypedError('ISSUER_UNAVAILABLE', {
    message: `The identity provider ${issuer} did not answer the server, so nobody can log in with it. Try again; an administrator finds the reason in the log.`,
    details: { issuer },
  });
}

/** The error of a token that is not taken: 403 for somebody whose groups have no role. */
export function tokenRefused({ fault, facts, message }: TokenError): TypedError {
  const { groups = [], ...known } = facts;
  if (fault === 'NO_ROLE') {
    const seen = groups.slice(0, MAX_SHOWN_GROUPS);
    const list =
      seen.length === 0
        ? 'The token names no groups'
        : `The token names the groups ${seen.join(', ')}`;
    return new TypedError('FORBIDDEN_ROLE', {
      message: `${message}. ${list}.`,
      details: { ...known, groups: seen },
    });
  }
  return new TypedError('UNAUTHENTICATED', {
    message: [message, ...(facts.claim === undefined ? [] : [`(${facts.claim})`])].join(' '),
    details: { reason: fault, ...known },
    headers: { 'WWW-Authenticate': 'Bearer realm="turnpike", error="invalid_token"' },
  });
}

export function issuerUnavailable(issuer: string): TypedError {
  return new TypedError('ISSUER_UNAVAILABLE', {
    message: `The keys of the issuer ${issuer} could not be loaded, so its tokens cannot be checked. Try again; an administrator finds the reason in the log.`,
    details: { issuer },
  });
}

/** The error of somebody whom an extension found, and who may come no more. */
export function accessEnded(): TypedError {
  return new TypedError('UNAUTHENTICATED', {
    message:
      'Your access was ended after you logged in. Log in again, or ask the administrator of the server.',
    details: { reason: 'ENDED' },
    headers: { 'WWW-Authenticate': 'Bearer realm="turnpike", error="invalid_token"' },
  });
}

/** The error of a page token that is not taken. */
export function pageTokenRefused({ fault, message }: PageTokenError): TypedError {
  return new TypedError('UNAUTHENTICATED', {
    message: `${message}.`,
    details: { reason: fault },
    headers: { 'WWW-Authenticate': 'Bearer realm="turnpike", error="invalid_token"' },
  });
}

/** The error of a route that is closed to a page token. */
export function forbiddenForPage(why: string): TypedError {
  return new TypedError('FORBIDDEN_FOR_PAGE', {
    message: `A page token may not do this: ${why}. Let your backend send the request with its key.`,
  });
}

export function forbiddenPrincipal(principal: string, mints: string | null): TypedError {
  const may = mints === null ? 'its own principal alone' : `its own principal and ${mints}`;
  return new TypedError('FORBIDDEN_PRINCIPAL', {
    message: `This key may make page tokens for ${may}, not for ${principal}. Make a key that may: ${commandNameOfServer()} keys create --principal NAME --scopes tokens,turns --mints 'app:*'`,
    details: { principal, mints },
  });
}

export function mintsOfOthers(mints: string): TypedError {
  return invalidRequest(
    `'mints' must not be ${mints}: an issuer of the server, or an extension, knows people by that name. Choose another prefix`,
  );
}

export function needsKeyToMint(): TypedError {
  return new TypedError('FORBIDDEN_SCOPE', {
    message: `A page token is made with an API key alone, which ends it when it is revoked. Make one with: ${commandNameOfServer()} keys create --principal NAME --scopes tokens,turns,approvals`,
    details: { needed: 'tokens', scopes: [] },
  });
}

/** The error of a caller that an extension found: nobody can find it again without its request. */
export function cannotActLater(): TypedError {
  return new TypedError('FORBIDDEN_CREDENTIAL', {
    message:
      'A schedule acts while nobody is there, and what found you needs your request. Make the schedule with an API key, or with a token of an identity provider.',
  });
}

/** The error of a page token that was to have more than its key. */
export function forbiddenScopes(
  excess: readonly KeyScope[],
  scopes: readonly KeyScope[],
): TypedError {
  const list = excess.join(', ');
  return new TypedError('FORBIDDEN_SCOPE', {
    message: `A page token has at most the scopes of its key; this key lacks ${list}. Leave 'scopes' out, or make another key: ${commandNameOfServer()} keys create --principal NAME --scopes tokens,${list}`,
    details: { needed: excess[0], scopes },
  });
}

/** The error of a page token that was to decide more than its key. */
export function forbiddenApproverRoles(
  excess: readonly string[],
  approves: readonly string[],
): TypedError {
  return new TypedError('FORBIDDEN_APPROVER', {
    message: `A page token has at most the approver roles of its key, which lacks ${excess.join(', ')}. Make another key: ${commandNameOfServer()} keys create --principal NAME --scopes tokens,approvals --approves ${excess.join(',')}`,
    details: { roles: excess, approves },
  });
}

/** The error of rules that nobody can decide by. */
export function noApprovers(roles: readonly string[]): TypedError {
  return new TypedError('NO_APPROVERS', {
    message: `${describeMissingRoles(roles)}. ${toHaveApprovers}`,
    details: { roles },
  });
}

/** Rules of the deployment say that people decide whom nobody can be. */
export class NoApproversError extends Error {
  override readonly name = 'NoApproversError';

  constructor(readonly roles: readonly string[]) {
    super(
      `${describeMissingRoles(roles)}, in TURNPIKE_PERMISSIONS_FILE or in an agent's file. ${toHaveApprovers}`,
    );
  }
}

const toHaveApprovers = `Give a group the role in TURNPIKE_AUTH_FILE ('approves'), make a key with it (${commandNameOfServer()} keys create --principal NAME --approves ROLE), or correct the rule`;

function describeMissingRoles(roles: readonly string[]): string {
  return `Permission rules leave decisions to the approver ${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}, which nobody can have here`;
}

export function forbiddenAgent(agent: string, agents: readonly string[]): TypedError {
  return new TypedError('FORBIDDEN_AGENT', {
    message: `You may not use the agent ${agent}. You may use: ${agents.join(', ')}.`,
    details: { agent, agents },
  });
}

export function forbiddenScope(needed: KeyScope, scopes: readonly KeyScope[]): TypedError {
  return new TypedError('FORBIDDEN_SCOPE', {
    message: `This route needs a key with the scope '${needed}'; this one has ${scopes.join(', ') || 'none'}. Make one with: ${commandNameOfServer()} keys create --principal NAME --scopes ${needed}`,
    details: { needed, scopes },
  });
}

/** The error of a server without keys, where the request may not create the first one. */
export function noKeysYet(): TypedError {
  return new TypedError('FORBIDDEN_SCOPE', {
    message: `There is no API key yet. Create the first one on the server's machine: ${commandNameOfServer()} keys create --principal NAME --scopes turns,approvals,admin`,
    details: { needed: 'admin', scopes: [] },
  });
}

export function tooManyRefusals(limit: number, perMs: number, waitMs: number): TypedError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new TypedError('RATE_LIMITED', {
    message: `${limit} different credentials that are not valid here came from this address within ${perMs / 1_000} s. Try again in ${seconds} s; a valid key, token or log-in is taken at once.`,
    details: { limit, perMs },
    headers: { 'Retry-After': String(seconds) },
  });
}

export function keyNotFound(id: string): TypedError {
  return new TypedError('KEY_NOT_FOUND', {
    message: `There is no API key ${id.slice(0, 40)}. List the keys with: ${commandNameOfServer()} keys list`,
  });
}

export function keyInUrl(): TypedError {
  return invalidRequest(
    `The URL has an API key or a token in it, and URLs are kept in logs. Send it in the header Authorization: Bearer …, and revoke a key: ${commandNameOfServer()} keys revoke ID`,
  );
}

export function repeatedHeader(name: string): TypedError {
  return invalidRequest(`The header '${name}' may be sent only once`);
}

export function absoluteTarget(): TypedError {
  return invalidRequest(
    'The request line must have a path, not a whole URL: this server is not a proxy',
  );
}

export function twoKeys(): TypedError {
  return invalidRequest("'Authorization' and 'X-API-Key' have different keys; send one of them");
}

/** @param why completes "A stored secret cannot be opened: …". */
export function secretUnreadable(
  { column, row }: SecretPlace,
  why: string,
  cause?: unknown,
): TypedError {
  return new TypedError('SECRET_UNREADABLE', {
    message: `A stored secret cannot be opened: ${why}. The operator can add the key to TURNPIKE_MASTER_KEY_FILE; otherwise store the secret again.`,
    details: { table: getTableName(column.table), column: column.name, row },
    cause,
  });
}

export function noMasterKey(): TypedError {
  return new TypedError('NO_MASTER_KEY', {
    message:
      'This server has no master keys. Set TURNPIKE_MASTER_KEY_FILE in each of its processes first.',
  });
}

/** The database has data keys that this process cannot unwrap. */
export class MasterKeysRefusedError extends Error {
  override readonly name = 'MasterKeysRefusedError';
}

export function masterKeysRefused(
  keyName: string,
  fault: 'unset' | 'missing' | 'damaged',
): MasterKeysRefusedError {
  const what = `The database has secrets under the master key ${keyName}`;
  const remedies = {
    unset: `${what}, and TURNPIKE_MASTER_KEY_FILE is not set: set it to the file with that key.`,
    missing: `${what}, which TURNPIKE_MASTER_KEY_FILE lacks: add its line to the file again, after the others.`,
    damaged: `${what}, and a data key under it is damaged: restore the table data_keys from a backup.`,
  };
  return new MasterKeysRefusedError(remedies[fault]);
}
