import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { webhookDeliveries } from '../../storage/automation-schema.js';
import { cutPage, loadPage } from './load-page.js';

const { createdAt, id, failures } = webhookDeliveries;

describe('the pages of a list', () => {
  const database = useDatabase();
  beforeAll(async () => {
    const rows = [3, 1, 2, 2, 2, 4, 2].map((second, index) => {
      const at = new Date(Date.UTC(2026, 0, 1, 0, 0, second));
      const event = {
        endpointId: 'hook_1',
        id: `evt_"${index},:`,
        type: 'turn.ended',
        facts: {},
      } as const;
      return { ...event, failures: index % 3, nextAt: at, createdAt: at };
    });
    await database.db.insert(webhookDeliveries).values(rows);
  });

  const load = (columns: object, isDescending: boolean, limit: number, cursor?: string) => {
    const key = {
      columns: columns as { createdAt: typeof createdAt; id: typeof id },
      isDescending,
    };
    return loadPage({ cursor, limit }, key, ({ after, orderBy, limit: most }) =>
      database.db
        .select()
        .from(webhookDeliveries)
        .where(after)
        .orderBy(...orderBy)
        .limit(most),
    );
  };

  describe.each([{ createdAt, id }, { failures, createdAt, id }, { id }])('by %#', (columns) => {
    it.each([
      [1, true],
      [2, false],
      [3, true],
      [7, false],
      [8, true],
    ])('join without holes or repeats: %i at a time', async (limit, isDescending) => {
      const whole = await load(columns, isDescending, 100);
      expect(whole).toMatchObject({ rows: { length: 7 } });
      expect(whole.nextCursor).toBeUndefined();
      const all = [];
      let cursor: string | undefined;
      do {
        const page = await load(columns, isDescending, limit, cursor);
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        all.push(...page.rows);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(all).toEqual(whole.rows);
    });
  });

  it('begin at times that no row has', async () => {
    const cursor = Buffer.from('[0,"a"]').toString('base64url');
    expect((await load({ createdAt, id }, false, 100, cursor)).rows).toHaveLength(7);
    expect((await load({ createdAt, id }, true, 100, cursor)).rows).toEqual([]);
  });

  it.each(['', '1', '1:a', '[]', '[0]', '["a","b"]', '[0,1]', '[0,"a",1]', '{"length":2}', 'null'])(
    'refuse the token %j',
    async (text) => {
      for (const cursor of [text, Buffer.from(text).toString('base64url')]) {
        await expect(load({ createdAt, id }, false, 1, cursor)).rejects.toMatchObject({
          type: 'INVALID_REQUEST',
          message: "'cursor' must be the 'nextCursor' of an earlier page of the same list",
        });
      }
    },
  );

  it.each(['[-1,"a"]', '[1.5,"a"]', '[1e300,"a"]', '[0,"a\\u0000"]', '[0,"\\ud800"]'])(
    'refuse values that the database does not take: %s',
    async (text) => {
      const cursor = Buffer.from(text).toString('base64url');
      await expect(load({ createdAt, id }, false, 1, cursor)).rejects.toThrow(/'cursor'/);
    },
  );

  it('are cut off rows of which one more was looked for', () => {
    expect(cutPage([1, 2], 2, String)).toEqual({ rows: [1, 2] });
    expect(cutPage([1, 2, 3], 2, String)).toEqual({ rows: [1, 2], nextCursor: '2' });
  });
});
