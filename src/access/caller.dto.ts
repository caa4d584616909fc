import { ApiProperty } from '@nestjs/swagger';
import { nullableTime } from '../http/fields/json-schemas.js';
import { keyScopes, type KeyScope } from '../storage/governance-schema.js';
import { compact } from '../platform/compact.js';
import type { CliLogin } from './tokens/token-verifier.js';
import type { Credential, Principal, ResolvedLimits } from './principal.js';

/** Kinds of credentials that a request may have. */
const credentialKinds = [
  'none',
  'key',
  'token',
  'login',
  'grant',
  'custom',
  'page',
] as const satisfies readonly Credential['kind'][];

export class CallerCredentialDto {
  /**
   * `none`: the server is open. `key`: an API key. `token`: of an identity provider. `login`: the cookie of a log-in in the console. `page`: made by a key for a page.
   * `custom`: found by an extension. `grant`: of a schedule, and never that of a request.
   */
  @ApiProperty({ enum: credentialKinds }) kind!: Credential['kind'];

  /** Id of the API key, or of the one that made the page token. */
  keyId?: string;
  /** Name of the identity provider, as the server has it. */
  issuer?: string;
  /** Name of the person who logged in, as the identity provider shows it. */
  name?: string;
  /** Name of the extension’s authenticator. */
  authenticator?: string;
  /** Groups of the person, as the token or the log-in has them. */
  groups?: string[];
  /** The one session that a page token may use. */
  sessionId?: string;
}

/** Limits of the caller; 0: no limit. */
export class CallerLimitsDto implements ResolvedLimits {
  requestsPerMinute!: number;
  /** Most turns that have not ended. */
  concurrentTurns!: number;
  tokensPerDay!: number;
  usdPerDay!: number;
}

/** The caller of a request. */
export class CallerDto {
  /** @example acme:00u1a2b3 */
  principal!: string;
  credential!: CallerCredentialDto;
  @ApiProperty({ enum: keyScopes, isArray: true, example: ['turns', 'approvals'] })
  scopes!: KeyScope[];
  limits!: CallerLimitsDto;
  /** Names of the agents that may be used; null: all. */
  agents!: string[] | null;
  /** Roles in which the caller may decide about calls of others. */
  @ApiProperty({ type: [String], example: ['release'] }) approves!: string[];
  /** Folders that sessions may work in, beside the caller’s own and those open to all. */
  projectRoots!: string[];
  /** When the credential ends; null: it does not end by itself. */
  @ApiProperty(nullableTime) expiresAt!: string | null;
}

/** An identity provider that people log in at on the command line, by a device code (RFC 8628). */
export class LoginIssuerDto {
  /** @example acme */
  name!: string;
  /** @example https://login.acme.example/ */
  issuerUrl!: string;
  /** The public client that the command line is. */
  clientId!: string;
  /** @example ["openid","offline_access"] */
  scopes!: string[];
  /** Sent as the parameter `audience`. */
  audience?: string;
  /** Sent as the parameter `resource`. */
  resource?: string;
}

export class LoginDto {
  /** None: the server has no log-in on the command line. */
  issuers!: LoginIssuerDto[];
}

/** @param expiresAt when the credential ends. */
export function viewCaller(caller: Principal, expiresAt: Date | undefined): CallerDto {
  const { id, credential, scopes, limits, agents, approves, projectRoots } = caller;
  const { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay } = limits;
  return {
    principal: id,
    credential: viewCredential(credential),
    scopes: [...scopes],
    limits: { requestsPerMinute, concurrentTurns, tokensPerDay, usdPerDay },
    agents: agents === undefined ? null : [...agents],
    approves: [...approves],
    projectRoots: [...projectRoots],
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

export function viewLogin(issuers: readonly CliLogin[]): LoginDto {
  return {
    issuers: issuers.map(({ name, issuerUrl, clientId, scopes, audience, resource }) => ({
      name,
      issuerUrl,
      clientId,
      scopes: [...scopes],
      ...compact({ audience, resource }),
    })),
  };
}

function viewCredential(credential: Credential): CallerCredentialDto {
  const { kind } = credential;
  switch (kind) {
    case 'none':
      return { kind };
    case 'key':
      return { kind, keyId: credential.id };
    case 'token':
      return { kind, issuer: credential.issuer, groups: [...credential.groups] };
    case 'login': {
      const { issuer, name, groups } = credential;
      return { kind, issuer, name, groups: [...groups] };
    }
    case 'grant':
      return { kind, issuer: credential.issuer };
    case 'custom':
      return { kind, authenticator: credential.authenticator };
    case 'page': {
      const { id: keyId, sessionId } = credential;
      return { kind, keyId, ...(sessionId === undefined ? {} : { sessionId }) };
    }
  }
}
