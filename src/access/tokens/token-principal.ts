import type { JWTPayload } from 'jose';
import type { KeyScope, PrincipalLimits } from '../../storage/governance-schema.js';
import { isPlainObject } from '../../platform/json.js';
import { TokenError } from './token-error.js';
import type { Issuer, Role } from './auth-file.js';

const MAX_PRINCIPAL_CHARS = 200;
const MAX_GROUPS = 1_000;
/** The end of the year 9999, in ms since the epoch. */
const MAX_TIME_MS = Date.UTC(10_000, 0) - 1;

/** The rights that roles give together. */
export interface Rights {
  scopes: readonly KeyScope[];
  limits: PrincipalLimits;
  projectRoots: readonly string[];
  /** Undefined: all. */
  agents: readonly string[] | undefined;
  approves: readonly string[];
}

/** The person of a token, with the rights of its groups. */
export interface TokenGrant extends Rights {
  /** `issuer:person`. */
  principalId: string;
}

/** The person of verified claims, with what its groups may do. Pure. @throws TokenError. */
export function grantOf(issuer: Issuer, claims: JWTPayload): TokenGrant {
  const principalId = principalOf(issuer, claims);
  const groups = groupsOf(issuer, claims);
  const rights = rightsOf(issuer, groups);
  if (rights === undefined) {
    throw new TokenError('NO_ROLE', { issuer: issuer.name, groups }, principalId);
  }
  return { principalId, ...rights };
}

/** The rights of groups by the roles of an issuer; undefined: none has a role. Pure. */
export function rightsOf(
  { roles }: Pick<Issuer, 'roles'>,
  groups: readonly string[],
): Rights | undefined {
  const own = roles.filter(({ group }) => group === '*' || groups.includes(group));
  return own.length === 0 ? undefined : joinRoles(own);
}

function principalOf({ name, principal }: Issuer, claims: JWTPayload): string {
  const parts = principal.map((claim) => {
    const value = textOfName(claims[claim]);
    if (value === undefined) throw new TokenError('MISSING_CLAIM', { issuer: name, claim });
    // Two people must not have one id, nor look as if they had.
    const isOdd =
      /[^\S ]|\p{C}/u.test(value) ||
      /^ | $| {2}/.test(value) ||
      (!value.includes(' ') && /%2[05]/.test(value)) ||
      (principal.length > 1 && value.includes(':'));
    if (isOdd || value.length > MAX_PRINCIPAL_CHARS) {
      throw new TokenError('WRONG_CLAIM', { issuer: name, claim });
    }
    return withoutBlanks(value);
  });
  const id = [name, ...parts].join(':');
  if (id.length > MAX_PRINCIPAL_CHARS) {
    throw new TokenError('WRONG_CLAIM', { issuer: name, claim: principal.join() });
  }
  return id;
}

/** A name of somebody, who may also be known by a number. */
function textOfName(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Ids have no blanks. A name that looks like one without them is refused. */
function withoutBlanks(name: string): string {
  return name.includes(' ') ? name.replaceAll('%', '%25').replaceAll(' ', '%20') : name;
}

/**
 * The groups of a token: a text (of `scope`, each of its words), a list of texts, or the keys of an object. None where it has too many: a part of them
 * would be a wrong answer.
 */
export function groupsOf({ groups }: Pick<Issuer, 'groups'>, claims: JWTPayload): string[] {
  const found = findGroups(groups, claims);
  const isScopes = typeof found === 'string' && (groups === 'scope' || groups === 'scp');
  const listed = isScopes ? found.split(' ') : [found].flat();
  const all = isPlainObject(found) ? Object.keys(found) : listed;
  const list = all.filter((one) => typeof one === 'string');
  return list.length > MAX_GROUPS ? [] : list;
}

function findGroups(groups: Issuer['groups'], claims: JWTPayload): unknown {
  if (typeof groups !== 'string') return valueAt(claims, groups);
  return valueAtDots(claims, groups.split('.'));
}

/** A time of a token, in ms since the epoch. Pure. @throws TokenError WRONG_CLAIM for one that no row can have. */
export function timeOf(
  { name }: Pick<Issuer, 'name'>,
  claims: JWTPayload,
  claim: 'exp' | 'iat',
): number {
  const ms = Number(claims[claim]) * 1_000;
  if (ms >= 0 && ms <= MAX_TIME_MS) return ms;
  throw new TokenError('WRONG_CLAIM', { issuer: name, claim });
}

/** The value at a path whose names may have dots themselves: the fewest names that lead somewhere. */
function valueAtDots(value: unknown, parts: readonly string[]): unknown {
  if (parts.length === 0) return value;
  if (!isPlainObject(value)) return undefined;
  for (let count = parts.length; count > 0; count -= 1) {
    const name = parts.slice(0, count).join('.');
    const found = Object.hasOwn(value, name)
      ? valueAtDots(value[name], parts.slice(count))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  return isPlainObject(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}

/** Joins roles: everything that one of them allows. */
function joinRoles(roles: readonly Role[]): Rights {
  const all = <T>(listOf: (role: Role) => readonly T[]): T[] => [...new Set(roles.flatMap(listOf))];
  const isFree = roles.some(({ agents }) => agents === undefined);
  return {
    scopes: all(({ scopes }) => scopes),
    projectRoots: all(({ projectRoots }) => projectRoots),
    agents: isFree ? undefined : all(({ agents }) => agents ?? []),
    approves: all(({ approves }) => approves),
    limits: widest(roles.map(({ limits }) => limits)),
  };
}

const limitNames = ['requestsPerMinute', 'concurrentTurns', 'tokensPerDay', 'usdPerDay'] as const;

/** The largest of each limit; 0 is none. Roles that do not name one do not make it smaller. */
function widest(limits: readonly PrincipalLimits[]): PrincipalLimits {
  const joined: PrincipalLimits = {};
  for (const name of limitNames) {
    const given = limits.flatMap((one) => one[name] ?? []);
    if (given.length > 0) joined[name] = given.includes(0) ? 0 : Math.max(...given);
  }
  return joined;
}
