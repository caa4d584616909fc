import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Actor } from '../principal.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { dataKeys } from '../../storage/governance-schema.js';
import { noMasterKey } from '../access-errors.js';
import { AuditLog } from '../audit-log.js';
import type { MasterKeyRotationDto } from '../keys/key.dto.js';
import { isPlain, secretColumns, type SecretColumn } from './secret-columns.js';
import { SecretVault } from './secret-vault.js';

/** Rows of one statement at most. */
const MAX_ROWS = 200;

/**
 * Wraps all data keys with the first of the master keys, and seals what was stored in plain text. Each row is changed by
 * a statement of its own, if it is still as it was read: a rotation that breaks off leaves every row whole, and is made
 * again. Any number of processes read and write meanwhile.
 */
@Injectable()
export class MasterKeyRotation {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @param by the principal who rotates, for the audit log.
   * @throws TypedError NO_MASTER_KEY 409, SECRET_UNREADABLE 500 for a data key under a master key that is not there.
   */
  async rotate(by: Actor): Promise<MasterKeyRotationDto> {
    const masterKey = await this.vault.masterKey();
    if (masterKey === undefined) throw noMasterKey();
    const wrapped = await this.#wrapAll();
    let sealed = 0;
    for (const column of secretColumns) sealed += await this.#sealAll(column);
    const details = { wrapped, sealed };
    const entry = { by, action: 'master-key.rotated', subject: masterKey } as const;
    await this.audit.write({ ...entry, details });
    return { masterKey, ...details };
  }

  /** @returns how many data keys were wrapped by another master key. */
  async #wrapAll(): Promise<number> {
    let changed = 0;
    for (let last = ''; ;) {
      const rows = await this.db
        .select()
        .from(dataKeys)
        .where(gt(dataKeys.principalId, last))
        .orderBy(asc(dataKeys.principalId))
        .limit(MAX_ROWS);
      for (const row of rows) if (await this.vault.rewrap(row)) changed += 1;
      last = rows.at(-1)?.principalId ?? last;
      if (rows.length < MAX_ROWS) return changed;
    }
  }

  /** @returns how many values of the column were in plain text. */
  async #sealAll({ column, id, principalId }: SecretColumn): Promise<number> {
    const { table } = column;
    const type = sql.raw(column.getSQLType());
    let changed = 0;
    for (let last = ''; ;) {
      const rows = await this.db
        .select({
          row: sql<string>`${id}`,
          owner: sql<string>`${principalId}`,
          plain: sql<string>`${column}::text`,
        })
        .from(table)
        .where(and(gt(id, last), isPlain(column)))
        .orderBy(asc(id))
        .limit(MAX_ROWS);
      for (const { row, owner, plain } of rows) {
        const place = { column, row, principalId: owner };
        const sealed = await this.vault.seal(plain, place);
        const stored = column.dataType === 'json' ? JSON.stringify({ sealed }) : sealed;
        const { rows: done } = await this.db.execute(sql`update ${table}
          set ${sql.identifier(column.name)} = ${stored}::text::${type}
          where ${eq(id, row)} and ${column}::text = ${plain} returning 1`);
        changed += done.length;
      }
      last = rows.at(-1)?.row ?? last;
      if (rows.length < MAX_ROWS) return changed;
    }
  }
}
