import { randomBytes } from 'node:crypto';
import { and, eq, getTableName, sql } from 'drizzle-orm';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../platform/clock.js';
import { isPlainObject } from '../../platform/json.js';
import type { Logger } from '../../platform/logger.js';
import type { Database, Queryable } from '../../storage/connection.js';
import { dataKeys } from '../../storage/governance-schema.js';
import { masterKeysRefused, secretUnreadable } from '../access-errors.js';
import { MasterKeyMissingError, openMasterKeyFile, type MasterKeys } from './master-key-file.js';
import { isPlain, SEALED, secretColumns, type SecretPlace } from './secret-columns.js';
import { openBytes, sealBytes } from './seal.js';

const sealedForm = /^sealed:1:([0-9a-f]{16}):([\w-]+)$/;

/** Milliseconds for which a data key stays in memory; the most of them. */
const KEY_KEPT_MS = 60_000;
const MAX_KEYS = 1_000;

type DataKeyRow = typeof dataKeys.$inferSelect;

interface OpenedKey {
  principalId: string;
  bytes: Buffer;
  until: number;
}

/**
 * Seals secrets before they are stored, and opens what is stored. Each principal has a data key; master keys wrap those.
 * Without master keys secrets are stored as they are. What was stored so is read for ever.
 */
export class SecretVault {
  /** By id. A data key never changes under its id. */
  readonly #opened = new Map<string, OpenedKey>();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly masterKeys: MasterKeys | undefined,
  ) {}

  /** Whether secrets are sealed before they are stored. */
  get seals(): boolean {
    return this.masterKeys !== undefined;
  }

  /** The name of the master key that wraps data keys; undefined: there is none. */
  async masterKey(): Promise<string | undefined> {
    return this.masterKeys?.current();
  }

  /**
   * @param db the transaction that stores the secret, where it has one.
   * @returns what is to be stored: the secret itself where there are no master keys.
   * @throws TypedError SECRET_UNREADABLE 500 where the principal's data key cannot be opened.
   */
  async seal(secret: string, place: SecretPlace, db: Queryable = this.db): Promise<string> {
    if (this.masterKeys === undefined) return secret;
    const { principalId } = place;
    const row = (await this.#find(principalId, db)) ?? (await this.#make(principalId, db));
    const key = await this.#unwrap(row, place);
    const sealed = sealBytes(Buffer.from(secret), key, contextOf(row.id, place));
    return `${SEALED}${row.id}:${sealed.toString('base64url')}`;
  }

  /**
   * @param stored a sealed secret, or one that was stored as it is.
   * @param db the transaction that is under way, if one is.
   * @throws TypedError SECRET_UNREADABLE 500 where it was changed or moved, or its keys are not there.
   */
  async open(stored: string, place: SecretPlace, db: Queryable = this.db): Promise<string> {
    if (!stored.startsWith(SEALED)) return stored;
    const [, id = '', sealed = ''] = sealedForm.exec(stored) ?? [];
    const key = this.#keptKey(id, place) ?? (await this.#loadKey(id, place, db));
    try {
      return openBytes(Buffer.from(sealed, 'base64url'), key, contextOf(id, place)).toString();
    } catch (cause) {
      throw secretUnreadable(place, 'it was changed, or moved from another place', cause);
    }
  }

  /** Seals a JSON object, for a column of that type. */
  async sealObject(secret: object, place: SecretPlace, db?: Queryable): Promise<object> {
    return this.seals ? { sealed: await this.seal(JSON.stringify(secret), place, db) } : secret;
  }

  /** The object that `sealObject` was given. @throws as `open`. */
  async openObject(
    stored: object,
    place: SecretPlace,
    db?: Queryable,
  ): Promise<Record<string, unknown>> {
    if (!isPlainObject(stored)) throw new Error('A stored secret is no object');
    const { sealed } = stored;
    if (typeof sealed !== 'string') return stored;
    const opened: unknown = JSON.parse(await this.open(sealed, place, db));
    if (!isPlainObject(opened)) throw new Error('A sealed secret is no object');
    return opened;
  }

  /** Forgets a principal's data key, which has been deleted. */
  forget(principalId: string): void {
    for (const [id, key] of this.#opened)
      if (key.principalId === principalId) this.#opened.delete(id);
  }

  /** A column with a secret in plain text, as `table.column`; undefined: none has one. */
  async findPlain(): Promise<string | undefined> {
    for (const { column } of secretColumns) {
      const { table } = column;
      const { rows } = await this.db.execute(
        sql`select 1 from ${table} where ${isPlain(column)} limit 1`,
      );
      if (rows.length > 0) return `${getTableName(table)}.${column.name}`;
    }
    return undefined;
  }

  /** @throws MasterKeysRefusedError where there are data keys that this process cannot unwrap. */
  async checkMasterKeys(): Promise<void> {
    const one = await this.db
      .selectDistinctOn([dataKeys.wrappedBy])
      .from(dataKeys)
      .orderBy(dataKeys.wrappedBy);
    for (const { id, principalId, wrapped, wrappedBy } of one) {
      if (this.masterKeys === undefined) throw masterKeysRefused(wrappedBy, 'unset');
      try {
        await this.masterKeys.unwrap(
          { by: wrappedBy, text: wrapped },
          wrapContext(id, principalId),
        );
      } catch (error) {
        if (error instanceof MasterKeyMissingError) throw masterKeysRefused(wrappedBy, 'missing');
        throw masterKeysRefused(wrappedBy, 'damaged');
      }
    }
  }

  /**
   * Wraps the principal's data key with the first of the master keys.
   *
   * @returns whether it was wrapped by another one, and is still the principal's.
   * @throws TypedError SECRET_UNREADABLE 500.
   */
  async rewrap(row: DataKeyRow): Promise<boolean> {
    const { masterKeys } = this;
    if (masterKeys === undefined || row.wrappedBy === (await masterKeys.current())) return false;
    const { id, principalId } = row;
    const place = { column: dataKeys.wrapped, row: principalId, principalId };
    const { by, text } = await masterKeys.wrap(
      await this.#unwrap(row, place),
      wrapContext(id, principalId),
    );
    const changed = await this.db
      .update(dataKeys)
      .set({ wrapped: text, wrappedBy: by, wrappedAt: new Date(this.clock.now()) })
      // Another process may have wrapped it, or the principal was forgotten.
      .where(and(eq(dataKeys.principalId, principalId), eq(dataKeys.wrapped, row.wrapped)))
      .returning({ id: dataKeys.id });
    return changed.length > 0;
  }

  async #find(principalId: string, db: Queryable): Promise<DataKeyRow | undefined> {
    const [row] = await db.select().from(dataKeys).where(eq(dataKeys.principalId, principalId));
    return row;
  }

  /** Makes the principal's data key, unless another process makes it in the same moment. */
  async #make(principalId: string, db: Queryable): Promise<DataKeyRow> {
    if (this.masterKeys === undefined) throw new Error('There are no master keys');
    const id = randomBytes(8).toString('hex');
    const wrapped = await this.masterKeys.wrap(randomBytes(32), wrapContext(id, principalId));
    const now = new Date(this.clock.now());
    const row = { principalId, id, wrapped: wrapped.text, wrappedBy: wrapped.by };
    await db
      .insert(dataKeys)
      .values({ ...row, createdAt: now, wrappedAt: now })
      .onConflictDoNothing();
    const stored = await this.#find(principalId, db);
    if (stored === undefined) throw new Error('The data key was destroyed as it was made');
    return stored;
  }

  async #loadKey(id: string, place: SecretPlace, db: Queryable): Promise<Buffer> {
    const row = await this.#find(place.principalId, db);
    if (row?.id !== id) throw secretUnreadable(place, 'its data key was destroyed');
    return this.#unwrap(row, place);
  }

  /** The data key of a row. @throws TypedError SECRET_UNREADABLE 500. */
  async #unwrap(row: DataKeyRow, place: SecretPlace): Promise<Buffer> {
    const { id, principalId, wrappedBy: by, wrapped: text } = row;
    const kept = this.#keptKey(id, place);
    if (kept !== undefined) return kept;
    if (this.masterKeys === undefined) {
      throw secretUnreadable(place, `it is sealed, and TURNPIKE_MASTER_KEY_FILE is not set here`);
    }
    try {
      const bytes = await this.masterKeys.unwrap({ by, text }, wrapContext(id, principalId));
      this.#keep(id, { principalId, bytes, until: this.clock.now() + KEY_KEPT_MS });
      return bytes;
    } catch (cause) {
      const isMissing = cause instanceof MasterKeyMissingError;
      throw secretUnreadable(
        place,
        isMissing
          ? `TURNPIKE_MASTER_KEY_FILE lacks its master key ${by}`
          : 'its data key is damaged',
        cause,
      );
    }
  }

  #keptKey(id: string, { principalId }: SecretPlace): Buffer | undefined {
    const kept = this.#opened.get(id);
    if (kept === undefined || kept.until <= this.clock.now()) return undefined;
    return kept.principalId === principalId ? kept.bytes : undefined;
  }

  #keep(id: string, key: OpenedKey): void {
    // The longest there is the first to expire.
    this.#opened.delete(id);
    const [oldest] = this.#opened.keys();
    if (this.#opened.size >= MAX_KEYS && oldest !== undefined) this.#opened.delete(oldest);
    this.#opened.set(id, key);
  }
}

/** The vault of a process. @throws FileInvalidError for a wrong file of master keys. */
export async function openVault(
  { masterKeyFile: file }: Pick<Config, 'masterKeyFile'>,
  db: Database,
  clock: Clock,
  logger: Logger,
): Promise<SecretVault> {
  const masterKeys = file === undefined ? undefined : await openMasterKeyFile(file, logger);
  return new SecretVault(db, clock, masterKeys);
}

/** The context that a sealed value is bound to. */
function contextOf(keyId: string, { column, row, principalId }: SecretPlace): string {
  return JSON.stringify([keyId, getTableName(column.table), row, column.name, principalId]);
}

/** The context that a wrapped data key is bound to. */
function wrapContext(id: string, principalId: string): string {
  return JSON.stringify([getTableName(dataKeys), id, principalId]);
}
