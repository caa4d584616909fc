import { TurnpikeClient, TurnpikeError } from '../../../src/client/turnpike-client.js';
import { apiKey, keyWanted } from './api-key.js';

let made: { key: string | undefined; client: TurnpikeClient } | undefined;

/** The client of the page's own server, with the key that was entered. */
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

/** Asks for a key where it is a key that is missing. @returns what it was given. */
export function noteFault(fault: unknown): unknown {
  if (fault instanceof TurnpikeError && fault.status === 401) keyWanted.set(fault.message);
  return fault;
}
