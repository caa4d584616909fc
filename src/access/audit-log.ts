import { Inject, Injectable } from '@nestjs/common';
import { asc, desc, eq, gt } from 'drizzle-orm';
import { CLOCK, type Clock } from '../platform/clock.js';
import { cutPage } from '../http/paging/load-page.js';
import { compact } from '../platform/compact.js';
import { newTimeId } from '../platform/ids.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { auditLog } from '../storage/governance-schema.js';
import { notedCredential, type Actor, type NotedCredential } from './principal.js';
import type { AuditPageDto, AuditQueryDto } from './keys/key.dto.js';

/** Audited actions. Accepted turns are not among them: a turn's row has its principal and time. */
export type AuditAction =
  | 'key.created'
  | 'key.changed'
  | 'key.revoked'
  | 'master-key.rotated'
  | 'token.minted'
  | 'token.ended'
  | 'session.created'
  | 'session.deleted'
  | 'sessions.exported'
  | 'sessions.imported'
  | 'principal.forgotten'
  | 'principal.revoked'
  | 'grant.created'
  | 'grant.renewed'
  | 'grant.ended'
  | 'turn.interrupted'
  | 'turn.texts-read'
  | 'approval.answered'
  | 'memory.changed'
  | 'settings.changed'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.rotated'
  | 'webhook.deleted'
  | 'schedule.created'
  | 'schedule.changed'
  | 'schedule.paused'
  | 'schedule.resumed'
  | 'schedule.triggered'
  | 'schedule.deleted'
  | 'auth.configured'
  | 'login.succeeded'
  | 'login.refused'
  | 'login.ended'
  | 'mcp-login.stored'
  | 'mcp-login.ended'
  | 'mcp-client.forgotten'
  | 'tool.tried'
  | 'authentication.refused';

export interface AuditEntry {
  /** The principal that acts, `anonymous` where unknown. The details get its credential. */
  by: Actor;
  action: AuditAction;
  /** Id of the action's object. */
  subject: string;
  /** Circumstances of the action, without messages' content and without secrets. */
  details?: Record<string, unknown>;
}

/** The details that name the credential of an actor; none for a request without a credential. Pure. */
export function actingCredential({ credential }: Actor): { credential?: NotedCredential } {
  if (credential === undefined || credential.kind === 'none') return {};
  return { credential: notedCredential(credential) };
}

/** The audit log: who did what. */
@Injectable()
export class AuditLog {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param db the transaction of the action, where it has one. */
  async write(entry: AuditEntry, db: Queryable = this.db): Promise<void> {
    const now = this.clock.now();
    const { by, action, subject } = entry;
    const details = { ...entry.details, ...actingCredential(by) };
    const row = { principalId: by.id, action, subject, details };
    await db.insert(auditLog).values({ ...row, id: newTimeId('audit', now), at: new Date(now) });
  }

  /**
   * Changes a row and notes it, in one transaction.
   *
   * @param entryOf what is noted of the row as it is then.
   */
  noted<Row>(
    change: (tx: Queryable) => Promise<Row>,
    entryOf: (row: Row) => AuditEntry,
  ): Promise<Row> {
    return this.db.transaction(async (tx) => {
      const row = await change(tx);
      await this.write(entryOf(row), tx);
      return row;
    });
  }

  /**
   * Notes the issuers of a start, if they are others than those of the start before. Processes that start at the same
   * moment may each note them.
   *
   * @param issuers names; none where the last entry had none either is no change.
   */
  async noteIssuers(issuers: readonly string[], digest: string): Promise<void> {
    const before = await this.#notedIssuers();
    if (before?.['digest'] === digest || (before === undefined && issuers.length === 0)) return;
    await this.write({
      by: { id: 'server' },
      action: 'auth.configured',
      subject: 'issuers',
      details: { issuers, digest },
    });
  }

  /** Names of the issuers that the last start of an API process noted. */
  async lastIssuers(): Promise<string[]> {
    const issuers = (await this.#notedIssuers())?.['issuers'];
    return Array.isArray(issuers) ? issuers.filter((name) => typeof name === 'string') : [];
  }

  /** The digest of the issuers and roles that the last start of an API process noted; undefined: none did. */
  async lastDigest(db: Queryable): Promise<string | undefined> {
    const digest = (await this.#notedIssuers(db))?.['digest'];
    return typeof digest === 'string' ? digest : undefined;
  }

  async #notedIssuers(db: Queryable = this.db): Promise<Record<string, unknown> | undefined> {
    const [last] = await db
      .select({ details: auditLog.details })
      .from(auditLog)
      .where(eq(auditLog.action, 'auth.configured'))
      .orderBy(desc(auditLog.id))
      .limit(1);
    return last?.details;
  }

  /** A page of entries, oldest first. @param after id of an entry. */
  async page({ after, limit }: AuditQueryDto): Promise<AuditPageDto> {
    const found = await this.db
      .select()
      .from(auditLog)
      .where(after === undefined ? undefined : gt(auditLog.id, after))
      .orderBy(asc(auditLog.id))
      .limit(limit + 1);
    const { rows, nextCursor: nextAfter } = cutPage(found, limit, ({ id }) => id);
    const entries = rows.map(({ id, at, principalId: principal, action, subject, details }) => ({
      id,
      at: at.toISOString(),
      principal,
      action,
      subject,
      details,
    }));
    return { entries, ...compact({ nextAfter }) };
  }
}
