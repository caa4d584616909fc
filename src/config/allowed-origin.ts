import { isLoopbackHttp } from '../platform/net/loopback.js';

/**
 * The origin of an entry of `TURNPIKE_EGRESS_ALLOW`: `https://Host:443/` → `https://host`. Undefined for text that
 * is no URL, for a path, a query or credentials, and for `http://` to anything but loopback.
 */
export function parseAllowedOrigin(entry: string): string | undefined {
  const text = entry.trim();
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.href !== `${url.origin}/`) return undefined;
  return url.protocol === 'https:' || isLoopbackHttp(url) ? url.origin : undefined;
}
