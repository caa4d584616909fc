/**
 * Refuses a host for its address. The message leaves the address out: who chose the name would learn
 * what is inside the network.
 */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';

  constructor(readonly host: string) {
    super(`${host} is at an address that is not public`);
  }
}

/** The refused host of an error or of its causes, by shape: HTTP clients wrap the error of a connection. */
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
