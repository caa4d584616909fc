import type { KeyFault } from '../access-errors.js';
import { hashKey, isKeyText } from '../keys/key-secret.js';
import type { KeyRow } from '../keys/key.dto.js';
import { limitsOf, type Principal, type ResolvedLimits } from '../principal.js';
import type { CredentialKind, CredentialParts, Presented } from './credential-kind.js';

type KeyParts = Pick<
  CredentialParts,
  'keys' | 'refusals' | 'people' | 'custom' | 'clock' | 'rules'
>;

/** Keys of this server. On a server that is open to nobody without one, any other text is a wrong key. */
export function keyCredentials(parts: KeyParts): CredentialKind {
  const { keys, clock } = parts;
  return {
    kind: 'key',
    isText: true,
    // Clients made for other servers may send a foreign key to any server.
    matches: ({ text = '', isOpen }) => isKeyText(text) || !isOpen,
    find: (presented) => findByKey(parts, presented),
    accessOf: ({ credential }) => {
      const id = credential.kind === 'key' ? credential.id : '';
      return {
        hasEnded: async () => findFault(await keys.findById(id), clock.now()) !== undefined,
      };
    },
  };
}

async function findByKey(
  { keys, refusals, people, custom, clock, rules }: KeyParts,
  { text = '', head }: Presented,
): Promise<Principal> {
  const hash = hashKey(text);
  // An address that guesses keys gets no look-up for each. A key that there is counts, whoever else is there.
  const isGuess = !keys.hasSeen(hash) && (await refusals.isFlooding(head));
  const isLookedUp = isKeyText(text) && (!isGuess || (await keys.exists(hash)));
  const key = isLookedUp ? await keys.find(hash) : undefined;
  const fault = findFault(key, clock.now());
  if (key !== undefined && fault === undefined) return principalOfKey(key, rules.defaultLimits);
  await refusals.count(head, hash);
  const isOpaque = people.tokens.hasIssuers && custom.isEmpty && !isKeyText(text);
  return refusals.refuse(isOpaque ? 'opaque' : (fault ?? 'unknown'), head, key);
}

export function principalOfKey(key: KeyRow, defaultLimits: ResolvedLimits): Principal {
  return {
    id: key.principalId,
    credential: { kind: 'key', id: key.id },
    scopes: key.scopes,
    limits: limitsOf(key.limits, defaultLimits),
    approves: key.approves ?? [],
    projectRoots: key.projectRoots ?? [],
  };
}

/** Why a key may do nothing; undefined: it may. @param now in ms since the epoch. */
export function findFault(key: KeyRow | undefined, now: number): KeyFault | undefined {
  if (key === undefined) return 'unknown';
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt.getTime() <= now ? 'expired' : undefined;
}
