import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../../platform/net/addresses.js';

/** Cookies of people: of a log-in, of one that has begun, and of a browser that begins log-ins at MCP servers. */
const names = { login: 'turnpike', begun: 'turnpike-begun', mcp: 'turnpike-mcp' } as const;
export type LoginCookie = keyof typeof names;

const SECRET_BYTES = 32;

/**
 * Whether browsers reach the console without TLS: at a loopback name alone. Elsewhere a cookie needs it, whatever a proxy
 * before the server does. Pure.
 *
 * @param host the header `Host`.
 */
function isPlainHttp(host: string): boolean {
  return isLoopback(host.replace(/:\d+$/, ''));
}

/** The origin of the console's pages, as their browser sees it. Pure. @param host the header `Host`. */
export function consoleOrigin(host: string): string {
  return `${isPlainHttp(host) ? 'http' : 'https'}://${host}`;
}

/**
 * No other host can set a cookie whose name begins with `__Host-`.
 *
 * @param of tells cookies of one kind apart: a browser may begin several log-ins. Empty: there is one of the kind.
 */
function nameOf(cookie: LoginCookie, host: string, of = ''): string {
  const name = of === '' ? names[cookie] : `${names[cookie]}-${of}`;
  return isPlainHttp(host) ? name : `__Host-${name}`;
}

/** The header that sets a cookie. Pure. @param value empty: the browser drops the cookie. */
export function setCookie(
  cookie: LoginCookie,
  value: string,
  { host, seconds, of }: { host: string; seconds: number; of?: string },
): string {
  const flags = isPlainHttp(host) ? '' : '; Secure';
  return `${nameOf(cookie, host, of)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${flags}`;
}

/** The header that makes a browser drop a cookie. Pure. */
export function dropCookie(cookie: LoginCookie, host: string, of = ''): string {
  return setCookie(cookie, '', { host, seconds: 0, of });
}

/** The value of a cookie; undefined: there is none. Pure. @param sent the header `Cookie`. */
export function readCookie(
  cookie: LoginCookie,
  { host, sent = '', of }: { host: string; sent?: string | undefined; of?: string },
): string | undefined {
  return valuesOf(sent, `${nameOf(cookie, host, of)}=`)[0];
}

/** The cookies of one kind that are told apart, by what does. Pure. @param sent the header `Cookie`. */
export function readCookies(
  cookie: LoginCookie,
  { host, sent = '' }: { host: string; sent?: string | undefined },
): ReadonlyMap<string, string> {
  const found = valuesOf(sent, `${nameOf(cookie, host)}-`).map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(0, at)), pair.slice(at + 1)];
  });
  return new Map(found.filter(([of]) => /^[\w-]+$/.test(of)));
}

function valuesOf(sent: string, begin: string): string[] {
  return sent
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin) && pair.length > begin.length)
    .map((pair) => pair.slice(begin.length));
}

/** The value of a new log-in's cookie: random, with a mark that tells it from what somebody guesses. */
export function newLoginSecret(key: Buffer): string {
  const random = randomBytes(SECRET_BYTES).toString('base64url');
  return `${random}.${markOf(random, key)}`;
}

/** Whether this server made the value of a cookie, at whatever time. */
export function isLoginSecret(value: string, key: Buffer): boolean {
  const [random = '', mark = '', ...more] = value.split('.');
  const [given, right] = [Buffer.from(mark), Buffer.from(markOf(random, key))];
  return more.length === 0 && given.length === right.length && timingSafeEqual(given, right);
}

function markOf(random: string, key: Buffer): string {
  return createHmac('sha256', key).update(random).digest('base64url');
}
