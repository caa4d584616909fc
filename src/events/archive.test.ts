import { turnArchives } from '../storage/transcript-schema.js';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { storeTurn } from '../../test/support/turn/store-turn.js';
import { loadArchive } from './archive.js';
import { TurnCommits } from './turn-commits.js';
import type { TurnEvent } from './turn-event.js';

describe('the archive', () => {
  const database = useDatabase();

  const delta = (attempt: number, seq: number, text = `${attempt}.${seq}`): TurnEvent => ({
    type: 'text.delta',
    step: 1,
    text,
    attempt,
    seq,
    at: '2026-01-01T00:00:00.000Z',
  });

  async function archive(turnId: string, events: readonly TurnEvent[]): Promise<void> {
    const owner = { turnId, attempt: 1 };
    const parts = { writes: [], events, isRepeat: false };
    expect(await new TurnCommits(database.db).store({ ...owner, ...parts })).toMatchObject({
      type: 'stored',
    });
  }

  it('gives events back by attempt and number, whatever the order they were kept in', async () => {
    const { db } = database;
    const turnId = await storeTurn(db);
    await archive(turnId, [delta(2, 1), delta(2, 2)]);
    await archive(turnId, [delta(1, 10), delta(1, 11)]);
    await archive(turnId, [delta(0, 1)]);
    await archive(turnId, [delta(1, 2)]);
    const numbers = (await loadArchive(db, turnId)).map(({ attempt, seq }) => `${attempt}.${seq}`);
    expect(numbers).toEqual(['0.1', '1.2', '1.10', '1.11', '2.1', '2.2']);
  });

  it.each([
    ['NUL', 'a\u0000b'],
    ['half a surrogate pair', 'a\ud83d'],
    ['a whole one', '😀'],
    ['lines and quotes', 'a\r\n"b"\\u0000\u2028'],
  ])('gives text back to the letter: %s', async (_what, text) => {
    const turnId = await storeTurn(database.db);
    await archive(turnId, [delta(1, 1, text)]);
    expect(await loadArchive(database.db, turnId)).toEqual([delta(1, 1, text)]);
  });

  it('keeps the order of keys: the input of a tool comes back to the letter', async () => {
    const turnId = await storeTurn(database.db);
    const input = { z: 1, a: { y: [], b: null }, 10: true };
    const stamp = { attempt: 1, seq: 1, at: '' };
    await archive(turnId, [{ type: 'tool.started', callId: 'c', name: 'x', input, ...stamp }]);
    const [event] = await loadArchive(database.db, turnId);
    expect(JSON.stringify(event)).toContain(`"input":${JSON.stringify(input)}`);
  });

  it('keeps turns apart, and no row for nothing', async () => {
    const { db } = database;
    const [mine, other] = [await storeTurn(db), await storeTurn(db)];
    await archive(mine, [delta(1, 1)]);
    await archive(other, []);
    expect(await loadArchive(db, mine)).toEqual([delta(1, 1)]);
    expect(await loadArchive(db, other)).toEqual([]);
    const rows = await db.select({ turnId: turnArchives.turnId }).from(turnArchives);
    expect(rows.map((row) => row.turnId)).not.toContain(other);
  });
});
