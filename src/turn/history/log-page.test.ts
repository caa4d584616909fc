import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { archiveEvents } from '../../../test/support/turn/archive-events.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { MemoryEventLog } from '../../events/memory-event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { systemClock } from '../../platform/clock.js';
import { turns } from '../../storage/schema.js';
import { loadLogPage } from './conversation-service.js';

function event(attempt: number, seq: number): TurnEvent {
  const at = new Date(Date.UTC(2026, 0, 1, 0, attempt, seq % 60)).toISOString();
  return { type: 'text.delta', step: 1, text: `${attempt}.${seq}`, attempt, seq, at };
}

/** Events `from` to `to` of an attempt. */
const run = (attempt: number, from: number, to: number): TurnEvent[] =>
  Array.from({ length: to - from + 1 }, (_one, i) => event(attempt, from + i));

describe('the log of a turn, page by page', () => {
  const log = new MemoryEventLog(systemClock);
  const database = useDatabase();
  afterAll(() => log.close());

  let turnId: string;
  beforeEach(async () => {
    turnId = await storeTurn(database.db);
  });

  const archive = (events: TurnEvent[]) => archiveEvents(database.db, turnId, events);
  const page = (limit: number, cursor?: string) =>
    loadLogPage({ db: database.db, log }, turnId, { cursor, limit });

  async function pages(limit: number): Promise<TurnEvent[]> {
    const all: TurnEvent[] = [];
    for (let cursor: string | undefined; ;) {
      const { events, nextCursor } = await page(limit, cursor);
      all.push(...events);
      if (nextCursor === undefined) return all;
      expect(events).toHaveLength(limit);
      cursor = nextCursor;
    }
  }

  it.each([1, 7, 50, 300])('joins what is stored and what is not, %i at a time', async (limit) => {
    // As many runs as take several looks, of sizes that no page has.
    for (let first = 1; first < 120; first += 3) await archive(run(1, first, first + 2));
    await archive(run(2, 1, 40));
    await log.begin(turnId, 2);
    await log.append(turnId, 2, run(2, 1, 60));
    expect(await pages(limit)).toEqual([...run(1, 1, 120), ...run(2, 1, 60)]);
  });

  it('begins with what was event before the first attempt', async () => {
    await archive(run(0, 1, 1));
    await archive(run(1, 1, 2));
    expect(await pages(1)).toEqual([...run(0, 1, 1), ...run(1, 1, 2)]);
  });

  it('goes on after any event', async () => {
    await archive(run(1, 1, 5));
    expect((await page(10, `${turnId}:1.3`)).events).toEqual(run(1, 4, 5));
    expect((await page(10, `${turnId}:1.3.2`)).events).toEqual(run(1, 4, 5));
    expect(await page(10, `${turnId}:1.5`)).toEqual({ events: [] });
  });

  it('ends before what the log has lost', async () => {
    await archive(run(1, 1, 3));
    const torn = { read: async () => [...run(1, 2, 5), ...run(1, 7, 9)] };
    const { events } = await loadLogPage({ db: database.db, log: torn }, turnId, { limit: 200 });
    expect(events).toEqual(run(1, 1, 5));
  });

  it('is empty of a turn that has event nothing', async () => {
    expect(await page(200)).toEqual({ events: [] });
  });

  it('is gone with the archive of a turn that has ended', async () => {
    const endedAt = new Date();
    await database.db.update(turns).set({ endedAt }).where(eq(turns.id, turnId));
    await expect(page(200)).rejects.toMatchObject({ status: 410, type: 'STREAM_EXPIRED' });
  });

  it.each(['x', 'turn_00000000-0000-4000-8000-000000000000:1.1'])(
    'refuses the cursor %s',
    async (cursor) => {
      await expect(page(200, cursor)).rejects.toMatchObject({
        status: 400,
        type: 'INVALID_REQUEST',
      });
    },
  );
});
