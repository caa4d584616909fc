import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { openBytes, sealBytes } from '../secrets/seal.js';
import { LoginError } from './login-error.js';

/** Time in which a log-in that has begun is to be finished, in ms. */
export const BEGUN_MS = 600_000;

/** Log-ins that one browser may have begun; another one ends the oldest. */
const MAX_BEGUN = 10;

const CONTEXT = 'begun log-in';

const shape = z.object({
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Path of the console that the person comes back to. */
  returnTo: z.string(),
  /** In ms since the epoch. */
  expiresAt: z.number(),
});

/** A log-in that has begun. Its browser keeps it, sealed, so that any process can finish it. */
export type BegunLogin = Readonly<z.infer<typeof shape>>;

export function sealBegun(begun: BegunLogin, key: Buffer): string {
  return sealBytes(Buffer.from(JSON.stringify(begun)), key, CONTEXT).toString('base64url');
}

/** @param sealed undefined: the browser has none. @throws LoginError NOT_BEGUN, EXPIRED. */
export function openBegun(sealed: string | undefined, key: Buffer, now: number): BegunLogin {
  if (sealed === undefined) throw new LoginError('NOT_BEGUN');
  const { success, data } = shape.safeParse(parse(sealed, key));
  if (!success) throw new LoginError('NOT_BEGUN');
  if (data.expiresAt <= now) throw new LoginError('EXPIRED', { issuer: data.issuer });
  return data;
}

/** Tells the begun log-ins of a browser apart, by the `state` that the provider sends back. Pure. */
export function placeOfBegun(state: string): string {
  return hash('sha256', state, 'base64url').slice(0, 16);
}

/**
 * The begun log-ins that a browser forgets when it begins another one: those that are over or not ours, and the oldest.
 *
 * @param all sealed, by their places. @returns their places.
 */
export function excessBegun(
  all: ReadonlyMap<string, string>,
  key: Buffer,
  now: number,
): readonly string[] {
  const ends = [...all].map(([place, sealed]) => {
    const { success, data } = shape.safeParse(parse(sealed, key));
    return { place, expiresAt: success ? data.expiresAt : 0 };
  });
  const newest = ends.toSorted((a, b) => b.expiresAt - a.expiresAt);
  return newest
    .filter(({ expiresAt }, index) => expiresAt <= now || index >= MAX_BEGUN - 1)
    .map(({ place }) => place);
}

/** @returns undefined for a text that this server did not seal. */
function parse(sealed: string, key: Buffer): unknown {
  try {
    return JSON.parse(openBytes(Buffer.from(sealed, 'base64url'), key, CONTEXT).toString());
  } catch {
    return undefined;
  }
}

const MAX_PATH_CHARS = 2_000;

/**
 * The path that a person comes back to: one of this console, and never of another site, which `//` and `/\` begin.
 * Browsers leave out tabs and line ends. Pure.
 *
 * @returns `/` for anything else.
 */
export function returnPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_PATH_CHARS) return '/';
  return /^\/(?![/\\])[^\s\p{C}]*$/u.test(given) ? given : '/';
}
