import { Inject, Injectable } from '@nestjs/common';
import { and, asc, count, eq, gt, isNotNull, isNull, or, sql, type SQL } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { apiKeys } from '../../storage/governance-schema.js';
import { prepared } from '../../storage/statements.js';
import { returnedRow } from '../../storage/rows.js';
import type { KeyRow } from './key.dto.js';

type NewKeyRow = typeof apiKeys.$inferInsert;

export interface KeyCensus {
  /** Whether any key was ever created, even if all were revoked since. */
  hasHadKeys: boolean;
  /** Whether an unrevoked key exists. Expired keys count: a date must not open a server. */
  isKeyed: boolean;
  /** Whether a valid key exists. */
  hasActive: boolean;
}

/** Folders by principal, of valid keys that open any. */
export type KeyRoots = readonly { principalId: string; projectRoots: readonly string[] }[];

const selectByHash = prepared('key_by_hash', (db, name) =>
  db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.secretHash, sql.placeholder('hash')))
    .prepare(name),
);

/** API keys as rows. Keys are never deleted: the audit log refers to them. */
@Injectable()
export class KeyStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async findByHash(hash: string): Promise<KeyRow | undefined> {
    const [key] = await selectByHash(this.db).execute({ hash });
    return key;
  }

  /** The hashes of all keys that were not revoked. */
  async hashes(): Promise<ReadonlySet<string>> {
    const rows = await this.db
      .select({ hash: apiKeys.secretHash })
      .from(apiKeys)
      .where(isNull(apiKeys.revokedAt));
    return new Set(rows.map(({ hash }) => hash));
  }

  /** Lists keys in the order of their creation. */
  list(): Promise<KeyRow[]> {
    return this.db.select().from(apiKeys).orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
  }

  async add(key: NewKeyRow, db: Queryable = this.db): Promise<KeyRow> {
    return returnedRow(await db.insert(apiKeys).values(key).returning(), 'key');
  }

  async find(id: string): Promise<KeyRow | undefined> {
    const [key] = await this.db.select().from(apiKeys).where(eq(apiKeys.id, id));
    return key;
  }

  /** @returns undefined when the key does not exist, or was revoked. */
  async change(
    id: string,
    change: (key: KeyRow) => Partial<Pick<KeyRow, 'name' | 'limits'>>,
    tx: Queryable,
  ): Promise<KeyRow | undefined> {
    const unrevoked = and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
    const [key] = await tx.select().from(apiKeys).where(unrevoked).for('update');
    if (key === undefined) return undefined;
    const set = { name: key.name, ...change(key) };
    return returnedRow(await tx.update(apiKeys).set(set).where(unrevoked).returning(), 'key');
  }

  /** @returns undefined when the key does not exist, or was revoked before. */
  async revoke(id: string, db: Queryable = this.db): Promise<KeyRow | undefined> {
    const [revoked] = await db
      .update(apiKeys)
      .set({ revokedAt: new Date(this.clock.now()) })
      .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
      .returning();
    return revoked;
  }

  /** Revokes the keys of a principal. @returns the ids of those that were not revoked before. */
  async revokeAll(principalId: string, db: Queryable): Promise<string[]> {
    const revoked = await db
      .update(apiKeys)
      .set({ revokedAt: new Date(this.clock.now()) })
      .where(and(eq(apiKeys.principalId, principalId), isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id });
    return revoked.map(({ id }) => id);
  }

  async noteUse(id: string): Promise<void> {
    const lastUsedAt = new Date(this.clock.now());
    await this.db.update(apiKeys).set({ lastUsedAt }).where(eq(apiKeys.id, id));
  }

  async roots(): Promise<KeyRoots> {
    const { principalId, projectRoots } = apiKeys;
    const found = await this.db
      .select({ principalId, projectRoots })
      .from(apiKeys)
      .where(and(isNotNull(projectRoots), this.#isValid()));
    return found.map((key) => ({ ...key, projectRoots: key.projectRoots ?? [] }));
  }

  /** Roles of approvers that valid keys have. */
  async approverRoles(): Promise<Set<string>> {
    const { approves } = apiKeys;
    const found = await this.db
      .select({ approves })
      .from(apiKeys)
      .where(and(isNotNull(approves), this.#isValid()));
    return new Set(found.flatMap((key) => key.approves ?? []));
  }

  /** Valid keys that make page tokens for others, and for whom: see `mayMint`. */
  async minting(): Promise<{ id: string; mints: string }[]> {
    const { id, mints } = apiKeys;
    const found = await this.db
      .select({ id, mints })
      .from(apiKeys)
      .where(and(isNotNull(mints), this.#isValid()));
    return found.map((key) => ({ id: key.id, mints: key.mints ?? '' }));
  }

  #isValid(): SQL | undefined {
    const { revokedAt, expiresAt } = apiKeys;
    const now = new Date(this.clock.now());
    return and(isNull(revokedAt), or(isNull(expiresAt), gt(expiresAt, now)));
  }

  async census(db: Queryable = this.db): Promise<KeyCensus> {
    const now = new Date(this.clock.now()).toISOString();
    const [found] = await db
      .select({
        all: count(),
        unrevoked: sql<number>`count(*) filter (where revoked_at is null)`.mapWith(Number),
        active: sql<number>`count(*) filter (
          where revoked_at is null and (expires_at is null or expires_at > ${now}::timestamptz)
        )`.mapWith(Number),
      })
      .from(apiKeys);
    const { all = 0, unrevoked = 0, active = 0 } = found ?? {};
    return { hasHadKeys: all > 0, isKeyed: unrevoked > 0, hasActive: active > 0 };
  }
}
