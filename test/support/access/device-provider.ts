import { Provider, type ResourceServer } from 'oidc-provider';
import { serveHttp } from '../serve-http.js';

/** The audience of its access tokens. */
export const deviceAudience = 'https://turnpike.example/';
const CLIENT = 'turnpike-cli';

/** An answer in place of the provider's. */
interface Forced {
  status: number;
  /** Text is a page of HTML. */
  body: object | string;
  /** The header `WWW-Authenticate`; absent: none. */
  challenge?: string;
}

/** A certified OpenID provider with the device flow, whose access tokens are JWTs for one API. */
export interface DeviceProvider {
  url: string;
  /** Answers of the token endpoint, in turn, before its own. */
  readonly forced: Forced[];
  /** Fields of the answer with a code, in place of its own. */
  codeFields: object;
  /** Whether connections are cut. */
  isAway: boolean;
  /** Grant types of requests to the token endpoint that were answered with tokens. */
  readonly granted: string[];
  /** Tokens that were revoked. */
  revoked: number;
  /** Logs `person` in and answers the question about a code, as a browser does. */
  answer(userCode: string, answer: { person: string; consents?: boolean }): Promise<void>;
  /** Its entry in the file of issuers. @param cli fields of the command line's client that are not its own. */
  entry(name: string, cli?: object): object;
  close(): Promise<void>;
}

export async function startDeviceProvider({
  codeLifeS = 60,
}: { codeLifeS?: number } = {}): Promise<DeviceProvider> {
  const state = {
    forced: [] as Forced[],
    codeFields: {},
    isAway: false,
    granted: [] as string[],
    revoked: 0,
  };
  const server = await serveHttp((request, response) => {
    if (state.isAway) return request.socket.destroy();
    return answer(request, response);
  });
  const { url } = server;
  const api: ResourceServer = {
    scope: 'turns',
    audience: deviceAudience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: 300,
  };
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT,
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    ttl: { DeviceCode: codeLifeS },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => api,
      },
    },
  });
  provider.use(async (context, next) => {
    const forced = context.path === '/token' ? state.forced.shift() : undefined;
    if (forced !== undefined) {
      const { challenge, ...answer } = forced;
      Object.assign(context, answer);
      if (challenge !== undefined) context.set('www-authenticate', challenge);
      return;
    }
    await next();
    const { body } = context;
    if (context.path === '/device/auth' && typeof body === 'object') {
      // A test need not wait for the usual five seconds.
      Object.assign(body as object, { interval: 0.1, ...state.codeFields });
    }
  });
  provider.on('grant.success', ({ oidc }) =>
    state.granted.push(String(oidc.params?.['grant_type'])),
  );
  provider.on('grant.revoked', () => (state.revoked += 1));
  const answer = provider.callback();
  return Object.assign(state, {
    url,
    answer: (
      userCode: string,
      { person, consents = true }: { person: string; consents?: boolean },
    ) => answerInBrowser(url, userCode, { person, consents }),
    entry: (name: string, cli: object = {}) => ({
      name,
      issuer_url: url,
      audiences: [deviceAudience],
      roles: [{ group: '*' }],
      cli: { client_id: CLIENT, resource: deviceAudience, ...cli },
    }),
    close: () => server.close(),
  });
}

/** The forms of the provider's own pages, one after the other. */
async function answerInBrowser(
  url: string,
  userCode: string,
  { person, consents }: { person: string; consents: boolean },
): Promise<void> {
  const browser = new Browser();
  let page = await browser.open(`${url}/device`);
  const form = (more: Record<string, string>) => ({
    xsrf: xsrfOf(page),
    user_code: userCode,
    ...more,
  });
  page = await browser.open(`${url}/device`, form({}));
  page = await browser.open(
    `${url}/device`,
    form(consents ? { confirm: 'yes' } : { abort: 'yes' }),
  );
  while (page.url.includes('/interaction/')) {
    const isLogin = page.text.includes('name="login"');
    const answered = isLogin
      ? { prompt: 'login', login: person, password: 'any' }
      : { prompt: 'consent' };
    page = await browser.open(page.url, answered);
  }
}

interface Page {
  url: string;
  text: string;
}

function xsrfOf({ text }: Page): string {
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(text) ?? [];
  if (xsrf === undefined) throw new Error(`This page has no form of a code: ${text}`);
  return xsrf;
}

/** Follows redirects and keeps cookies. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async open(url: string, form?: Record<string, string>): Promise<Page> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const next = response.headers.get('location');
    const text = await response.text();
    return next === null ? { url, text } : this.open(new URL(next, url).href);
  }
}
