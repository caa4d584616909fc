import type { Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** Timeout of a copy, in ms: a longer copy waits for a network that is gone. */
const COPY_MS = 60_000;
/** Bytes before the rows: signature, flags, and the length of an absent extension. */
const HEAD_BYTES = 19;

/** Runs a statement of one column. @returns the column's bytes, row by row. */
export type CopyOut = (statement: string) => Promise<Buffer[]>;

/**
 * Reads bytes by COPY: a query's result has them as text, twice as long, and as a string on the
 * way.
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
      return parseColumn(Buffer.concat(chunks));
    } catch (error) {
      // The rest of the copy may still arrive on this connection.
      client.release(true);
      throw error;
    }
  };
}

/** Parses rows of one column in PostgreSQL's binary copy format. Pure. */
export function parseColumn(copied: Buffer): Buffer[] {
  const values: Buffer[] = [];
  let at = HEAD_BYTES;
  // A row is its number of columns, then each column's length and bytes; -1 ends the copy.
  while (copied.readInt16BE(at) !== -1) {
    const length = copied.readInt32BE(at + 2);
    values.push(copied.subarray(at + 6, at + 6 + length));
    at += 6 + length;
  }
  return values;
}
