import { randomUUID, type webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import type { Issuer, Role } from '../../../src/access/tokens/auth-file.js';
import { serveHttp } from '../serve-http.js';
import { newFolder, useShared } from '../suite.js';

type CryptoKey = webcrypto.CryptoKey;

/** Claims and headers of a token, which may be odd. */
export type TokenClaims = Record<string, unknown>;
type TokenHeader = Record<string, unknown>;

interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

/** An identity provider on a loopback address, with its keys and its discovery document. */
export interface TokenIssuer {
  url: string;
  /** How often its keys were asked for. */
  readonly loads: number;
  /** How many requests have reached it. */
  readonly requests: number;
  /** What its answers wait for from now on; undefined: nothing. */
  held: Promise<unknown> | undefined;
  /** Whether it answers with 503 from now on. */
  isAway: boolean;
  /** Fields of its discovery document that are not its own. */
  discovered: object;
  /** The answer of its token endpoint, which takes every code; undefined: it has none. */
  tokens: object | undefined;
  /** The key that signs from now on. */
  key: SigningKey;
  /** The keys that it publishes; a change has an effect from now on. */
  published: JWK[];
  /** Signs with a new key from now on, and publishes it instead of the old one. */
  rotate(alg?: string): Promise<void>;
  /** A token that is valid for five minutes from `now`, but for what is given; undefined: without that claim. */
  sign(claims?: TokenClaims, more?: { header?: TokenHeader; key?: CryptoKey }): Promise<string>;
  /** Its entry in the file of issuers. */
  entry(more?: Partial<Issuer>): Issuer;
  close(): Promise<void>;
}

export const everybody: Role = {
  group: '*',
  scopes: ['turns', 'approvals'],
  limits: {},
  projectRoots: [],
  agents: undefined,
  approves: [],
};

/** @param now ms since the epoch, for the times in tokens. */
export async function startTokenIssuer(now: () => number = Date.now): Promise<TokenIssuer> {
  const first = await newKey('RS256');
  let url = '';
  const state = {
    loads: 0,
    requests: 0,
    held: undefined as Promise<unknown> | undefined,
    isAway: false,
    discovered: {},
    tokens: undefined as object | undefined,
    key: first,
    published: [first.publicJwk],
  };
  const server = await serveHttp(async (request, response) => {
    state.requests += 1;
    await state.held;
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (state.isAway) return answer(503, {});
    if (request.url === '/.well-known/openid-configuration') {
      const [authorization, token] = [`${url}/authorize`, `${url}/token`];
      const endpoints = { authorization_endpoint: authorization, token_endpoint: token };
      const own = { issuer: url, jwks_uri: `${url}/keys`, ...endpoints };
      return answer(200, { ...own, ...state.discovered });
    }
    if (request.url === '/token' && state.tokens !== undefined) return answer(200, state.tokens);
    if (request.url !== '/keys') return answer(404, {});
    state.loads += 1;
    answer(200, { keys: state.published });
  });
  url = server.url;
  return Object.assign(state, {
    url,
    rotate: async (alg = 'RS256') => {
      state.key = await newKey(alg);
      state.published = [state.key.publicJwk];
    },
    sign: (
      claims: TokenClaims = {},
      { header = {}, key: other }: { header?: TokenHeader; key?: CryptoKey } = {},
    ) => {
      const seconds = Math.floor(now() / 1_000);
      const usual = { iss: url, aud: 'turnpike', sub: 'ann', iat: seconds, exp: seconds + 300 };
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: state.key.alg, kid: state.key.kid, typ: 'at+jwt', ...header })
        .sign(other ?? state.key.privateKey);
    },
    entry: (more: Partial<Issuer> = {}): Issuer => ({
      name: 'idp',
      issuerUrl: url,
      jwksUrl: undefined,
      audiences: ['turnpike'],
      audienceClaim: 'aud',
      algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'],
      principal: ['sub'],
      groups: 'groups',
      required: {},
      roles: [everybody],
      ...more,
    }),
    close: () => server.close(),
  });
}

export async function newKey(alg: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return {
    kid,
    alg,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
  };
}

/** A server's variables for an identity provider that starts before it: call this before `useServer`. */
export function useTokenIssuer(roles: readonly object[] = [{ group: '*' }]): {
  issuer: TokenIssuer;
  environment: Record<string, string>;
} {
  const file = path.join(newFolder(), 'auth.yaml');
  const issuer = useShared(async () => {
    const started = await startTokenIssuer();
    const entry = { name: 'idp', issuer_url: started.url, audiences: ['turnpike'], roles };
    await writeFile(file, JSON.stringify({ issuers: [entry] }));
    return started;
  });
  return { issuer, environment: { TURNPIKE_AUTH_FILE: file } };
}
