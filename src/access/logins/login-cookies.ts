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

/** No other host can set a cookie whose name begins with `__Host-`. */
function nameOf(cookie: LoginCookie, host: string): string {
  return isPlainHttp(host) ? names[cookie] : `__Host-${names[cookie]}`;
}

/** The header that sets a cookie. Pure. @param value empty: the browser drops the cookie. */
export function setCookie(
  cookie: LoginCookie,
  value: string,
  { host, seconds }: { host: string; seconds: number },
): string {
  const flags = isPlainHttp(host) ? '' : '; Secure';
  return `${nameOf(cookie, host)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${flags}`;
}

/** The header that makes a browser drop a cookie. Pure. */
export function dropCookie(cookie: LoginCookie, host: string): string {
  return setCookie(cookie, '', { host, seconds: 0 });
}

/** The value of a cookie; undefined: there is none. Pure. @param sent the header `Cookie`. */
export function readCookie(
  cookie: LoginCookie,
  { host, sent = '' }: { host: string; sent?: string | undefined },
): string | undefined {
  const begin = `${nameOf(cookie, host)}=`;
  const found = sent
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(begin));
  const value = found?.slice(begin.length);
  return value === '' ? undefined : value;
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
