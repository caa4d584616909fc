import type { KeyScope, PrincipalLimits } from '../storage/governance-schema.js';
import type { KeyRow } from './key-store.js';

/** A key as administrators see it: never the secret or its hash. Times are ISO-8601. */
export interface KeyView {
  id: string;
  principal: string;
  name: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: KeyScope[];
  /** Limits of the key itself; the server's apply to the others. */
  limits: PrincipalLimits;
  /** Folders that the key's sessions may work in beside those open to all. */
  projectRoots: string[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** Precise to the minute. */
  lastUsedAt: string | null;
}

export function viewKey(key: KeyRow, now: number): KeyView {
  const { id, principalId, name, scopes, limits, createdAt, expiresAt, revokedAt } = key;
  const hasExpired = expiresAt !== null && expiresAt.getTime() <= now;
  const status = revokedAt !== null ? 'revoked' : hasExpired ? 'expired' : 'active';
  return {
    id,
    principal: principalId,
    name,
    status,
    scopes,
    limits,
    projectRoots: key.projectRoots ?? [],
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}
