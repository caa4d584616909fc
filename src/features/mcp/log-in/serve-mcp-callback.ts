import type { NextFunction, Request, RequestHandler, Response } from 'express';
import {
  checkOrigin,
  escaped,
  faultPage,
  hostOf,
  pageHeaders,
  pageOf,
  readCookie,
  siteOf,
} from '../../../access/face.js';
import { TypedError } from '../../../errors/typed-error.js';
import { noteError } from '../../../http/face.js';
import { MCP_CALLBACK, MCP_CLIENT, type McpRedirects } from '../../../tools/face.js';
import type { McpAuthorizations } from './mcp-authorizations.js';

/**
 * Serves the page that log-ins at MCP servers come back to, and the client metadata document. The page stores nothing
 * before its person has seen who logs in where, and clicks: by a link alone nobody is logged in. Only the browser that
 * began the log-in has the cookie for it.
 */
export function serveMcpCallback(
  authorizations: McpAuthorizations,
  redirects: McpRedirects,
): RequestHandler {
  return (request, response, next) => {
    const { method, path } = request;
    if (path === MCP_CLIENT && method === 'GET') {
      const client = redirects.describe(request.headers.host ?? '');
      return client === undefined ? next() : void response.json(client);
    }
    const isOurs = path === MCP_CALLBACK && (method === 'GET' || method === 'POST');
    if (!isOurs) return next();
    const handled = method === 'GET' ? ask : finish;
    handled(authorizations, request, response).catch((error: unknown) =>
      answerFault(error, { request, response, next }),
    );
  };
}

function answerFault(
  error: unknown,
  { request, response, next }: { request: Request; response: Response; next: NextFunction },
): void {
  if (!(error instanceof TypedError)) return next(error);
  noteError(request, error.type);
  response.status(error.status).set({ ...error.headers, ...pageHeaders() });
  response.type('html');
  response.send(faultPage('Not logged in', 'You are not logged in', error, request));
}

async function ask(
  authorizations: McpAuthorizations,
  request: Request,
  response: Response,
): Promise<void> {
  const answer = answerOf(request);
  const { name, server, issuer, principalId } = await authorizations.describe(
    answer,
    cookieOf(request),
  );
  // The authorization server has refused: there is nothing to agree to.
  if (answer.has('error')) return finish(authorizations, request, response);
  response.set(pageHeaders('form')).type('html');
  response.send(
    pageOf('Log in', [
      `<h1>Log in at ${escaped(name)}?</h1>`,
      `<p>Agents of <strong>${escaped(principalId)}</strong> will use the MCP server <code>${escaped(server)}</code> as you, with what you allowed at <code>${escaped(issuer)}</code>.</p>`,
      '<form method="post"><button>Log in</button></form>',
      '<p>If you did not begin this, close the page.</p>',
    ]),
  );
}

async function finish(
  authorizations: McpAuthorizations,
  request: Request,
  response: Response,
): Promise<void> {
  if (request.method === 'POST') {
    const { headers, method } = request;
    const page = { method, host: hostOf(request), origin: headers.origin, site: siteOf(request) };
    const refusal = checkOrigin(page, { anyHost: true, ownPages: true });
    if (refusal !== undefined) throw refusal;
  }
  const cookie = cookieOf(request);
  const { server, approvalIds } = await authorizations.finish(answerOf(request), { cookie });
  const next = approvalIds.length > 0 ? 'What waited for it goes on.' : 'Turns use it from now on.';
  response.set(pageHeaders()).type('html');
  response.send(
    pageOf('Logged in', [
      `<h1>You are logged in at ${escaped(server)}</h1><p>${next} You can close this page.</p>`,
      '<p><a href="/">Go to the console</a></p>',
    ]),
  );
}

function answerOf({ originalUrl }: Request): URLSearchParams {
  return new URL(originalUrl, 'http://localhost').searchParams;
}

function cookieOf(request: Request): string | undefined {
  return readCookie('mcp', { host: hostOf(request), sent: request.headers.cookie });
}
