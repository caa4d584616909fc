import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { auditLog } from '../storage/governance-schema.js';
import { AuditLog } from './audit-log.js';

describe('the audit log', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let audit: AuditLog;
  beforeEach(async () => {
    await database.db.delete(auditLog);
    clock = new ManualClock();
    audit = new AuditLog(database.db, clock);
  });

  const write = async (...subjects: string[]) => {
    for (const subject of subjects) {
      await audit.write({ by: { id: 'a' }, action: 'session.created', subject });
      await clock.advance(1);
    }
  };

  it('is read in pages, oldest first', async () => {
    await write('1', '2', '3');
    const first = await audit.page({ after: undefined, limit: 2 });
    expect(first.entries.map(({ subject }) => subject)).toEqual(['1', '2']);
    expect(first.entries[0]).toEqual({
      id: expect.stringMatching(/^audit_/),
      at: '2026-01-01T00:00:00.000Z',
      principal: 'a',
      action: 'session.created',
      subject: '1',
      details: {},
    });
    const second = await audit.page({ after: first.nextAfter, limit: 2 });
    expect(second.entries.map(({ subject }) => subject)).toEqual(['3']);
    expect(second).not.toHaveProperty('nextAfter');
  });

  it('notes the issuers of a start where they are others than before', async () => {
    const start = async (issuers: string[], digest: string) => {
      await audit.noteIssuers(issuers, digest);
      await clock.advance(1);
    };
    await start([], 'none');
    await start(['idp'], 'a');
    await start(['idp'], 'a');
    await start(['idp'], 'b');
    await start([], 'none');
    const { entries } = await audit.page({ limit: 10 });
    expect(entries.map(({ details }) => details)).toEqual([
      { issuers: ['idp'], digest: 'a' },
      { issuers: ['idp'], digest: 'b' },
      { issuers: [], digest: 'none' },
    ]);
  });

  it('goes with the transaction it is part of', async () => {
    const broken = database.db.transaction(async (tx) => {
      await audit.write({ by: { id: 'a' }, action: 'key.created', subject: 'x' }, tx);
      throw new Error('rolled back');
    });
    await expect(broken).rejects.toThrow('rolled back');
    expect(await audit.page({ limit: 10 })).toEqual({ entries: [] });
  });
});
