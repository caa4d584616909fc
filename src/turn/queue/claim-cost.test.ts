import { claimOne } from '../../../test/support/turn/claim-one.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { newDatabase } from '../../../test/support/database/new-database.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { isPlainObject } from '../../platform/json.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { openPostgres } from '../../storage/postgres-database.js';
import { TurnClaims } from './turn-claims.js';

/** Turns for which the statement is planned. A server ends plans when an index grows a level: here, before that and long after. */
const PLANNED_FOR = 400;
const ENDED = 3_000;
/** Executions after which the plan of a statement is kept. */
const PLANNED = 7;

describe('a claim', () => {
  let database: OpenedDatabase;
  let dropDatabase: () => Promise<void>;
  beforeAll(async () => {
    const { url, drop } = await newDatabase();
    // Counts and plans are those of a connection.
    database = await openPostgres({ url, connections: 1, onError: () => undefined });
    dropDatabase = drop;
  });
  afterAll(async () => {
    await database.close();
    await dropDatabase();
  });

  /** Rows that were read by reading whole tables. */
  const scanned = async (): Promise<number> => {
    await database.db.execute(sql`select pg_stat_force_next_flush()`);
    const { rows } = await database.db.execute(
      sql`select sum(seq_tup_read)::integer as rows from pg_stat_user_tables`,
    );
    return isPlainObject(rows[0]) ? Number(rows[0]['rows']) : Number.NaN;
  };

  /** Turns that ended before, with archives. */
  const storeEnded = async (from: number, to: number): Promise<void> => {
    const { db } = database;
    const sessionId = await storeSession(db);
    const ended = await storeTurn(db, { sessionId, status: 'completed', endedAt: new Date() });
    const copies = sql`select turns, 'turn_' || n as id from turns, generate_series(${from}::integer, ${to}::integer) n
      where turns.id = ${ended}`;
    await db.execute(sql`insert into turns
      select (jsonb_populate_record(turns, jsonb_build_object('id', id))).* from (${copies}) copies`);
    await db.execute(sql`insert into turn_archives (turn_id, attempt, first_seq, events)
      select id, 1, 1, '[]' from (${copies}) copies`);
  };

  it('reads no table as a whole, however many turns have ended since it was planned', async () => {
    const { db } = database;
    const claims = new TurnClaims(db, { leaseMs: 30_000 });
    const claimNew = async () => {
      const turnId = await storeTurn(db, { status: 'queued', attempt: 0, startedAt: null });
      expect(await claimOne(claims)).toMatchObject({ id: turnId });
    };
    await storeEnded(1, PLANNED_FOR);
    for (let count = 0; count < PLANNED; count += 1) await claimNew();
    await storeEnded(PLANNED_FOR + 1, PLANNED_FOR + ENDED);
    const before = await scanned();
    await claimNew();
    expect((await scanned()) - before).toBeLessThan(ENDED);
  });
});
