import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { UsageService } from './usage-service.js';

describe('the usage of days', () => {
  const database = useDatabase();

  it('counts a turn once, and not its copies in forks', async () => {
    const clock = new ManualClock();
    const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const ended = { status: 'completed', createdAt: new Date(clock.now()), usage } as const;
    const id = await storeTurn(database.db, ended);
    await storeTurn(database.db, { ...ended, copiedFrom: id });
    const days = await new UsageService(database.db, clock).days(undefined, { by: [] });
    expect(days).toMatchObject([{ day: '2026-01-01', turns: 1, tokens: 10 }]);
  });
});
