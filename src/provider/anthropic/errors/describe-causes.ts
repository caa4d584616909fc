/** Most causes of an error that are looked at: a chain of causes may be a ring. */
const MAX_DEPTH = 5;

/** Timeout codes of the HTTP client and of the socket. */
const TIMEOUT_CODES: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/**
 * Codes of a name that does not exist and of a certificate that is not trusted: a retry fails as well.
 * A name server that does not answer is `EAI_AGAIN`, which a retry may cure.
 */
const SETUP_CODES: ReadonlySet<unknown> = new Set([
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The messages of an error and its causes, outermost first, `outer: inner: innermost`. Not redacted. */
export function describeCauses(error: unknown): string {
  const messages = chain(error).map((link) => messageOf(link));
  return messages.filter((message, at) => message !== messages[at - 1]).join(': ');
}

export function hasTimeoutCode(error: unknown): boolean {
  return chain(error).some((link) => TIMEOUT_CODES.has(property(link, 'code')));
}

/** Whether requests fail until the address or the machine is configured otherwise. */
export function hasSetupCode(error: unknown): boolean {
  return chain(error).some((link) => SETUP_CODES.has(property(link, 'code')));
}

function chain(error: unknown): unknown[] {
  const links: unknown[] = [];
  let link = error;
  while (link !== undefined && link !== null && links.length < MAX_DEPTH) {
    links.push(link);
    link = property(link, 'cause');
  }
  return links;
}

/** The message of an error, by shape: the HTTP client's errors may come from another realm. */
function messageOf(error: unknown): string {
  const message = property(error, 'message');
  if (typeof message === 'string' && message !== '') return message;
  const code = property(error, 'code');
  return typeof code === 'string' ? code : String(error);
}

function property(value: unknown, name: 'cause' | 'code' | 'message'): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<typeof name, unknown>)[name]
    : undefined;
}
