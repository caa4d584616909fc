import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../../test/support/database/database.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { usageDays } from '../../storage/governance-schema.js';
import { forgetUsage } from './usage-days.js';

let database: OpenedDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it('usage is kept for whole days in UTC, and for ever by default', async () => {
  const { db } = database;
  const days = ['2026-01-01', '2026-01-08', '2026-01-09', '2026-01-10'];
  await db.insert(usageDays).values(days.map((day) => ({ principalId: 'a', day, tokens: 1 })));
  const now = new Date('2026-01-10T23:59:59Z');
  expect(await forgetUsage(db, now, 0)).toBe(0);
  expect(await forgetUsage(db, now, 1)).toBe(2);
  const left = await db.select({ day: usageDays.day }).from(usageDays);
  expect(left.map(({ day }) => day)).toEqual(['2026-01-09', '2026-01-10']);
});
