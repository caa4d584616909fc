import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Provider, type ClientAuthMethod, type KoaContextWithOIDC } from 'oidc-provider';
import { isPlainObject } from '../../../src/platform/json.js';
import { newFolder, useShared } from '../suite.js';

export const SECRET = 'secret-of-the-test';
export const ISSUER = 'idp';

/** A certified OpenID provider on loopback that people log in with. */
export interface LoginProvider {
  url: string;
  /** The person who logs in from now on, and their groups. `refuses`: nobody does. */
  person: { sub: string; name?: string; groups: string[] } | 'refuses';
  /** Whether its routes answer with 503 from now on. */
  isAway: boolean;
  /** The ID token of the last log-in. */
  idToken: string;
  /** Where the secret of the client was in the last request for tokens. */
  secretIn: 'header' | 'body' | 'nothing';
  /** Takes log-ins for servers at these addresses from now on. @param method how the client must show its secret. */
  serve(servers: readonly string[], method?: ClientAuthMethod): void;
  /** The file of issuers for it. */
  file(roles?: readonly object[], more?: object): Promise<string>;
  close(): Promise<void>;
}

export async function startLoginProvider(): Promise<LoginProvider> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: Pick<LoginProvider, 'person' | 'isAway' | 'idToken' | 'secretIn'> = {
    person: { sub: 'ann', name: 'Ann Example', groups: ['staff'] },
    isAway: false,
    idToken: '',
    secretIn: 'nothing',
  };
  const findAccount = (_context: KoaContextWithOIDC, sub: string) => {
    const { person } = state;
    const known = person !== 'refuses' && person.sub === sub ? person : { name: sub, groups: [] };
    return { accountId: sub, claims: () => ({ ...known, sub }) };
  };
  const serve = (servers: readonly string[], method: ClientAuthMethod = 'client_secret_basic') => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: 'console',
          ...(method !== 'none' && { client_secret: SECRET }),
          token_endpoint_auth_method: method,
          redirect_uris: servers.map((one) => `${one}/console/callback/${ISSUER}`),
          post_logout_redirect_uris: servers.map((one) => `${one}/`),
        },
      ],
      scopes: ['openid', 'profile', 'groups'],
      claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
      findAccount,
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      cookies: { keys: ['of the test'] },
    });
    provider.on('grant.success', ({ body, headers, oidc }) => {
      const isInBody = oidc.body?.['client_secret'] !== undefined;
      state.secretIn =
        headers.authorization !== undefined ? 'header' : isInBody ? 'body' : 'nothing';
      if (isPlainObject(body)) state.idToken = String(body['id_token']);
    });
    const answer = provider.callback();
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      if (state.isAway) return void response.writeHead(503).end();
      if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
      const finish = async (): Promise<void> => {
        const { prompt, params, grantId } = await provider.interactionDetails(request, response);
        const { person } = state;
        if (person === 'refuses') {
          const refusal = { error: 'access_denied', error_description: 'Not <today>' };
          return provider.interactionFinished(request, response, refusal);
        }
        if (prompt.name === 'login') {
          const login = { accountId: person.sub };
          return provider.interactionFinished(request, response, { login });
        }
        const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
        const of = { accountId: person.sub, clientId: String(params['client_id']) };
        const grant = known ?? new provider.Grant(of);
        grant.addOIDCScope(String(params['scope']));
        const consent = { grantId: await grant.save() };
        await provider.interactionFinished(request, response, { consent });
      };
      finish().catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  };
  return Object.assign(state, {
    url,
    serve,
    file: async (roles: readonly object[] = [{ group: '*' }], more: object = {}) => {
      const folder = newFolder();
      await writeFile(path.join(folder, 'secret'), `${SECRET}\n`);
      const file = path.join(folder, 'auth.yaml');
      const console = {
        client_id: 'console',
        client_secret_file: 'secret',
        scopes: ['openid', 'profile', 'groups'],
        ...more,
      };
      const entry = { name: ISSUER, issuer_url: url, audiences: ['turnpike'], roles, console };
      await writeFile(file, JSON.stringify({ issuers: [entry] }));
      return file;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** A provider that starts before the servers of a suite; they have its file in `TURNPIKE_AUTH_FILE`. */
export function useLoginProvider(roles?: readonly object[], more?: object) {
  const provider = useShared(startLoginProvider);
  const environment = async () => ({ TURNPIKE_AUTH_FILE: await provider.file(roles, more) });
  return { provider, environment };
}

/** A browser without pages: it keeps cookies by the name of a host, and follows redirects when it is told to. */
export class CookieBrowser {
  readonly #jar = new Map<string, string>();

  /** Cookies by `host name`. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#jar;
  }

  cookie(name: string): string | undefined {
    return [...this.#jar].find(([key]) => key.endsWith(` ${name}`))?.[1];
  }

  /** The names of its cookies that begin so. */
  names(begin: string): string[] {
    const names = [...this.#jar.keys()].map((key) => key.slice(key.indexOf(' ') + 1));
    return names.filter((name) => name.startsWith(begin));
  }

  rename(from: string, to: string): void {
    for (const [key, value] of this.#jar) {
      if (!key.endsWith(` ${from}`)) continue;
      this.#jar.delete(key);
      this.#jar.set(key.replace(from, to), value);
    }
  }

  /** Takes the cookies of another browser. */
  steal(from: CookieBrowser): this {
    for (const [key, value] of from.cookies) this.#jar.set(key, value);
    return this;
  }

  drop(name: string): void {
    for (const key of this.#jar.keys()) if (key.endsWith(` ${name}`)) this.#jar.delete(key);
  }

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const { hostname } = new URL(url);
    const own = [...this.#jar].filter(([key]) => key.startsWith(`${hostname} `));
    const cookie = own.map(([key, value]) => `${key.split(' ')[1]}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const key = `${hostname} ${pair.slice(0, at)}`;
      const isGone = /max-age=0|expires=thu, 01 jan 1970/i.test(line) || pair.endsWith('=');
      if (isGone) this.#jar.delete(key);
      else this.#jar.set(key, pair.slice(at + 1));
    }
    return response;
  }

  /** Goes to an address, and on until `stop` says so, or there is no redirect. */
  async go(url: string, stop: (next: string) => boolean = () => false): Promise<Visit> {
    let at = url;
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await this.send(at, { headers: { accept: 'text/html' } });
      const location = response.headers.get('location');
      if (location === null) return { url: at, response };
      at = new URL(location, at).href;
      if (stop(at)) return { url: at, response };
    }
    throw new Error('The redirects do not end');
  }

  /** Begins a log-in, and stops before the provider's answer reaches the server. @returns that answer. */
  async beginLogin(server: string, returnTo = '/'): Promise<string> {
    const begin = `${server}/console/login/${ISSUER}?return=${encodeURIComponent(returnTo)}`;
    const { url } = await this.go(begin, (next) => next.startsWith(`${server}/console/callback/`));
    return url;
  }

  async logIn(server: string, returnTo = '/'): Promise<Visit> {
    return this.go(await this.beginLogin(server, returnTo));
  }

  /** A request of the console's page. */
  ask(server: string, where: string, init: RequestInit = {}): Promise<Response> {
    const page = { 'sec-fetch-site': 'same-origin', origin: server };
    return this.send(server + where, { ...init, headers: { ...page, ...init.headers } });
  }
}

export interface Visit {
  url: string;
  response: Response;
}
