import { TurnpikeClient, TurnpikeError } from '../../../src/client/turnpike-client.js';
import { apiKey, keyRequest } from './api-key.js';

let made: { key: string | undefined; client: TurnpikeClient } | undefined;

/** The client of the page's own server, with the current key. */
export function client(): TurnpikeClient {
  const key = apiKey.get();
  if (made?.key !== key || made === undefined) {
    made = {
      key,
      client: new TurnpikeClient({ url: location.origin, ...(key === undefined ? {} : { key }) }),
    };
  }
  return made.client;
}

/** Asks for a key after a 401. @returns the same fault. */
export function reportFault(fault: unknown): unknown {
  if (fault instanceof TurnpikeError && fault.status === 401) keyRequest.set(fault.message);
  return fault;
}
