import { commandName } from '../../platform/process/command-name.js';
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import { errorCode } from '../../platform/error-code.js';
import { parseValue } from '../../platform/parsing/parse-value.js';
import { tryLock } from '../../storage/folder/data-folder.js';
import { LoginError } from './login-error.js';

/** Longest wait for another process that renews a log-in, in ms: longer than a provider may take. */
const LOCK_WAIT_MS = 60_000;
const LOCK_POLL_MS = 50;

const login = z.object({
  issuer: z.string(),
  issuerUrl: z.string(),
  clientId: z.string(),
  resource: z.exactOptional(z.string()),
  accessToken: z.string(),
  refreshToken: z.exactOptional(z.string()),
  /** When the access token was issued and when it ends, in ms since the epoch. */
  issuedAt: z.number(),
  expiresAt: z.number(),
});
const loginFile = z.object({ version: z.literal(1), logins: z.record(z.string(), login) });

/** A log-in at a server. */
export type Login = z.infer<typeof login>;
/** Log-ins by the URL of their server. */
export type Logins = Readonly<Record<string, Login>>;

/** `logins.json` in the user's folder of configuration. */
export function loginFileOf(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME: given = '', HOME = '' } = environment;
  // A path that is not absolute does not count, says the specification of the variable.
  const folder = path.isAbsolute(given) ? given : path.join(HOME || homedir(), '.config');
  return path.join(folder, 'turnpike', 'logins.json');
}

/** The log-ins of a user; none where there is no file. @throws LoginError LOGIN_FILE. */
export async function readLogins(file: string): Promise<Logins> {
  const text = await readPrivate(file);
  if (text === undefined) return {};
  const { value, faults } = parseValue(loginFile, parseJson(text));
  if (faults === undefined) return value.logins;
  throw new LoginError(
    'LOGIN_FILE',
    `${file} is not a file of log-ins. Delete it, and log in again: ${commandName()} login`,
  );
}

/** Adds, changes or removes (undefined) the log-in at a server. The caller has the lock. @throws LoginError LOGIN_FILE. */
export async function storeLogin(
  file: string,
  server: string,
  changed: Login | undefined,
): Promise<void> {
  const { [server]: _before, ...others } = await readLogins(file);
  const logins = changed === undefined ? others : { ...others, [server]: changed };
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: 1, logins }, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw unusable(file, error);
  }
}

/** Runs `act` while no other process changes the file. @throws LoginError LOGIN_FILE. */
export async function withLock<T>(file: string, act: () => Promise<T>): Promise<T> {
  const lock = await lockFile(file);
  try {
    return await act();
  } finally {
    await lock.release();
  }
}

async function lockFile(file: string): Promise<{ release(): Promise<void> }> {
  const until = Date.now() + LOCK_WAIT_MS;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    while (Date.now() < until) {
      const lock = await tryLock(`${file}.lock`);
      if (lock !== undefined) return lock;
      await wait(LOCK_POLL_MS);
    }
  } catch (error) {
    throw unusable(file, error);
  }
  throw new LoginError(
    'LOGIN_FILE',
    `Another process has had ${file} for a minute. End it, or delete ${file}.lock if there is none`,
  );
}

async function readPrivate(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, 'r');
    try {
      const { mode } = await handle.stat();
      // Windows has no such modes.
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        throw new LoginError(
          'LOGIN_FILE',
          `Other users may read ${file}, which has your log-ins. Close it: chmod 600 ${file}`,
        );
      }
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof LoginError || code === undefined) return error;
  const message = `${file} cannot be used (${code}). Correct its folder, or name another in XDG_CONFIG_HOME`;
  return new LoginError('LOGIN_FILE', message, { cause: error });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
