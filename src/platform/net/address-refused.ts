/**
 * A host is at an address that must not be reached. The address itself is not told: whoever chose
 * the name would learn what is inside the network.
 */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';

  constructor(readonly host: string) {
    super(`${host} is at an address that is not public`);
  }
}

/** The refusal in an error or in its causes, by shape: an HTTP client wraps what ended a connection. */
export function refusedHost(error: unknown): string | undefined {
  let link = error;
  for (let depth = 0; depth < 5 && typeof link === 'object' && link !== null; depth += 1) {
    if ('code' in link && link.code === 'ADDRESS_REFUSED' && 'host' in link) {
      return String(link.host);
    }
    link = 'cause' in link ? link.cause : undefined;
  }
  return undefined;
}
