import { and, asc, eq, inArray, lt, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../../storage/connection.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import { blobs, blobWrites, sessionBlobs, uploads } from '../../storage/file-schema.js';

/** Rows of one statement at most. */
export const BATCH_ROWS = 500;

/** Start time that marks a content for removal: it can no longer become a blob. */
const condemned = new Date(0);

/**
 * The rows of the blob store. A content's id is in `blob_writes` from before its first byte until a row
 * of `blobs` has it, and again from the removal of that row until its last byte is gone. So a crash
 * leaves no content without a row.
 */
export class BlobRows {
  constructor(private readonly db: Database) {}

  async beginWrite(contentId: string, startedAt: Date): Promise<void> {
    await this.db.insert(blobWrites).values({ contentId, startedAt });
  }

  /** Makes a whole content that of its hash, unless the hash has one. @returns the hash's content. */
  async claimHash(blob: typeof blobs.$inferInsert): Promise<{ contentId: string } | undefined> {
    return this.#contentId(sql`
      with mine as (${ownWrite(blob.contentId)}),
      kept as (
        insert into ${blobs} (sha256, size, content_id, touched_at)
        select ${blob.sha256}::text, ${blob.size}::integer, content_id, ${at(blobs.touchedAt, blob.touchedAt)}
        from mine
        on conflict (sha256) do update
        set touched_at = greatest(${blobs.touchedAt}, excluded.touched_at)
        returning content_id
      ),
      done as (delete from ${blobWrites} using kept where ${blobWrites.contentId} = kept.content_id)
      select content_id as "contentId" from kept`);
  }

  /** Replaces a content that has vanished. @returns whether the hash still had the vanished content. */
  async replaceContent(sha256: string, vanishedId: string, contentId: string): Promise<boolean> {
    const taken = await this.#contentId(sql`
      with mine as (${ownWrite(contentId)}),
      taken as (
        update ${blobs} set content_id = mine.content_id from mine
        where ${blobs.sha256} = ${sha256} and ${blobs.contentId} = ${vanishedId}
        returning mine.content_id
      ),
      done as (delete from ${blobWrites} using taken where ${blobWrites.contentId} = taken.content_id),
      leftover as (
        insert into ${blobWrites} (content_id, started_at)
        select ${vanishedId}::text, ${at(blobWrites.startedAt, condemned)} from taken
      )
      select content_id as "contentId" from taken`);
    return taken !== undefined;
  }

  async endWrite(contentId: string): Promise<void> {
    await this.db.delete(blobWrites).where(eq(blobWrites.contentId, contentId));
  }

  /**
   * Removes the rows of blobs that are unused and untouched since, and marks their contents.
   *
   * @param among hashes of the blobs in question; absent: all.
   * @returns how many, up to 500.
   */
  async condemnUnused(touchedBefore: Date, among?: readonly string[]): Promise<number> {
    const isAsked = among === undefined ? sql`` : sql`and ${inArray(blobs.sha256, [...among])}`;
    const statement = sql`
      with unused as (
        select sha256 from ${blobs}
        where ${lt(blobs.touchedAt, touchedBefore)} ${isAsked}
        and not exists (select from ${sessionBlobs} where ${eq(sessionBlobs.sha256, blobs.sha256)})
        and not exists (select from ${uploads} where ${eq(uploads.sha256, blobs.sha256)})
        limit ${BATCH_ROWS}::integer for update skip locked
      ),
      gone as (
        delete from ${blobs} using unused where ${blobs.sha256} = unused.sha256 returning content_id
      )
      insert into ${blobWrites} (content_id, started_at)
      select content_id, ${at(blobWrites.startedAt, condemned)} from gone
      returning content_id`;
    try {
      return (await this.db.execute(statement)).rows.length;
    } catch (error) {
      // A session or an upload began to use a blob meanwhile. The next call finds what is left.
      if (violatedConstraint(error)?.endsWith('_sha256_fkey') === true) return 0;
      throw error;
    }
  }

  /** Marks a write for removal. @returns whether it was still a write. */
  async condemnWrite(contentId: string): Promise<boolean> {
    const found = await this.db
      .update(blobWrites)
      .set({ startedAt: condemned })
      .where(eq(blobWrites.contentId, contentId))
      .returning({ contentId: blobWrites.contentId });
    return found.length > 0;
  }

  async condemnWrites(startedBefore: Date): Promise<void> {
    await this.db
      .update(blobWrites)
      .set({ startedAt: condemned })
      .where(lt(blobWrites.startedAt, startedBefore));
  }

  /** Contents marked for removal, up to 500. */
  async listCondemned(): Promise<string[]> {
    const rows = await this.db
      .select({ contentId: blobWrites.contentId })
      .from(blobWrites)
      .where(eq(blobWrites.startedAt, condemned))
      .orderBy(asc(blobWrites.contentId))
      .limit(BATCH_ROWS);
    return rows.map((row) => row.contentId);
  }

  async #contentId(statement: SQL): Promise<{ contentId: string } | undefined> {
    const [row] = (await this.db.execute(statement)).rows;
    return row as { contentId: string } | undefined;
  }
}

/** Selects a write and locks its row: a write is either condemned or finished, never both. */
function ownWrite(contentId: string): SQL {
  const isOwn = and(
    eq(blobWrites.contentId, contentId),
    sql`${blobWrites.startedAt} > ${at(blobWrites.startedAt, condemned)}`,
  );
  return sql`select content_id from ${blobWrites} where ${isOwn} for update`;
}

function at(column: AnyPgColumn, time: Date): SQL {
  return sql`${sql.param(time, column)}::timestamptz`;
}
