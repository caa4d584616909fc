import { Injectable } from '@nestjs/common';
import type { TokenPerson } from '../credentials/token-people.js';
import { TokenError } from '../tokens/token-error.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { ConsoleIssuers } from './console-issuers.js';
import { readCookie } from './login-cookies.js';
import { Logins } from './logins.js';

/** People whose browser has the cookie of a log-in. */
@Injectable()
export class LoginPeople {
  constructor(
    private readonly logins: Logins,
    private readonly issuers: ConsoleIssuers,
    private readonly tokens: TokenVerifier,
  ) {}

  /** Whether people can log in here. */
  get isOffered(): boolean {
    return this.issuers.names.length > 0;
  }

  /** The value of the cookie; undefined: there is none, or nobody can log in here. */
  cookieOf({ host, sent }: { host: string | undefined; sent: string | undefined }) {
    if (host === undefined || !this.isOffered) return undefined;
    return readCookie('login', { host, sent });
  }

  isOurs(secret: string): Promise<boolean> {
    return this.logins.isOurs(secret);
  }

  /** @returns undefined: the log-in has ended, or its provider is for the console no more. @throws TokenError NO_ROLE. */
  async find(secret: string): Promise<TokenPerson | undefined> {
    const row = await this.logins.find(secret);
    if (row === undefined || this.issuers.find(row.issuer) === undefined) return undefined;
    const { id, principalId, name, issuer, groups, issuedAt, expiresAt } = row;
    const rights = this.tokens.rightsOf(issuer, groups);
    if (rights === undefined) throw new TokenError('NO_ROLE', { issuer, groups }, principalId);
    const credential = { kind: 'login', id, name, issuer, groups, issuedAt, expiresAt } as const;
    return { id: principalId, credential, rights };
  }

  hasEnded(id: string): Promise<boolean> {
    return this.logins.hasEnded(id);
  }
}
