import type { Cli } from '../command.js';
import { loginEnded, LoginError } from './login-error.js';
import { loginFileOf, readLogins, storeLogin, withLock, type Login } from './login-file.js';

/** A token is renewed when less of its time is left, in ms; of one that is short, a quarter of its life. */
const RENEWED_MS = 60_000;

/** A server, with what the user is known by there. */
export interface ServerAccess {
  url: string;
  /** `TURNPIKE_API_KEY`. */
  key: string | undefined;
  /** The access token of the user's log-in. @throws LoginError. */
  token?: (() => Promise<string>) | undefined;
}

/** `TURNPIKE_API_KEY`; undefined where it is empty. */
export function keyOf({ TURNPIKE_API_KEY: key }: Cli['environment']): string | undefined {
  return key === '' ? undefined : key;
}

/** The server's URL as log-ins have it. */
export function nameOfServer(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}

/**
 * The user's access to a server: a key that is given, else the log-in there.
 *
 * @throws LoginError LOGIN_FILE.
 */
export async function accessTo(
  environment: Cli['environment'],
  url: string,
): Promise<ServerAccess> {
  const key = keyOf(environment);
  if (key !== undefined) return { url, key };
  const file = loginFileOf(environment);
  const server = nameOfServer(url);
  const { [server]: login } = await readLogins(file);
  if (login === undefined) return { url, key };
  return { url, key, token: () => currentToken(file, server) };
}

/** The access token of a log-in, renewed where it is about to end: by one process at a time. */
async function currentToken(file: string, server: string): Promise<string> {
  const login = await loadLogin(file, server);
  if (isFresh(login)) return login.accessToken;
  return withLock(file, async () => {
    const latest = await loadLogin(file, server);
    // Another process renewed it meanwhile.
    if (isFresh(latest)) return latest.accessToken;
    const renewed = await renew(file, server, latest);
    return renewed.accessToken;
  });
}

async function renew(file: string, server: string, login: Login): Promise<Login> {
  const isValid = login.expiresAt > Date.now();
  try {
    // Loaded when needed alone: most commands have a token that is fresh.
    const { renewTokens } = await import('./device-log-in.js');
    const tokens = await renewTokens(login, server);
    const renewed = { ...login, ...tokens };
    await storeLogin(file, server, renewed);
    return renewed;
  } catch (error) {
    if (!(error instanceof LoginError)) throw error;
    if (error.fault === 'PROVIDER_AWAY' && isValid) return login;
    if (error.fault !== 'LOGIN_ENDED') throw error;
    // A process on another machine with the same home may have renewed it first.
    const latest = await loadLogin(file, server);
    if (latest.refreshToken !== login.refreshToken && latest.expiresAt > Date.now()) return latest;
    if (isValid) return login;
    throw error;
  }
}

async function loadLogin(file: string, server: string): Promise<Login> {
  const { [server]: login } = await readLogins(file);
  if (login === undefined) throw loginEnded(server);
  return login;
}

function isFresh({ issuedAt, expiresAt }: Login): boolean {
  return expiresAt - Date.now() > Math.min(RENEWED_MS, (expiresAt - issuedAt) / 4);
}
