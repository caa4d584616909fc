import { describe, expect, it } from '@jest/globals';
import type { PgTable } from 'drizzle-orm/pg-core';
import { useDatabase } from '../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../test/support/turn/store-turn.js';
import { silentLogger } from '../../test/support/silent-logger.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { auditLog, usageDays } from '../storage/governance-schema.js';
import { newTimeId } from '../platform/ids.js';
import { memories, memoryFiles } from '../storage/file-schema.js';
import { tables } from '../storage/tables.js';
import { turnArchives } from '../storage/transcript-schema.js';
import { webhookDeliveries } from '../storage/automation-schema.js';
import { forgetOld, Housekeeper, type Chore } from './housekeeper.js';

function open(...chores: Chore[]) {
  const clock = new ManualClock();
  return { clock, keeper: new Housekeeper(chores, clock, silentLogger) };
}

describe('Housekeeper', () => {
  it('does every chore in every round, also after one that failed', async () => {
    const done: string[] = [];
    const chore = (name: string, fails = false): Chore => ({
      name,
      run: async () => {
        done.push(name);
        if (fails) throw new Error('not now');
      },
    });
    const { clock, keeper } = open(chore('a', true), chore('b'));
    keeper.start();
    expect(done).toEqual([]);
    await clock.advance(10_000);
    expect(done).toEqual(['a', 'b']);
    await clock.advance(10_000);
    expect(done).toEqual(['a', 'b', 'a', 'b']);
    await keeper.onModuleDestroy();
    await clock.advance(20_000);
    expect(done).toHaveLength(4);
  });

  it('waits at its end for the chore that runs, and begins no other', async () => {
    const done: string[] = [];
    let finish = (): void => undefined;
    const slow: Chore = {
      name: 'slow',
      run: () => new Promise<void>((resolve) => (finish = resolve)).then(() => done.push('slow')),
    };
    const { clock, keeper } = open(slow, { name: 'next', run: async () => done.push('next') });
    keeper.start();
    await clock.advance(10_000);
    const stopped = keeper.onModuleDestroy();
    finish();
    await stopped;
    expect(done).toEqual(['slow']);
  });
});

const DAY_MS = 86_400_000;

describe('old rows of a table', () => {
  const now = new Date('2026-01-10T23:59:59Z');
  const ago = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  const database = useDatabase();

  function forget(table: PgTable, days: number): Promise<number> {
    const entry = tables.find((one) => one.table === table);
    if (entry === undefined) throw new Error('The table has an entry');
    return forgetOld(database.db, entry, { now, days });
  }

  it('usage is kept for whole days in UTC, and for ever by default', async () => {
    const { db } = database;
    const days = ['2026-01-01', '2026-01-08', '2026-01-09', '2026-01-10'];
    await db.insert(usageDays).values(days.map((day) => ({ principalId: 'a', day, tokens: 1 })));
    expect(await forget(usageDays, 0)).toBe(0);
    expect(await forget(usageDays, 1)).toBe(2);
    const left = await db.select({ day: usageDays.day }).from(usageDays);
    expect(left.map(({ day }) => day)).toEqual(['2026-01-09', '2026-01-10']);
  });

  it('entries of the audit log are kept for their days, and for ever where there are none', async () => {
    const { db } = database;
    const entry = { principalId: 'a', action: 'key.created', subject: 'x', details: {} };
    for (const days of [90.01, 89.99]) {
      await db.insert(auditLog).values({ ...entry, id: `audit_${days}`, at: ago(days) });
    }
    expect(await forget(auditLog, 0)).toBe(0);
    expect(await forget(auditLog, 90)).toBe(1);
    expect(await forget(auditLog, 90)).toBe(0);
    expect(await db.select({ id: auditLog.id }).from(auditLog)).toEqual([{ id: 'audit_89.99' }]);
  });

  it('the entry that says which issuers there are stays, and those before it go', async () => {
    const { db } = database;
    await db.delete(auditLog);
    const entry = { principalId: 'server', action: 'auth.configured', subject: 'issuers' };
    for (const days of [200, 100]) {
      const details = { issuers: [`of ${days}`], digest: 'd' };
      await db
        .insert(auditLog)
        .values({ ...entry, details, id: newTimeId('audit', ago(days).getTime()), at: ago(days) });
    }
    expect(await forget(auditLog, 90)).toBe(1);
    const [left] = await db.select({ details: auditLog.details }).from(auditLog);
    expect(left?.details).toMatchObject({ issuers: ['of 100'] });
  });

  it('deliveries and files of memories are kept for their days', async () => {
    const { db } = database;
    const delivery = { endpointId: 'hook_a', type: 'turn.ended', facts: {} } as const;
    const file = { principalId: 'a', agent: 'KEEPER', version: 1, content: '', bytes: 0 };
    await db.insert(memories).values({ principalId: 'a', agent: 'KEEPER', revision: 1 });
    for (const days of [8, 6]) {
      const at = ago(days);
      const id = `msg_${days}`;
      await db.insert(webhookDeliveries).values({ ...delivery, id, nextAt: at, createdAt: at });
      await db.insert(memoryFiles).values({ ...file, path: `/memories/${days}`, updatedAt: at });
    }
    for (const table of [webhookDeliveries, memoryFiles]) {
      expect(await forget(table, 9)).toBe(0);
      expect(await forget(table, 7)).toBe(1);
    }
  });

  it('events are kept for days after the end of their turn', async () => {
    const { db } = database;
    const sessionId = await storeSession(db);
    const of = async (status: 'completed' | 'waiting', endedAt: Date | null): Promise<string> => {
      const turnId = await storeTurn(db, { sessionId, status, endedAt, createdAt: ago(30) });
      for (const firstSeq of [1, 2]) {
        await db.insert(turnArchives).values({ turnId, attempt: 1, firstSeq, events: [] });
      }
      return turnId;
    };
    await of('completed', ago(8));
    const kept = [await of('completed', ago(6)), await of('waiting', null)];
    expect(await forget(turnArchives, 0)).toBe(0);
    expect(await forget(turnArchives, 7)).toBe(2);
    const left = await db.selectDistinct({ id: turnArchives.turnId }).from(turnArchives);
    expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
  });
});
