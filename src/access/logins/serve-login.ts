import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { loginRefused, loginUnavailable, tokenRefused } from '../access-errors.js';
import { BEGUN_MS, placeOfBegun } from './begun-login.js';
import type { ConsoleLogins } from './console-logins.js';
import { consoleOrigin, dropCookie, readCookie, readCookies, setCookie } from './login-cookies.js';
import { LoginError } from './login-error.js';
import { LOGIN_MS } from './logins.js';
import { faultPage, hostOf, pageHeaders, siteOf } from './person-page.js';
import { checkOrigin } from '../origin/check-origin.js';
import { IssuerAwayError } from '../tokens/issuer-keys.js';
import { TokenError } from '../tokens/token-error.js';
import type { Sender } from '../refusals.js';
import { senderAddress, type TrustedProxies } from '../../platform/net/sender-address.js';
import { compact } from '../../platform/compact.js';
import { TypedError } from '../../errors/typed-error.js';
import { noteError, recordOf } from '../../http/request-record.js';

/** Path at which a log-in begins; `?return=` has the path that it comes back to. */
const begins = /^\/console\/login\/([a-z][a-z0-9-]{0,31})$/;
/** Path that the identity provider sends people back to. */
const comesBack = /^\/console\/callback\/([a-z][a-z0-9-]{0,31})$/;
/** Path at which a log-in is ended. */
const LOGOUT = '/console/logout';

/**
 * Serves the log-in of people in the console: two redirects with a cookie each, and the log-out. A failure is a page that
 * says what to do, for a browser, and an error in JSON for others.
 */
export function serveLogin(logins: ConsoleLogins, trusted: TrustedProxies): RequestHandler {
  return (request, response, next) => {
    const { method, path } = request;
    const [, beginning] = begins.exec(path) ?? [];
    const [, finishing] = comesBack.exec(path) ?? [];
    const isGet = method === 'GET';
    const handled =
      isGet && beginning !== undefined
        ? begin(logins, beginning, request, response)
        : isGet && finishing !== undefined
          ? finish(logins, { issuer: finishing, trusted }, request, response)
          : method === 'POST' && path === LOGOUT
            ? logOut(logins, request, response)
            : undefined;
    if (handled === undefined) return next();
    handled.catch((error: unknown) => answerFault(error, { request, response, next }));
  };
}

async function begin(
  logins: ConsoleLogins,
  issuer: string,
  request: Request,
  response: Response,
): Promise<void> {
  const host = hostOf(request);
  const redirectUri = redirectUriOf(host, issuer);
  const others = readCookies('begun', { host, sent: request.headers.cookie });
  const asked = { redirectUri, returnTo: request.query['return'], others };
  const { url, begun, place, forgotten } = await logins.begin(issuer, asked);
  for (const of of forgotten) response.append('Set-Cookie', dropCookie('begun', host, of));
  const cookie = setCookie('begun', begun, { host, seconds: BEGUN_MS / 1_000, of: place });
  response.set(pageHeaders()).append('Set-Cookie', cookie).redirect(url);
}

async function finish(
  logins: ConsoleLogins,
  { issuer, trusted }: { issuer: string; trusted: TrustedProxies },
  request: Request,
  response: Response,
): Promise<void> {
  const host = hostOf(request);
  const answer = new URL(redirectUriOf(host, issuer));
  answer.search = new URL(request.originalUrl, answer).search;
  const sent = request.headers.cookie;
  const of = placeOfBegun(answer.searchParams.get('state') ?? '');
  const [begun, login] = [
    readCookie('begun', { host, sent, of }),
    readCookie('login', { host, sent }),
  ];
  if (begun === undefined && (await logins.isLoggedIn(login))) {
    return response.set(pageHeaders()).redirect('/');
  }
  // Also after a failure: what was begun is finished.
  if (begun !== undefined) response.append('Set-Cookie', dropCookie('begun', host, of));
  const { secret, returnTo } = await logins.finish(
    issuer,
    { answer, begun, login },
    senderOf(request, trusted),
  );
  const cookie = setCookie('login', secret, { host, seconds: LOGIN_MS / 1_000 });
  response.set(pageHeaders()).append('Set-Cookie', cookie).redirect(returnTo);
}

/** The body is not read. Answers with the address that the page goes to next: the provider's own log-out, or the console. */
async function logOut(logins: ConsoleLogins, request: Request, response: Response): Promise<void> {
  const host = hostOf(request);
  const { headers, method } = request;
  const page = { method, host, origin: headers.origin, site: siteOf(request) };
  const refusal = checkOrigin(page, { anyHost: true, ownPages: true });
  if (refusal !== undefined) throw refusal;
  const secret = readCookie('login', { host, sent: headers.cookie });
  const url = secret && (await logins.end(secret, `${consoleOrigin(host)}/`));
  response.set(pageHeaders()).append('Set-Cookie', dropCookie('login', host));
  response.json({ url: url ?? '/' });
}

function redirectUriOf(host: string, issuer: string): string {
  return `${consoleOrigin(host)}/console/callback/${issuer}`;
}

function senderOf(request: Request, trusted: TrustedProxies): Sender {
  const { rawHeaders, socket } = request;
  const address = senderAddress({ address: socket.remoteAddress ?? '', rawHeaders }, trusted);
  return { address, ...compact({ requestId: recordOf(request)?.id }) };
}

function typedOf(error: unknown): TypedError | undefined {
  if (error instanceof TypedError) return error;
  if (error instanceof LoginError) return loginRefused(error);
  if (error instanceof TokenError) return tokenRefused(error);
  return error instanceof IssuerAwayError ? loginUnavailable(error.issuer) : undefined;
}

function answerFault(
  error: unknown,
  { request, response, next }: { request: Request; response: Response; next: NextFunction },
): void {
  const typed = typedOf(error);
  response.vary('Accept');
  const isPage = request.accepts(['json', 'html']) === 'html';
  if (typed === undefined || !isPage) return next(typed ?? error);
  noteError(request, typed.type);
  response.status(typed.status).set({ ...typed.headers, ...pageHeaders() });
  response.type('html').send(faultPage('Not logged in', 'You are not logged in', typed, request));
}
