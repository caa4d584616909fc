import { errorCode, withCauses } from '../error-code.js';

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
  for (const link of withCauses(error)) {
    if (errorCode(link) !== 'ADDRESS_REFUSED' || typeof link !== 'object' || link === null)
      continue;
    if ('host' in link) return String(link.host);
  }
  return undefined;
}
