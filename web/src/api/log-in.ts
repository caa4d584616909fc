import { TurnpikeError } from '#src/client/transport/client-errors.js';
import { isPlainObject } from '#src/platform/json.js';
import { ValueStore } from '../hooks/value-store.js';

/** Names of the identity providers that people log in with; none where the server wants a key. */
export const logIns = new ValueStore<readonly string[]>([]);

/** Whether requests are sent by a log-in. */
export const isLoggedIn = new ValueStore(false);

/** Notes the identity providers that a 401 names. */
export function noteLogIns({ details }: TurnpikeError): void {
  const names = isPlainObject(details) ? details['logins'] : undefined;
  if (Array.isArray(names)) logIns.set(names.filter((name) => typeof name === 'string'));
}

/** The path at which a log-in begins that comes back to the page that is open. */
export function logInPath(issuer: string): string {
  const { pathname, search, hash } = location;
  return `/console/login/${issuer}?return=${encodeURIComponent(pathname + search + hash)}`;
}

/** Ends the log-in, and goes on to the log-out of the identity provider. */
export async function logOut(): Promise<void> {
  const response = await fetch('/console/logout', { method: 'POST' });
  const answer: unknown = await response.json();
  if (!response.ok || !isPlainObject(answer) || typeof answer['url'] !== 'string') {
    throw new Error(`the server did not end the log-in (${response.status})`);
  }
  location.assign(answer['url']);
}
