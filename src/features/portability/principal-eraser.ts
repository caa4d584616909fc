import { realpath, rm } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { and, eq, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { AccessEnder, type Actor, AuditLog, FORGOTTEN, SecretVault } from '../../access/face.js';
import { isTypedError } from '../../errors/typed-error.js';
import { closing, FolderHandle, unlessGone } from '../../platform/face.js';
import { McpLogins } from '../../tools/face.js';
import { ProjectRoots } from '../../session/face.js';
import { TurnCanceller } from '../../turn/face.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { userPreferences, sessions, turns } from '../../storage/schema.js';
import {
  blobs,
  extractions,
  sessionBlobs,
  uploads,
  memoryFiles,
} from '../../storage/file-schema.js';
import { apiKeys, auditLog, usageDays, usageKept } from '../../storage/governance-schema.js';
import { schedules, webhookDeliveries, webhookEndpoints } from '../../storage/automation-schema.js';
import { tables } from '../../storage/tables.js';
import type { PrincipalReportDto } from './portability.dto.js';
import { messages } from '../../storage/transcript-schema.js';
import { REQUEST_COUNTER, type RequestCounter } from '../../governance/rates/request-rate.js';
import { BlobStore } from '../../attachments/face.js';
import { EVENT_LOG, type EventLog } from '../../events/face.js';

/** Rows of one statement at most. */
const MAX_ROWS = 5_000;

export interface ForgetOptions {
  /** Whether the principal's project folder is deleted too. */
  projects: boolean;
  /** The principal who forgets, for the audit log. */
  by: Actor;
}

/** A principal's data beside rows: contents of files, live logs, counts of requests. */
@Injectable()
export class PrincipalCopies {
  constructor(
    private readonly contents: BlobStore,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(REQUEST_COUNTER) private readonly counter: RequestCounter,
  ) {}

  /**
   * @param hashes of files: those that others use too stay.
   * @param turnIds of turns that have ended.
   */
  async remove(
    principalId: string,
    { hashes, turnIds }: { hashes: readonly string[]; turnIds: readonly string[] },
  ): Promise<void> {
    await this.contents.removeUnused(hashes);
    await this.log.remove(turnIds);
    await this.counter.forget(principalId);
  }
}

/** Deletes all that is stored of a principal: rows of each table as the register of tables says, and what is beside rows. */
@Injectable()
export class PrincipalEraser {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly turns: TurnCanceller,
    private readonly copies: PrincipalCopies,
    private readonly access: AccessEnder,
    private readonly roots: ProjectRoots,
    private readonly audit: AuditLog,
    private readonly vault: SecretVault,
    private readonly mcpLogins: McpLogins,
  ) {}

  async report(principalId: string): Promise<PrincipalReportDto> {
    const counts = await countRows(this.db, principalId);
    return { ...counts, projectFolder: this.roots.ownOf(principalId) };
  }

  /**
   * Ends the principal's turns, and deletes what there is. A call that fails half-way is made again: it goes on
   * with what is left.
   *
   * @returns what there was.
   * @throws TypedError TURN_IN_PROGRESS 409 when a turn does not end.
   */
  async forget(principalId: string, { projects, by }: ForgetOptions): Promise<PrincipalReportDto> {
    const { db } = this;
    const report = await this.report(principalId);
    // First of all, so that nothing new comes: every process knows of it when its cache has expired.
    await this.access.forget(principalId);
    await this.mcpLogins.endAll(principalId, { id: principalId });
    await deleteOwned(db, 'first', principalId);
    const turnIds = await idsOf(db, turns, eq(turns.principalId, principalId));
    const hashes = await loadFileHashes(db, principalId);
    // Those of subagents go with their parents.
    const own = and(eq(sessions.principalId, principalId), isNull(sessions.parentTurnId));
    for (const sessionId of await idsOf(db, sessions, own)) await this.#close(sessionId, by);
    await this.#deleteRest(principalId, turnIds);
    await this.copies.remove(principalId, { hashes, turnIds });
    if (projects) await removeFolder(report.projectFolder);
    const { projectFolder: _, ...details } = report;
    const actor = by.id === principalId ? { id: FORGOTTEN } : by;
    const entry = {
      by: actor,
      action: 'principal.forgotten',
      subject: FORGOTTEN,
    } as const;
    await this.audit.write({ ...entry, details });
    return report;
  }

  async #close(sessionId: string, by: Actor): Promise<void> {
    try {
      await this.turns.closeSession(sessionId, by);
    } catch (error) {
      // Somebody else deleted it.
      if (!isTypedError(error, 'SESSION_NOT_FOUND')) throw error;
    }
  }

  /** Deletes what is left when the sessions are gone. */
  async #deleteRest(principalId: string, turnIds: readonly string[]): Promise<void> {
    const { db } = this;
    const ofPrincipal = eq(webhookEndpoints.principalId, principalId);
    const endpointIds = await idsOf(db, webhookEndpoints, ofPrincipal);
    await deleteOwned(db, 'last', principalId);
    this.vault.forget(principalId);
    await deleteOf(db, webhookDeliveries, webhookDeliveries.endpointId, endpointIds);
    await db.transaction((tx) => mergeUsage(tx, principalId));
    while ((await stripEntries(db, principalId)) === MAX_ROWS);
    // Deliveries stay of webhooks that were deleted while the turns went on.
    for (const { table, owner, erased } of tables) {
      if (erased === 'turn' && owner !== null) await deleteOf(db, table, owner.column, turnIds);
    }
  }
}

/** Deletes the rows that name a principal, of the tables whose rows are erased at this point. */
async function deleteOwned(
  db: Database,
  when: 'first' | 'last',
  principalId: string,
): Promise<void> {
  for (const { table, owner, erased } of tables) {
    if (erased === when && owner !== null) {
      await db.delete(table).where(eq(owner.column, principalId));
    }
  }
}

async function deleteOf(
  db: Database,
  table: PgTable,
  column: PgColumn,
  ids: readonly string[],
): Promise<void> {
  for (let at = 0; at < ids.length; at += MAX_ROWS) {
    await db.delete(table).where(inArray(column, ids.slice(at, at + MAX_ROWS)));
  }
}

async function idsOf(
  db: Database,
  table: typeof sessions | typeof turns | typeof webhookEndpoints,
  which: SQL | undefined,
): Promise<string[]> {
  const rows = await db
    .select({ id: sql<string>`${table.id}` })
    .from(table)
    .where(which);
  return rows.map(({ id }) => id);
}

async function countRows(
  db: Database,
  principalId: string,
): Promise<Omit<PrincipalReportDto, 'projectFolder'>> {
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
    usageDays: await countUsageDays(db, principalId),
    auditEntries: await db.$count(auditLog, namesIt(principalId)),
  };
}

/** Days on the page Usage: days with limits, turns, and turns that are deleted. */
async function countUsageDays(db: Database, principalId: string): Promise<number> {
  const { rows } = await db.execute(sql`
    select count(*) as days from (
      select day from ${usageDays} where ${usageDays.principalId} = ${principalId}
      union select day from ${usageKept} where ${usageKept.principalId} = ${principalId}
      union select (${turns.createdAt} at time zone 'UTC')::date from ${turns}
        where ${turns.principalId} = ${principalId} and ${turns.usage} is not null) as used`);
  return Number((rows as { days: string }[])[0]?.days);
}

/** Strips audit entries of names and circumstances. @returns how many, of those of one statement. */
async function stripEntries(db: Database, principalId: string): Promise<number> {
  const some = db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(namesIt(principalId))
    .limit(MAX_ROWS);
  const ids = sql`'^([0-9a-f]{16}|[a-z]+_[0-9a-f-]{36})$'`;
  const changed = await db
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

/** Makes usage that of nobody: what the deployment spent on a day is not changed. */
async function mergeUsage(tx: Queryable, principalId: string): Promise<void> {
  await tx.execute(sql`
    insert into ${usageDays} (principal_id, day, tokens, micro_usd)
    select ${FORGOTTEN}::text, day, tokens, micro_usd from ${usageDays}
    where ${usageDays.principalId} = ${principalId}
    on conflict (principal_id, day) do update set
      tokens = ${usageDays.tokens} + excluded.tokens,
      micro_usd = ${usageDays.microUsd} + excluded.micro_usd`);
  await tx.delete(usageDays).where(eq(usageDays.principalId, principalId));
  // The key tells whose it was.
  await tx.execute(sql`
    with gone as (delete from ${usageKept} where ${usageKept.principalId} = ${principalId} returning *)
    insert into ${usageKept} (day, principal_id, key_id, agent, model, turns, failed, tokens, micro_usd)
    select day, ${FORGOTTEN}::text, '', agent, model, sum(turns), sum(failed), sum(tokens), sum(micro_usd)
    from gone group by day, agent, model
    on conflict (day, principal_id, key_id, agent, model) do update set
      turns = ${usageKept.turns} + excluded.turns, failed = ${usageKept.failed} + excluded.failed,
      tokens = ${usageKept.tokens} + excluded.tokens,
      micro_usd = ${usageKept.microUsd} + excluded.micro_usd`);
}

/** Hashes of the files that the principal's sessions and uploads use, and of what images became. */
async function loadFileHashes(db: Database, principalId: string): Promise<string[]> {
  const own = selectHashes(principalId);
  // Only images have outcomes with a hash: a text may have characters that no query parses.
  const isImage = eq(extractions.method, 'image');
  const outcome = sql`${extractions.outcome} ->> 'sha256'`;
  const { rows } = await db.execute(sql`
    with own as (${own})
    select sha256 from own
    union select ${outcome} from ${extractions} where ${isImage} and sha256 in (select sha256 from own)
    union select sha256 from ${extractions} where ${isImage} and ${outcome} in (select sha256 from own)`);
  return (rows as { sha256: string | null }[]).flatMap(({ sha256 }) => sha256 ?? []);
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

/** Deletes a folder, if there is one. A command that runs on for a moment leads the deletion to no other. */
async function removeFolder(folder: string): Promise<void> {
  const real = await unlessGone(realpath(folder));
  const held = real === undefined ? undefined : await unlessGone(FolderHandle.open(real));
  if (held !== undefined) await closing(held, () => held.removeAll());
  await rm(folder, { recursive: true, force: true });
}
