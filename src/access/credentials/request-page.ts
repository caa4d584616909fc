import { checkOrigin, type AccessRules, type PageHead } from '../origin/check-origin.js';
import type { RequestHead } from './parse-credentials.js';

/** @throws TypedError FORBIDDEN_ORIGIN, UNSUPPORTED_MEDIA_TYPE for a page that may not send requests. */
export function checkPage(
  head: RequestHead,
  { corsOrigins }: Pick<AccessRules, 'corsOrigins'>,
  { anyHost }: { anyHost: boolean },
): void {
  const refusal = checkOrigin(pageOf(head), { allowed: corsOrigins, anyHost });
  if (refusal !== undefined) throw refusal;
}

/** The headers that tell which page sent a request, if any did. */
export function pageOf(head: RequestHead): PageHead {
  const length = headerOf(head, 'content-length');
  return {
    method: head.method,
    host: headerOf(head, 'host'),
    origin: headerOf(head, 'origin'),
    site: headerOf(head, 'sec-fetch-site'),
    contentType: headerOf(head, 'content-type'),
    hasBody: (length ?? '0') !== '0' || headerOf(head, 'transfer-encoding') !== undefined,
  };
}

/** @param wanted in lower case. @returns the first of the name; undefined: there is none. */
export function headerOf({ rawHeaders }: RequestHead, wanted: string): string | undefined {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === wanted);
  return at < 0 ? undefined : rawHeaders[at + 1];
}
