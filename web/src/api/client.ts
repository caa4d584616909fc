import { TurnpikeClient } from '#src/client/turnpike-client.js';
import { apiKey, keyRequest } from './api-key.js';
import { noteFault } from './connection.js';
import { isUnauthenticated } from './describe-fault.js';
import { noteLogIns } from './log-in.js';

let cached: { key: string | undefined; client: TurnpikeClient } | undefined;

/** The client of the page's own server, with the current key. */
export function client(): TurnpikeClient {
  const key = apiKey.get();
  if (cached?.key !== key || cached === undefined) {
    cached = {
      key,
      client: new TurnpikeClient({
        url: location.origin,
        onRetry: ({ cause }) => noteFault(cause),
        ...(key === undefined ? {} : { key }),
      }),
    };
  }
  return cached.client;
}

/** Asks for a log-in or a key after a 401, and checks the connection if there was no response. @returns the same fault. */
export function reportFault(fault: unknown): unknown {
  if (isUnauthenticated(fault)) {
    noteLogIns(fault);
    keyRequest.set(apiKey.get() === undefined ? 'missing' : 'refused');
  }
  noteFault(fault);
  return fault;
}
