import { and, asc, eq, gte, sql } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { blobChunks } from '../../storage/schema.js';
import type { BlobContents } from './blob-contents.js';
import { inPieces } from './in-pieces.js';

/** Bytes of a row at most. */
const PIECE_BYTES = 256 * 1024;
/** Rows of one answer at most: a row travels as text, twice its size. */
const PAGE_ROWS = 4;

/** Contents in the database, for processes that share nothing else. */
export class PostgresContents implements BlobContents {
  constructor(private readonly db: Database) {}

  async write(contentId: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    let position = 0;
    for await (const bytes of inPieces(content, PIECE_BYTES)) {
      await this.db.insert(blobChunks).values({ contentId, position, bytes });
      position += 1;
    }
  }

  async has(contentId: string, size: number): Promise<boolean> {
    // The length of a piece is beside it: no piece is fetched.
    const [stored] = await this.db
      .select({ size: sql`coalesce(sum(octet_length(${blobChunks.bytes})), 0)`.mapWith(Number) })
      .from(blobChunks)
      .where(eq(blobChunks.contentId, contentId));
    return stored?.size === size;
  }

  async read(contentId: string, size: number): Promise<Buffer | undefined> {
    const content = Buffer.alloc(size);
    let filled = 0;
    for (let position = 0; ; position += PAGE_ROWS) {
      const page = await this.#page(contentId, position);
      for (const { bytes } of page) {
        if (filled + bytes.length > size) return undefined;
        content.set(bytes, filled);
        filled += bytes.length;
      }
      if (page.length < PAGE_ROWS) return filled === size ? content : undefined;
    }
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
