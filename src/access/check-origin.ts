import { TypedError } from '../platform/typed-error.js';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

export interface OriginRules {
  /** Origins of other sites whose pages may call. */
  allowed?: readonly string[];
  /** The server is known by other names than loopback ones: a gateway decides who reaches it. */
  anyHost?: boolean;
}

/**
 * While there are no API keys, whoever reaches the loopback address may run tools. A web page of
 * any site can make its visitor's browser send requests there; a rebound DNS name can even read
 * the answers. Both show in `Host` or `Origin`, and both are refused. A key needs no such rule: no
 * browser sends one by itself. Pure.
 */
export function checkOrigin(
  headers: { host?: string | undefined; origin?: string | undefined },
  { allowed = [], anyHost = false }: OriginRules = {},
): TypedError | undefined {
  const { host, origin } = headers;
  if (host === undefined) return refused('Host', host);
  if (!anyHost && !loopbackNames.has(hostName(host))) return refused('Host', host);
  if (origin === undefined || loopbackNames.has(originName(origin))) return undefined;
  if (anyHost && isOwnOrigin(origin, host)) return undefined;
  return allowed.includes(origin) ? undefined : refused('Origin', origin);
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

function originName(origin: string): string {
  return parsePage(origin)?.hostname ?? '';
}

function isOwnOrigin(origin: string, host: string): boolean {
  return parsePage(origin)?.host === host.toLowerCase();
}

/** Undefined for what is no page of a site: an extension may call itself localhost. */
function parsePage(origin: string): URL | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

function refused(header: string, value: string | undefined): TypedError {
  return new TypedError('FORBIDDEN_ORIGIN', {
    status: 403,
    message: `${header} '${(value ?? '').slice(0, 120)}' is not a loopback name. Without API keys, Turnpike answers to 127.0.0.1, localhost and [::1], and to pages of TURNPIKE_CORS_ORIGINS only.`,
  });
}
