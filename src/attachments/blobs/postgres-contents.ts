import { and, asc, eq, gte, sql } from 'drizzle-orm';
import pLimit from 'p-limit';
import { isId } from '../../platform/ids.js';
import type { Database, CopyOut } from '../../storage/connection.js';
import { blobChunks } from '../../storage/file-schema.js';
import type { BlobContents } from '../blob-store.js';
import { rechunk } from '../../platform/rechunk.js';

/** Bytes of a row. */
const PIECE_BYTES = 128 * 1024;
/** Rows of one query: a row travels as text, twice its size. */
const PAGE_ROWS = 2;
/** Concurrent statements: a hundred files must not occupy all connections. */
const CONCURRENCY = 2;

/** Contents in the database, for processes that share nothing else. */
export class PostgresContents implements BlobContents {
  readonly #limit = pLimit(CONCURRENCY);

  /** @param copyOut fetches rows as bytes; without it they are fetched as text. */
  constructor(
    private readonly db: Database,
    private readonly copyOut?: CopyOut,
  ) {}

  async write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    let position = 0;
    for await (const bytes of rechunk(content, PIECE_BYTES)) {
      const row = { contentId, position, bytes };
      await this.#limit(() => this.db.insert(blobChunks).values(row));
      position += 1;
    }
  }

  async has(contentId: string, size: number): Promise<boolean> {
    // The database stores the length of a value: no bytes are fetched.
    const [stored] = await this.db
      .select({ size: sql`coalesce(sum(octet_length(${blobChunks.bytes})), 0)`.mapWith(Number) })
      .from(blobChunks)
      .where(eq(blobChunks.contentId, contentId));
    return stored?.size === size;
  }

  async read(contentId: string, size: number): Promise<Buffer | undefined> {
    const pieces = await (this.copyOut === undefined
      ? this.#readRows(contentId)
      : this.#copyRows(contentId, this.copyOut));
    const content = Buffer.concat(pieces);
    return content.length === size ? content : undefined;
  }

  async #readRows(contentId: string): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.pieces(contentId)) pieces.push(piece);
    return pieces;
  }

  async *pieces(contentId: string): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; position += PAGE_ROWS) {
      const page = await this.#limit(() => this.#page(contentId, position));
      for (const { bytes } of page) yield bytes;
      if (page.length < PAGE_ROWS) return;
    }
  }

  async #copyRows(contentId: string, copyOut: CopyOut): Promise<Uint8Array[]> {
    // COPY takes no parameters: only an id of our form may be written into it.
    if (!isId('blob', contentId)) return [];
    return this.#limit(() =>
      copyOut(`select bytes from blob_chunks where content_id = '${contentId}' order by position`),
    );
  }

  async remove(contentId: string): Promise<void> {
    await this.db.delete(blobChunks).where(eq(blobChunks.contentId, contentId));
  }

  #page(contentId: string, position: number): Promise<{ bytes: Uint8Array }[]> {
    return this.db
      .select({ bytes: blobChunks.bytes })
      .from(blobChunks)
      .where(and(eq(blobChunks.contentId, contentId), gte(blobChunks.position, position)))
      .orderBy(asc(blobChunks.position))
      .limit(PAGE_ROWS);
  }
}
