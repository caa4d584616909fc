import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { TypedError } from '../../errors/typed-error.js';
import { encodings, findBuiltPage, INDEX, type PageFile } from './find-built-page.js';

/** The views that the page routes by itself, and those that are of one object. */
const views = [
  '',
  'settings',
  'approvals',
  'agents',
  'turns',
  'queue',
  'memory',
  'mcp-logins',
  'schedules',
  'webhooks',
  'keys',
  'usage',
  'help',
];
const viewsOfOne = ['sessions', 'turns'];
const idForm = /^[\w-]+$/;

/** A path of the page that is also a route of the API: only a browser's navigation gets the page. */
const SHARED = '/agents';

/** Places of the API and of other pages, whose unknown paths are answered by them. */
const notOurs = /^\/(?:api|v1|docs|docs-json|admin|agent|chat|assets)(?:\/|$)/;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  // Recordings that tools give.
  'media-src blob:',
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of the page that draws diagrams: its library writes styles into it. It loads and sends nothing. */
const diagramPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');
const DIAGRAM = 'diagram.html';

const pageHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const YEAR_S = 31_536_000;

/**
 * Serves the console: the files that the folder has at the call, and the page under each of its paths. Other
 * requests go on to the routes; a browser that asks for what there is not gets the page, which says so. The files need
 * no key: they contain no data.
 *
 * @param hasRoute whether the API has a route of that path.
 */
export async function serveConsole(
  folder: string,
  hasRoute: (path: string) => boolean = () => false,
): Promise<RequestHandler> {
  const files = await findBuiltPage(folder);
  return (request, response, next) => {
    const { method, path } = request;
    if (method !== 'GET' && method !== 'HEAD') return next();
    const isPage = isView(path) && (path !== SHARED || wantsPage(request, response));
    const file = files?.get(isPage ? `/${INDEX}` : path);
    if (file !== undefined) return send(file, { folder, request, response, next });
    if (isPage && path !== SHARED) return next(notBuilt());
    const index = files?.get(`/${INDEX}`);
    if (index === undefined || notOurs.test(path) || hasRoute(path)) return next();
    if (!wantsPage(request, response)) return next();
    response.status(404);
    return send(index, { folder, request, response, next });
  };
}

function isView(path: string): boolean {
  const [, view = '', id, ...more] = path.split('/');
  if (id === undefined) return views.includes(view);
  if (view === 'help') return [id, ...more].every((part) => idForm.test(part));
  if (!viewsOfOne.includes(view) || !idForm.test(id)) return false;
  return more.length === 0 || (view === 'turns' && isComparison(more));
}

/** The rest of the path of two turns side by side. */
function isComparison([compare, id = '', ...more]: readonly string[]): boolean {
  return compare === 'compare' && idForm.test(id) && more.length === 0;
}

/** Whether the request prefers HTML, as a browser's navigation does; API clients accept anything or JSON. */
function wantsPage(request: Request, response: Response): boolean {
  response.vary('Accept');
  return request.accepts(['json', 'html']) === 'html';
}

interface Sending {
  folder: string;
  request: Request;
  response: Response;
  next: NextFunction;
}

function send(file: PageFile, { folder, request, response, next }: Sending): void {
  response.set(pageHeaders);
  response.set('Content-Security-Policy', file.name === DIAGRAM ? diagramPolicy : policy);
  response.vary('Accept-Encoding');
  // Tried in our order: where a client takes several alike, `acceptsEncodings` returns the oldest.
  const encoding = file.encodings.find((one) => request.acceptsEncodings(one) === one);
  response.type(file.name.slice(file.name.lastIndexOf('.')));
  if (encoding !== undefined) response.set('Content-Encoding', encoding);
  response.set(
    'Cache-Control',
    file.isHashed ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
  );
  const name = file.name + (encoding === undefined ? '' : encodings[encoding]);
  response.sendFile(name, { root: folder, dotfiles: 'allow', acceptRanges: false }, (error) => {
    if (!(error instanceof Error) || response.headersSent) return;
    response.removeHeader('Content-Encoding');
    response.removeHeader('Cache-Control');
    // The file is gone: the folder was built anew or emptied.
    next('code' in error && error.code === 'ENOENT' ? notBuilt() : error);
  });
}

function notBuilt(): TypedError {
  return new TypedError('CONSOLE_NOT_BUILT', {
    message:
      'The console’s files are missing, or were built again while the server ran. Run npm run build, then restart the server; TURNPIKE_CONSOLE=false turns the console off. The API is described at /docs.',
  });
}
