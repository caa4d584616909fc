import { loopbackNames } from '../../platform/net/loopback.js';
import { TypedError } from '../../errors/typed-error.js';

export interface OriginRules {
  /** Origins of other pages that may send requests. */
  allowed?: readonly string[];
  /** The server has names beside the loopback ones: a gateway decides who reaches it. */
  anyHost?: boolean;
}

/** Fields of a request's head that show a browser, and the page that made the browser send. */
export interface PageHead {
  method: string;
  host?: string | undefined;
  origin?: string | undefined;
  /** The value of `Sec-Fetch-Site`, which no page can set. */
  site?: string | undefined;
  contentType?: string | undefined;
  hasBody?: boolean;
}

const readingMethods = ['GET', 'HEAD', 'OPTIONS'];
/** `Sec-Fetch-Site` of this server's own pages, and of the person in front of the browser. */
const ownSites = ['same-origin', 'none'];
/**
 * Media types that a page may send. JSON needs a preflight from another origin; forms are for
 * files.
 */
const bodyTypes = ['application/json', 'multipart/form-data'];

/**
 * Checks the page that sent a request to a server without API keys. Anybody who reaches the
 * loopback address may run tools: a web page of any site, or of another program on this machine,
 * can make its visitor's browser send requests there; a rebound DNS name can even read the answers.
 * Such requests show in `Host`, `Origin` or `Sec-Fetch-Site`, and are refused. Programs send
 * neither of the last two. Servers with keys need no such rule: no browser sends a key by itself.
 * Pure.
 *
 * @returns 403 `FORBIDDEN_ORIGIN`, or 415 `UNSUPPORTED_MEDIA_TYPE` for a browser's body that is no
 * JSON and no form.
 */
export function checkOrigin(head: PageHead, rules: OriginRules = {}): TypedError | undefined {
  const { host, origin, site } = head;
  if (host === undefined) return foreignHost(host);
  if (rules.anyHost !== true && !loopbackNames.includes(hostName(host))) return foreignHost(host);
  if (origin === undefined && site === undefined) return undefined;
  const isListed = origin !== undefined && (rules.allowed ?? []).includes(origin);
  if (origin !== undefined && !isListed && !isOwnOrigin(origin, host)) {
    return foreignPage('Origin', origin);
  }
  if (readingMethods.includes(head.method)) return undefined;
  if (site !== undefined && !isListed && !ownSites.includes(site)) {
    return foreignPage('Sec-Fetch-Site', site);
  }
  return head.hasBody === true && !isTaken(head.contentType) ? foreignType() : undefined;
}

function isTaken(contentType: string | undefined): boolean {
  const essence = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return bodyTypes.includes(essence);
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

/**
 * Whether a page's host and port are the request's. The scheme is not compared: a gateway may
 * change it.
 */
function isOwnOrigin(origin: string, host: string): boolean {
  const page = parsePage(origin);
  if (page === undefined) return false;
  const own = `${page.protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === page.host;
}

/** The URL of an http page; undefined for others: an extension may call itself localhost. */
function parsePage(origin: string): URL | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

function foreignHost(host: string | undefined): TypedError {
  return refused(
    `Host '${shorten(host ?? '')}' is not a loopback name. Without API keys, Turnpike answers to 127.0.0.1, localhost and [::1] only.`,
  );
}

function foreignPage(header: string, value: string): TypedError {
  return refused(
    `${header} '${shorten(value)}' is not this server's own. Without API keys, Turnpike takes requests of its own pages, and of those whose origin is in TURNPIKE_CORS_ORIGINS.`,
  );
}

function foreignType(): TypedError {
  return new TypedError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'A page must send its body as application/json: set the header Content-Type.',
    headers: { Accept: bodyTypes.join(', ') },
  });
}

function refused(message: string): TypedError {
  return new TypedError('FORBIDDEN_ORIGIN', { message });
}

function shorten(value: string): string {
  return value.slice(0, 120);
}
