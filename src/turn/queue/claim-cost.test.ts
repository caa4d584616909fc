import { claimOne } from '../../../test/support/turn/claim-one.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { newDatabase } from '../../../test/support/database/new-database.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { expectSoon } from '../../../test/support/expect-soon.js';
import { isPlainObject } from '../../platform/json.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { batchPool } from '../../storage/statements.js';
import { openPostgres } from '../../storage/postgres-database.js';
import { TurnClaims } from './turn-claims.js';

/** Turns for which the statement is planned. A server ends plans when an index grows a level: here, before that and long after. */
const PLANNED_FOR = 400;
const ENDED = 3_000;
/** Times that a turn has run since the last vacuum. */
const RUN = 1_000;
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

  it('reads what has run since the last vacuum once, and not again', async () => {
    const { url, drop } = await newDatabase();
    const { db, close } = await openPostgres({ url, connections: 6, onError: () => undefined });
    try {
      const claims = new TurnClaims(db, { leaseMs: 30_000 });
      const claimNew = async () => {
        await storeTurn(db, { status: 'queued', attempt: 0, startedAt: null });
        // Perhaps that of an earlier look, whose claim found the row locked.
        expect(await claimOne(claims)).toBeDefined();
      };
      /** Blocks of the table that claims have read. */
      const blocks = async (): Promise<number> => {
        await batchPool(db).execute(sql`select pg_stat_force_next_flush()`);
        const { rows } = await batchPool(db).execute(
          sql`select (heap_blks_hit + heap_blks_read)::integer as blocks
            from pg_statio_user_tables where relname = 'turns'`,
        );
        return isPlainObject(rows[0]) ? Number(rows[0]['blocks']) : Number.NaN;
      };
      const turnId = await storeTurn(db, { status: 'completed', endedAt: new Date() });
      await db.execute(sql`alter table turns set (autovacuum_enabled = false)`);
      await db.execute(
        sql.raw(`do $$ begin for count in 1..${RUN} loop
          update turns set status = 'running', lease_until = now() where id = '${turnId}';
          update turns set status = 'completed' where id = '${turnId}';
        end loop; end $$`),
      );
      const cost = async (): Promise<number> => {
        const before = await blocks();
        await claimNew();
        return (await blocks()) - before;
      };
      expect(await cost()).toBeGreaterThan(RUN / 10);
      // The next claims too, while the server analyses a table of the database.
      await expectSoon(async () => expect(await cost()).toBeLessThan(RUN / 30));
    } finally {
      await close();
      await drop();
    }
  });
});
