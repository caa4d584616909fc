import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { eq, lt, sql } from 'drizzle-orm';
import { CLOCK, type Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { TypedError } from '../errors/typed-error.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { blobs, sessionBlobs, uploads } from '../storage/file-schema.js';
import { BATCH_ROWS, BlobRows } from './blobs/blob-rows.js';

/**
 * The port for the bytes of blobs, by content ids that are used once. Hashes and users are rows, see
 * `BlobStore`.
 */
export interface BlobContents {
  /** Stores a content under an id never used before, in bounded memory. */
  write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Whether the content is stored and `size` bytes long, without loading it. */
  has(contentId: string, size: number): Promise<boolean>;
  /** The content; undefined when it is not stored, or is not `size` bytes long. */
  read(contentId: string, size: number): Promise<Buffer | undefined>;
  /** The stored bytes in order, in pieces of at most 256 KiB; none where nothing is stored. @param size of the content. */
  pieces(contentId: string, size: number): AsyncIterable<Uint8Array>;
  /** Removes a content, or what a write that died has left. Idempotent. */
  remove(contentId: string): Promise<void>;
}

/** Injects the `BlobContents` of the back end. */
export const BLOB_CONTENTS = Symbol('BlobContents');

/** Bytes from the start of a file by which its type is found. */
export const SNIFF_BYTES = 4_100;

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** Bytes in pieces. */
type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Contents by their SHA-256, each kept once, as long as a session or an upload uses it. */
@Injectable()
export class BlobStore {
  readonly #rows: BlobRows;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(BLOB_CONTENTS) private readonly contents: BlobContents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#rows = new BlobRows(db);
  }

  /**
   * Hashes, counts and stores a content in one pass. The blob is unused at first, and kept for an hour.
   *
   * @throws what the content throws; nothing is stored then.
   */
  async put(content: Content): Promise<StoredBlob> {
    const contentId = newId('blob');
    await this.#rows.beginWrite(contentId, this.#ago(0));
    try {
      const measured = new MeasuredContent(content);
      await this.contents.write(contentId, measured);
      const blob = measured.finish();
      if (!(await this.#register(blob, contentId))) await this.#discard(contentId);
      return blob;
    } catch (error) {
      await this.#discard(contentId);
      throw error;
    }
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.#find(sha256)) !== undefined;
  }

  /** The content of a blob; undefined when it is not stored. */
  async get(sha256: string): Promise<Buffer | undefined> {
    const blob = await this.#find(sha256);
    return blob && this.contents.read(blob.contentId, blob.size);
  }

  /**
   * The bytes of a blob in pieces; undefined when it is not stored, or not whole. Pieces that end before the last byte
   * end with an error.
   */
  async pieces(sha256: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const blob = await this.#find(sha256);
    if (blob === undefined || !(await this.contents.has(blob.contentId, blob.size)))
      return undefined;
    return whole(this.contents.pieces(blob.contentId, blob.size), blob.size);
  }

  async #find(sha256: string): Promise<{ contentId: string; size: number } | undefined> {
    const [blob] = await this.db
      .select({ contentId: blobs.contentId, size: blobs.size })
      .from(blobs)
      .where(eq(blobs.sha256, sha256));
    return blob;
  }

  /**
   * Marks blobs as used by a session: they are kept as long as the session is.
   *
   * @throws TypedError 400 `ATTACHMENT_FAILURE`, details `{missing}`, when a blob is gone.
   */
  async keep(sessionId: string, hashes: readonly string[], db: Queryable = this.db): Promise<void> {
    const wanted = [...new Set(hashes)];
    if (wanted.length === 0) return;
    // The rows are locked against a deletion that is under way: a blob found here stays.
    const { rows } = await db.execute(sql`
      with found as (select sha256 from ${blobs} where sha256 in ${wanted} for key share),
      used as (
        insert into ${sessionBlobs} (session_id, sha256)
        select ${sessionId}::text, sha256 from found on conflict do nothing
      )
      select sha256 from found`);
    const found = new Set((rows as { sha256: string }[]).map((row) => row.sha256));
    const missing = wanted.filter((hash) => !found.has(hash));
    if (missing.length > 0) throw contentGone(missing);
  }

  /**
   * Removes blobs that are unused and untouched for an hour, uploads older than a day, and writes that
   * died. Any number of processes may collect at once.
   *
   * @returns how many blobs were removed.
   */
  async collect(): Promise<number> {
    await this.db.delete(uploads).where(lt(uploads.createdAt, this.#ago(DAY_MS)));
    await this.#rows.condemnWrites(this.#ago(HOUR_MS));
    let gone = 0;
    for (let more = BATCH_ROWS; more === BATCH_ROWS; gone += more) {
      more = await this.#rows.condemnUnused(this.#ago(HOUR_MS));
    }
    await this.#removeCondemned();
    return gone;
  }

  /**
   * Removes those of some blobs that nothing uses, however young they are.
   *
   * @returns how many were removed.
   */
  async removeUnused(hashes: readonly string[]): Promise<number> {
    let gone = 0;
    for (let at = 0; at < hashes.length; at += BATCH_ROWS) {
      const some = hashes.slice(at, at + BATCH_ROWS);
      gone += await this.#rows.condemnUnused(this.#ago(-HOUR_MS), some);
    }
    await this.#removeCondemned();
    return gone;
  }

  async #removeCondemned(): Promise<void> {
    for (let more = BATCH_ROWS; more === BATCH_ROWS;) {
      const condemned = await this.#rows.listCondemned();
      for (const contentId of condemned) await this.#remove(contentId);
      more = condemned.length;
    }
  }

  /**
   * @returns whether the hash has the written content; false: an earlier write of the same bytes
   * won.
   */
  async #register({ sha256, size }: StoredBlob, contentId: string): Promise<boolean> {
    for (;;) {
      const touchedAt = this.#ago(0);
      const kept = await this.#rows.claimHash({ sha256, size, contentId, touchedAt });
      if (kept === undefined) {
        // The write's row was collected meanwhile, perhaps before the store had the last byte.
        await this.contents.remove(contentId);
        throw new Error('The content took more than an hour to come');
      }
      if (kept.contentId === contentId) return true;
      if (await this.contents.has(kept.contentId, size)) return false;
      if (await this.#rows.replaceContent(sha256, kept.contentId, contentId)) return true;
    }
  }

  async #discard(contentId: string): Promise<void> {
    try {
      // A content may have become a blob's all the same, if only the database's answer was lost.
      if (await this.#rows.condemnWrite(contentId)) await this.#remove(contentId);
    } catch {
      // The row is still there: `collect` finds it.
    }
  }

  async #remove(contentId: string): Promise<void> {
    await this.contents.remove(contentId);
    await this.#rows.endWrite(contentId);
  }

  #ago(ms: number): Date {
    return new Date(this.clock.now() - ms);
  }
}

function contentGone(missing: string[]): TypedError {
  return new TypedError('ATTACHMENT_FAILURE', {
    message: 'The content of a file is no longer stored. Send the file again.',
    details: { missing },
  });
}

/** A stored content: its hash, size and first bytes. */
export interface StoredBlob {
  /** Lower-case hex. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** The first bytes, at most `SNIFF_BYTES`. */
  start: Uint8Array;
}

/** Half a content must not pass for one. */
async function* whole(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const piece of pieces) {
    passed += piece.length;
    yield piece;
  }
  if (passed !== size) throw new Error(`A stored content of ${size} bytes ended after ${passed}`);
}

/** Hashes and counts a content while it passes through. */
class MeasuredContent {
  readonly #hash = createHash('sha256');
  readonly #start: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly content: Content) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.content) {
      if (this.#size < SNIFF_BYTES) {
        this.#start.push(Buffer.from(chunk.subarray(0, SNIFF_BYTES - this.#size)));
      }
      this.#hash.update(chunk);
      this.#size += chunk.length;
      yield chunk;
    }
  }

  /** The measures; called once, after the last chunk. */
  finish(): StoredBlob {
    const start = Buffer.concat(this.#start);
    return { sha256: this.#hash.digest('hex'), size: this.#size, start };
  }
}

/** A file that came with a request: stored, and not yet checked. */
export interface ReceivedFile extends StoredBlob {
  /** The sender's name for it, cleaned: no path, no control character, at most 255 characters. */
  name: string;
}
