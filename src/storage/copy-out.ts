import type { Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** How long a copy may take, in ms: one that takes this long waits for a network that is gone. */
const COPY_MS = 60_000;
/** Signature, flags, and the length of an extension that there is not. */
const HEAD_BYTES = 19;

/** The only column of the rows of a statement, as bytes. */
export type CopyOut = (statement: string) => Promise<Buffer[]>;

/**
 * Reads bytes as they are: in an answer to a query they travel as text, twice as long, and are made
 * a string on the way.
 */
export function openCopyOut(pool: Pool): CopyOut {
  return async (statement) => {
    const client = await pool.connect();
    try {
      const stream = client.query(copyTo(`copy (${statement}) to stdout (format binary)`));
      const timer = setTimeout(() => stream.destroy(new Error('The copy took too long')), COPY_MS);
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      } finally {
        clearTimeout(timer);
      }
      client.release();
      return readColumn(Buffer.concat(chunks));
    } catch (error) {
      // Nobody knows how much of the answer is still to come on this connection.
      client.release(true);
      throw error;
    }
  };
}

/** Rows of one column in PostgreSQL's binary copy format. Pure. */
export function readColumn(copied: Buffer): Buffer[] {
  const values: Buffer[] = [];
  let at = HEAD_BYTES;
  // Each row: how many columns it has, then the length of each and its bytes; -1 ends all.
  while (copied.readInt16BE(at) !== -1) {
    const length = copied.readInt32BE(at + 2);
    values.push(copied.subarray(at + 6, at + 6 + length));
    at += 6 + length;
  }
  return values;
}
