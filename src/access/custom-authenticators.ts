import { Injectable } from '@nestjs/common';
import type { KeyScope, PrincipalLimits } from '../storage/governance-schema.js';
import type { AuthenticatorHead } from './authenticator-head.js';
import type { RequestHead } from './credentials/parse-credentials.js';
import { TokenVerifier } from './tokens/token-verifier.js';

/** Whom an authenticator of an extension found. */
export interface CustomCaller {
  /** `authenticator:person`. */
  principalId: string;
  scopes: readonly KeyScope[];
  limits: PrincipalLimits;
  approves: readonly string[];
  agents: readonly string[] | undefined;
  expiresAt: Date | undefined;
  /** When the caller logged in; 1970 where the authenticator does not say. */
  issuedAt: Date;
}

/** @returns undefined: the request is none of its own. @throws AuthenticatorFault. */
export type CustomAuthenticator = (head: AuthenticatorHead) => Promise<CustomCaller | undefined>;

/** The name of an application that has the server inside of it, with which the principals of its users begin. */
export const HOST_AUTHENTICATOR = 'host';

/** An authenticator of an extension failed: nobody knows who sent the request. */
export class AuthenticatorFault extends Error {}

/** The ways by which extensions find callers, beside keys and tokens. */
@Injectable()
export class CustomAuthenticators {
  readonly #byName = new Map<string, CustomAuthenticator>();
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly tokens: TokenVerifier) {}

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Whether an application has this server inside of it, and names the sender of each request. */
  get isInApplication(): boolean {
    return this.#byName.has(HOST_AUTHENTICATOR);
  }

  /** Whether somebody is known by an issuer or an extension, and by nothing else. */
  vouchFor(principalId: string): boolean {
    const names = [...this.tokens.issuerNames, ...this.#byName.keys()];
    return names.some((name) => principalId.startsWith(`${name}:`));
  }

  /** @throws Error if the name, which its principals begin with, is taken. */
  register(name: string, authenticator: CustomAuthenticator): void {
    if (this.#byName.has(name)) throw new Error(`there is an authenticator ${name} already`);
    if (this.tokens.issuerNames.includes(name)) {
      throw new Error(`the authenticator ${name} has the name of an issuer in TURNPIKE_AUTH_FILE`);
    }
    this.#byName.set(name, authenticator);
    for (const listener of this.#listeners) listener();
  }

  /** @param listener called after each registration. */
  onRegister(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Asks one after the other. @returns whom the first one found, and its name. @throws AuthenticatorFault. */
  async find(head: RequestHead): Promise<{ name: string; caller: CustomCaller } | undefined> {
    if (this.isEmpty) return undefined;
    const shown = showHead(head);
    for (const [name, authenticate] of this.#byName) {
      const caller = await authenticate(shown);
      if (caller !== undefined) return { name, caller };
    }
    return undefined;
  }
}

function showHead({ method, url, rawHeaders, address }: RequestHead): AuthenticatorHead {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers[rawHeaders[at]?.toLowerCase() ?? ''] = rawHeaders[at + 1] ?? '';
  }
  const [path = ''] = url.split('?');
  return Object.freeze({ method, path, headers: Object.freeze(headers), address });
}
