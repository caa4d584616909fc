import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../principal.js';
import { compact } from '../../platform/compact.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { keyScopes, type KeyScope, type PrincipalLimits } from '../../storage/governance-schema.js';
import { lockFor } from '../../storage/statements.js';
import { keyNotFound } from '../access-errors.js';
import { AuditLog } from '../audit-log.js';
import { newSecret } from './key-secret.js';
import { KeyStore } from './key-store.js';
import { ApiKeyCache } from './api-key-cache.js';
import {
  usualScopes,
  viewKey,
  type CreatedKeyDto,
  type KeyChangesDto,
  type KeyDto,
  type NewKeyDto,
  parsePeriod,
} from './key.dto.js';

/** Manages API keys. An action and its audit entry are one transaction. */
@Injectable()
export class KeyService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly store: KeyStore,
    private readonly audit: AuditLog,
    private readonly known: ApiKeyCache,
  ) {}

  /**
   * Creates a key. The default scopes are `turns` and `approvals`; the first key has all scopes.
   *
   * @param by the acting principal, for the audit log.
   */
  async create(wanted: NewKeyDto, by: Actor): Promise<CreatedKeyDto> {
    const asked = wanted.scopes ?? (await this.#defaultScopes());
    const created = await this.db.transaction((tx) => this.#add(wanted, asked, by, tx));
    this.known.forget();
    return created;
  }

  /**
   * Creates the first key, with all scopes, unless there ever was one. Of processes that start together one does.
   *
   * @param show tells the key to somebody, before it is stored: a key that nobody was told would lock the server.
   */
  async createFirst(
    wanted: NewKeyDto,
    by: Actor,
    show: (created: CreatedKeyDto) => void,
  ): Promise<void> {
    await this.db.transaction(async (tx) => {
      await lockFor(tx, 'first-key');
      const { hasHadKeys } = await this.store.census(tx);
      if (!hasHadKeys) show(await this.#add(wanted, keyScopes, by, tx));
    });
    this.known.forget();
  }

  async list(): Promise<KeyDto[]> {
    const now = this.clock.now();
    return (await this.store.list()).map((key) => viewKey(key, now));
  }

  /**
   * Changes a key's name and limits, from its next request on.
   *
   * @param id text without NUL.
   * @throws TypedError KEY_NOT_FOUND 404, also for a key that was revoked.
   */
  async change(id: string, { name, limits = {} }: KeyChangesDto, by: Actor): Promise<KeyDto> {
    const { db, store, audit, clock } = this;
    const changed = await db.transaction(async (tx) => {
      const key = await store.change(
        id,
        (before) => ({ ...compact({ name }), limits: changedLimits(before.limits, limits) }),
        tx,
      );
      if (key === undefined) throw keyNotFound(id);
      const details = { principal: key.principalId, limits: key.limits };
      await audit.write({ by, action: 'key.changed', subject: id, details }, tx);
      return key;
    });
    this.known.forget();
    return viewKey(changed, clock.now());
  }

  /**
   * Revokes a key, again without effect. @param id text without NUL. @throws TypedError KEY_NOT_FOUND 404.
   */
  async revoke(id: string, by: Actor): Promise<KeyDto> {
    const { db, store, audit, clock } = this;
    const revoked = await db.transaction(async (tx) => {
      const key = await store.revoke(id, tx);
      if (key === undefined) return undefined;
      const details = { principal: key.principalId };
      await audit.write({ by, action: 'key.revoked', subject: id, details }, tx);
      return key;
    });
    this.known.forget();
    const key = revoked ?? (await store.find(id));
    if (key === undefined) throw keyNotFound(id);
    return viewKey(key, clock.now());
  }

  async #add(
    wanted: NewKeyDto,
    asked: readonly KeyScope[],
    by: Actor,
    tx: Queryable,
  ): Promise<CreatedKeyDto> {
    const { principal, name, limits, expiresIn, projectRoots, mints } = wanted;
    const approves = [...new Set(wanted.approves ?? [])];
    const scopes = keyScopes.filter((scope) => asked.includes(scope));
    const expiresInMs = expiresIn === undefined ? undefined : parsePeriod(expiresIn);
    const now = this.clock.now();
    const secret = newSecret();
    const key = await this.store.add(
      {
        id: secret.id,
        principalId: principal,
        name,
        secretHash: secret.hash,
        scopes,
        limits: compact(limits),
        projectRoots: projectRoots.length === 0 ? null : projectRoots,
        mints: mints ?? null,
        approves: approves.length === 0 ? null : approves,
        expiresAt: expiresInMs === undefined ? null : new Date(now + expiresInMs),
        createdAt: new Date(now),
      },
      tx,
    );
    const opened = projectRoots.length === 0 ? {} : { projectRoots };
    const expiresAt = key.expiresAt?.toISOString() ?? null;
    const roles = approves.length === 0 ? {} : { approves };
    const details = { principal, scopes, expiresAt, ...opened, ...roles, ...compact({ mints }) };
    const entry = { by, action: 'key.created', subject: key.id, details } as const;
    await this.audit.write(entry, tx);
    return { key: viewKey(key, now), secret: secret.text };
  }

  async #defaultScopes() {
    const { isKeyed } = await this.store.census();
    return isKeyed ? usualScopes : keyScopes;
  }
}

/** Limits after a change; null takes a limit away. Pure. */
function changedLimits(
  before: PrincipalLimits,
  changes: NonNullable<KeyChangesDto['limits']>,
): PrincipalLimits {
  const names = ['requestsPerMinute', 'concurrentTurns', 'tokensPerDay', 'usdPerDay'] as const;
  const limits: PrincipalLimits = {};
  for (const name of names) {
    const value = changes[name] === undefined ? before[name] : changes[name];
    if (value !== undefined && value !== null) limits[name] = value;
  }
  return limits;
}
