import { Inject, Injectable } from '@nestjs/common';
import { eq, inArray, or, sql } from 'drizzle-orm';
import { CLOCK, type Clock } from '../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { userPreferences } from '../storage/conversation-schema.js';
import { blobs, extractions, sessionBlobs, uploads } from '../storage/file-schema.js';
import { apiKeys, auditLog, usageDays } from '../storage/governance-schema.js';
import { memories, memoryFiles } from '../storage/memory-schema.js';
import { turnReaders } from '../storage/reader-schema.js';
import { schedules } from '../storage/schedule-schema.js';
import { sessions, turns } from '../storage/schema.js';
import { webhookDeliveries, webhookEndpoints } from '../storage/webhook-schema.js';
import { messages } from '../storage/transcript-schema.js';

/** Stands for every forgotten principal. No key can have the name. */
export const FORGOTTEN = '(forgotten)';

/** Rows of one statement at most. */
const MOST_AT_ONCE = 5_000;

/** Counts of what is stored of a principal. */
export interface PrincipalCounts {
  /** With those of subagents. */
  sessions: number;
  turns: number;
  /** Turns that have not ended. */
  activeTurns: number;
  messages: number;
  uploads: number;
  /** Files of its sessions and uploads, each content once. */
  files: number;
  /** Bytes of these. */
  fileBytes: number;
  keys: number;
  preferences: number;
  webhooks: number;
  /** Files of its memories. */
  memoryFiles: number;
  schedules: number;
  usageDays: number;
  auditEntries: number;
}

/** The rows of a principal, beside those that go with its sessions. */
@Injectable()
export class PrincipalRows {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async count(principalId: string): Promise<PrincipalCounts> {
    const { db } = this;
    const ofPrincipal = db
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.principalId, principalId));
    const own = eq(turns.principalId, principalId);
    const [files] = await db
      .select({
        files: sql`count(*)`.mapWith(Number),
        fileBytes: sql`coalesce(sum(${blobs.size}), 0)`.mapWith(Number),
      })
      .from(blobs)
      .where(inArray(blobs.sha256, sql`(${selectHashes(principalId)})`));
    return {
      sessions: await db.$count(sessions, eq(sessions.principalId, principalId)),
      turns: await db.$count(turns, own),
      activeTurns: await db.$count(turns, sql`${own} and ${turns.endedAt} is null`),
      messages: await db.$count(messages, inArray(messages.sessionId, ofPrincipal)),
      uploads: await db.$count(uploads, eq(uploads.principalId, principalId)),
      files: files?.files ?? 0,
      fileBytes: files?.fileBytes ?? 0,
      keys: await db.$count(apiKeys, eq(apiKeys.principalId, principalId)),
      preferences: await db.$count(userPreferences, eq(userPreferences.userId, principalId)),
      webhooks: await db.$count(webhookEndpoints, eq(webhookEndpoints.principalId, principalId)),
      memoryFiles: await db.$count(memoryFiles, eq(memoryFiles.principalId, principalId)),
      schedules: await db.$count(schedules, eq(schedules.principalId, principalId)),
      usageDays: await db.$count(usageDays, eq(usageDays.principalId, principalId)),
      auditEntries: await db.$count(auditLog, namesIt(principalId)),
    };
  }

  /**
   * Revokes the keys and strips them of all but their ids: the server must go on to know that it has had keys.
   *
   * @returns how many there were.
   */
  async stripKeys(principalId: string): Promise<number> {
    const now = new Date(this.clock.now());
    const stripped = await this.db
      .update(apiKeys)
      .set({
        principalId: FORGOTTEN,
        name: '',
        secretHash: sql`'forgotten ' || ${apiKeys.id}`,
        limits: {},
        projectRoots: null,
        lastUsedAt: null,
        revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${now.toISOString()}::timestamptz)`,
      })
      .where(eq(apiKeys.principalId, principalId))
      .returning({ id: apiKeys.id });
    return stripped.length;
  }

  /** Deletes the schedules with the records of their runs: no turn of theirs is stored from then on. */
  async deleteSchedules(principalId: string): Promise<void> {
    await this.db.delete(schedules).where(eq(schedules.principalId, principalId));
  }

  /** Ids of the principal's turns, those of subagents among them. */
  async turnIds(principalId: string): Promise<string[]> {
    const rows = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(eq(turns.principalId, principalId));
    return rows.map(({ id }) => id);
  }

  /** Ids of the principal's sessions that are no subagent's. */
  async sessionIds(principalId: string): Promise<string[]> {
    const rows = await this.db
      .select({ id: sessions.id })
      .from(sessions)
      .where(sql`${eq(sessions.principalId, principalId)} and ${sessions.parentTurnId} is null`);
    return rows.map(({ id }) => id);
  }

  /** Hashes of the files that the principal's sessions and uploads use, and of what images became. */
  async fileHashes(principalId: string): Promise<string[]> {
    const own = selectHashes(principalId);
    // Only images have outcomes with a hash: a text may have characters that no query parses.
    const isImage = eq(extractions.method, 'image');
    const outcome = sql`${extractions.outcome} ->> 'sha256'`;
    const { rows } = await this.db.execute(sql`
      with own as (${own})
      select sha256 from own
      union select ${outcome} from ${extractions} where ${isImage} and sha256 in (select sha256 from own)
      union select sha256 from ${extractions} where ${isImage} and ${outcome} in (select sha256 from own)`);
    return (rows as { sha256: string | null }[]).flatMap(({ sha256 }) => sha256 ?? []);
  }

  /**
   * Deletes what is left when the sessions are gone. Usage stays, as that of nobody: what the deployment spent on
   * a day is not changed. So do audit entries, without names and circumstances.
   */
  async deleteRest(principalId: string): Promise<void> {
    await this.#deleteWebhooks(principalId);
    await this.db.delete(uploads).where(eq(uploads.principalId, principalId));
    await this.db.delete(memories).where(eq(memories.principalId, principalId));
    await this.db.delete(userPreferences).where(eq(userPreferences.userId, principalId));
    await this.db.transaction((tx) => mergeUsage(tx, principalId));
    while ((await this.#forgetEntries(principalId)) === MOST_AT_ONCE);
  }

  /** Deletes what names turns without belonging to them. */
  async deleteOfTurns(turnIds: readonly string[]): Promise<void> {
    for (let at = 0; at < turnIds.length; at += MOST_AT_ONCE) {
      const some = turnIds.slice(at, at + MOST_AT_ONCE);
      await this.db.delete(turnReaders).where(inArray(turnReaders.turnId, some));
      // Deliveries stay of webhooks that were deleted while the turns went on.
      await this.db.delete(webhookDeliveries).where(inArray(webhookDeliveries.turnId, some));
    }
  }

  async #deleteWebhooks(principalId: string): Promise<void> {
    const deleted = await this.db
      .delete(webhookEndpoints)
      .where(eq(webhookEndpoints.principalId, principalId))
      .returning({ id: webhookEndpoints.id });
    for (const { id } of deleted) {
      await this.db.delete(webhookDeliveries).where(eq(webhookDeliveries.endpointId, id));
    }
  }

  async #forgetEntries(principalId: string): Promise<number> {
    const some = this.db
      .select({ id: auditLog.id })
      .from(auditLog)
      .where(namesIt(principalId))
      .limit(MOST_AT_ONCE);
    const ids = sql`'^([0-9a-f]{16}|[a-z]+_[0-9a-f-]{36})$'`;
    const changed = await this.db
      .update(auditLog)
      .set({
        principalId: sql`case when ${auditLog.principalId} = ${principalId} then ${FORGOTTEN} else ${auditLog.principalId} end`,
        // An address, and the name itself, are the principal's; an id is nobody's.
        subject: sql`case when ${auditLog.subject} ~ ${ids} then ${auditLog.subject} else ${FORGOTTEN} end`,
        details: {},
      })
      .where(inArray(auditLog.id, some))
      .returning({ id: auditLog.id });
    return changed.length;
  }
}

function namesIt(principalId: string) {
  return or(
    eq(auditLog.principalId, principalId),
    eq(auditLog.subject, principalId),
    sql`${auditLog.details} ->> 'principal' = ${principalId}`,
  );
}

function selectHashes(principalId: string) {
  return sql`
    select ${sessionBlobs.sha256} as sha256 from ${sessionBlobs}
    join ${sessions} on ${sessions.id} = ${sessionBlobs.sessionId}
    where ${sessions.principalId} = ${principalId}
    union select ${uploads.sha256} from ${uploads} where ${uploads.principalId} = ${principalId}`;
}

async function mergeUsage(tx: Queryable, principalId: string): Promise<void> {
  await tx.execute(sql`
    insert into ${usageDays} (principal_id, day, tokens, micro_usd)
    select ${FORGOTTEN}::text, day, tokens, micro_usd from ${usageDays}
    where ${usageDays.principalId} = ${principalId}
    on conflict (principal_id, day) do update set
      tokens = ${usageDays.tokens} + excluded.tokens,
      micro_usd = ${usageDays.microUsd} + excluded.micro_usd`);
  await tx.delete(usageDays).where(eq(usageDays.principalId, principalId));
}
