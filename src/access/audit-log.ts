import { Inject, Injectable } from '@nestjs/common';
import { asc, gt, inArray, lt } from 'drizzle-orm';
import { CLOCK, type Clock } from '../platform/clock.js';
import { newTimeId } from '../platform/ids.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { auditLog } from '../storage/governance-schema.js';

/** What is written down. A turn that was accepted is not: its row says whose it is and since when. */
export type AuditAction =
  | 'key.created'
  | 'key.revoked'
  | 'session.created'
  | 'session.deleted'
  | 'turn.interrupted'
  | 'approval.answered'
  | 'settings.changed'
  | 'authentication.refused';

export interface AuditEntry {
  /** Who did it; `anonymous` where nobody knows. */
  principalId: string;
  action: AuditAction;
  /** The id of what it was done to. */
  subject: string;
  /** Facts. Never what people or models said, never secrets. */
  details?: Record<string, unknown>;
}

export type AuditRow = typeof auditLog.$inferSelect;

const DAY_MS = 86_400_000;

/** Entries deleted at a time. */
const MOST_AT_ONCE = 5_000;

/** Who did what, for those who have to know later. */
@Injectable()
export class AuditLog {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param db the transaction of what was done, where it has one. */
  async write(entry: AuditEntry, db: Queryable = this.db): Promise<void> {
    const now = this.clock.now();
    const { details = {} } = entry;
    await db
      .insert(auditLog)
      .values({ ...entry, details, id: newTimeId('audit', now), at: new Date(now) });
  }

  /** Entries in the order of their time. @param after id of an entry. */
  list({ after, limit }: { after: string | undefined; limit: number }): Promise<AuditRow[]> {
    return this.db
      .select()
      .from(auditLog)
      .where(after === undefined ? undefined : gt(auditLog.id, after))
      .orderBy(asc(auditLog.id))
      .limit(limit);
  }

  /** @param days 0: for ever. @returns how many entries were deleted. */
  async forget(days: number): Promise<number> {
    if (days === 0) return 0;
    const before = new Date(this.clock.now() - days * DAY_MS);
    const old = this.db
      .select({ id: auditLog.id })
      .from(auditLog)
      .where(lt(auditLog.at, before))
      .limit(MOST_AT_ONCE);
    const deleted = await this.db
      .delete(auditLog)
      .where(inArray(auditLog.id, old))
      .returning({ id: auditLog.id });
    return deleted.length;
  }
}
