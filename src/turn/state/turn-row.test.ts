import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { storeSession } from '../../../test/support/turn/store-turn.js';
import { batchPool } from '../../storage/statements.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { findSessionAndTurn } from './turn-row.js';

describe('the look-up of a session', () => {
  let server: OpenedDatabase;
  beforeAll(async () => {
    server = await openServerDatabase();
  });
  afterAll(() => server.close());

  /** Times that the connection of look-ups has read the whole table, which no other connection does here. */
  const wholeReads = async (): Promise<unknown> => {
    const lane = batchPool(server.db);
    await lane.execute(sql`select pg_stat_force_next_flush()`);
    const { rows } = await lane.execute(
      sql`select seq_scan::integer as scans from pg_stat_user_tables where relname = 'sessions'`,
    );
    return rows;
  };

  it('reads one row, though it was planned for a small table', async () => {
    const sessionId = await storeSession(server.db);
    const before = await wholeReads();
    for (let count = 0; count < 3; count += 1) await findSessionAndTurn(server.db, sessionId);
    expect(await wholeReads()).toEqual(before);
  });
});
