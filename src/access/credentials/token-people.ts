import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compact } from '../../platform/compact.js';
import { Grants } from '../people/grants.js';
import type { Credential } from '../principal.js';
import { PrincipalEpochs, wasIssuedBefore } from '../people/principal-epochs.js';
import { TokenError } from '../tokens/token-error.js';
import type { Rights } from '../tokens/token-principal.js';
import { TokenVerifier, type VerifiedToken } from '../tokens/token-verifier.js';

/** Why a grant may do nothing any more: it is over, or no group of its person has a role that runs turns. */
export type GrantFault = 'over' | 'no-role';

/** Somebody whom an identity provider knows, with what the roles allow now. */
export interface TokenPerson {
  id: string;
  credential: Extract<Credential, { kind: 'token' | 'login' | 'grant' }>;
  rights: Rights;
}

/** People of identity providers: by the token of a request, or by the grant of what they set up earlier. */
@Injectable()
export class TokenPeople {
  constructor(
    readonly tokens: TokenVerifier,
    private readonly grants: Grants,
    private readonly epochs: PrincipalEpochs,
  ) {}

  /** @throws TokenError; IssuerAwayError. */
  async findByToken(token: string): Promise<TokenPerson> {
    const rights = await this.tokens.verify(token).catch((error: unknown) => {
      if (error instanceof TokenError) this.#noteLostRoles(error);
      throw error;
    });
    const { principalId: id, issuer } = rights;
    const credential = credentialOf(rights);
    if (await this.hasLeft(id, credential.issuedAt)) {
      throw new TokenError('ENDED', { issuer });
    }
    this.grants.noteToken(id, credential);
    return { id, credential, rights };
  }

  /** Whether the access of somebody was ended, as of the last second, after what vouches for them was issued. */
  async hasLeft(principalId: string, issuedAt: Date): Promise<boolean> {
    return wasIssuedBefore(issuedAt, await this.epochs.get(principalId));
  }

  /** Ends what acts for somebody who has left all groups. */
  #noteLostRoles({ principalId }: TokenError): void {
    if (principalId !== undefined) this.grants.noteLostRoles(principalId);
  }

  /**
   * A grant whose groups have no role any more is ended.
   *
   * @throws where this process has other issuers or roles than the API noted, and knows no role of these groups.
   */
  async findByGrant(grantId: string): Promise<TokenPerson | GrantFault> {
    const grant = await this.grants.find(grantId);
    if (grant === undefined) return 'over';
    const { principalId: id, issuer, groups } = grant;
    const rights = this.tokens.rightsOf(issuer, groups);
    if (rights?.scopes.includes('turns') === true) {
      return { id, credential: { kind: 'grant', id: grantId, issuer }, rights };
    }
    if (!(await this.grants.mayEndForRoles())) {
      throw new Error(
        `TURNPIKE_AUTH_FILE of this process gives no role to the groups of a person of ${issuer}, and is another than that of the API. Give every process the same file, and restart those with the old one`,
      );
    }
    await this.grants.end(grantId, 'no-role');
    return 'no-role';
  }
}

function credentialOf({ issuer, claims, expiresAt, issuedAt, groups }: VerifiedToken) {
  const times = { expiresAt: new Date(expiresAt), issuedAt: new Date(issuedAt) };
  const { jti } = claims;
  // The digest finds the token in the provider's log, and a reader of the audit log cannot use it.
  const id = jti === undefined ? undefined : createHash('sha256').update(jti).digest('hex');
  return { kind: 'token', issuer, groups, ...times, ...compact({ id }) } as const;
}
