import path from 'node:path';
import { isPlainObject } from '../platform/json.js';
import { invalidRequest } from '../errors/typed-error.js';
import type { KeyScope, PrincipalLimits } from '../storage/governance-schema.js';

export const keyScopes: readonly KeyScope[] = ['turns', 'approvals', 'admin'];

export interface WantedKey {
  principal: string;
  name: string;
  /** Undefined: the default of `KeyService.create`. */
  scopes: KeyScope[] | undefined;
  /** Undefined: the key does not expire. */
  expiresInMs: number | undefined;
  limits: PrincipalLimits;
  /** Normalised folders that the key's sessions may work in beside those open to all. */
  projectRoots: string[];
}

const unitsMs: Record<string, number | undefined> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const longestMs = 3_650 * 86_400_000;

const fields = ['principal', 'name', 'scopes', 'expiresIn', 'limits', 'projectRoots'];
const mostRoots = 20;
const longestRoot = 4_096;
const limitNames = ['requestsPerMinute', 'concurrentTurns', 'tokensPerDay', 'usdPerDay'] as const;

/**
 * Validates a new key, of a request or of the command line. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 that names the field and the valid values.
 */
export function validateNewKey(body: unknown): WantedKey {
  if (!isPlainObject(body)) throw invalidRequest("The body must be an object with a 'principal'");
  refuseUnknown(body, fields, 'A key');
  return {
    principal: validatePrincipal(body['principal']),
    name: validateName(body['name']),
    scopes: validateScopes(body['scopes']),
    expiresInMs: parseExpiry(body['expiresIn']),
    limits: validateLimits(body['limits']),
    projectRoots: validateRoots(body['projectRoots']),
  };
}

function validatePrincipal(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z0-9][\w.@-]{0,63}$/.test(value)) return value;
  throw invalidRequest(
    "'principal' must be 1 to 64 letters, digits, '.', '@', '_' and '-': who the key stands for",
  );
}

function validateName(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && value.length <= 100 && !value.includes('\0')) return value;
  throw invalidRequest("'name' must be a text of at most 100 characters");
}

function validateScopes(value: unknown): KeyScope[] | undefined {
  if (value === undefined) return undefined;
  const given: unknown[] = Array.isArray(value) ? value : [];
  const scopes = keyScopes.filter((scope) => given.includes(scope));
  if (scopes.length > 0 && scopes.length === new Set(given).size) return scopes;
  throw invalidRequest(`'scopes' must be a list of at least one of ${keyScopes.join(', ')}`);
}

function parseExpiry(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : '';
  const [, number, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (unitsMs[unit] ?? Number.NaN);
  if (ms > 0 && ms <= longestMs) return ms;
  throw invalidRequest("'expiresIn' must be a time as 90m, 12h or 30d, at most 3650d");
}

function validateLimits(value: unknown): PrincipalLimits {
  if (value === undefined) return {};
  if (!isPlainObject(value)) throw invalidRequest("'limits' must be an object");
  refuseUnknown(value, limitNames, "'limits'");
  const limits: PrincipalLimits = {};
  for (const name of limitNames) {
    const limit = value[name];
    if (limit === undefined) continue;
    const isWhole = name === 'usdPerDay' || Number.isSafeInteger(limit);
    if (typeof limit !== 'number' || !Number.isFinite(limit) || limit < 0 || !isWhole) {
      const kind = name === 'usdPerDay' ? 'a number' : 'a whole number';
      throw invalidRequest(`'limits.${name}' must be ${kind} from 0; 0 is no limit`);
    }
    limits[name] = limit;
  }
  return limits;
}

function validateRoots(value: unknown): string[] {
  if (value === undefined) return [];
  const given: unknown[] = Array.isArray(value) ? value : [undefined];
  const roots = given.filter(isRoot).map((root) => path.resolve(root));
  if (roots.length === given.length && roots.length <= mostRoots) return [...new Set(roots)];
  throw invalidRequest(
    `'projectRoots' must be a list of at most ${mostRoots} absolute paths of at most ${longestRoot} characters`,
  );
}

function isRoot(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > longestRoot) return false;
  return path.isAbsolute(value) && !value.includes('\0');
}

function refuseUnknown(
  given: Record<string, unknown>,
  known: readonly string[],
  whose: string,
): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const named = JSON.stringify(unknown.slice(0, 60));
  throw invalidRequest(`${whose} has no field ${named}; its fields are ${known.join(', ')}`);
}
