import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../test/support/database.js';
import { storeTurn } from '../../test/support/store-turn.js';
import type { OpenedDatabase } from '../storage/connection.js';
import { turnArchives } from '../storage/schema.js';
import { archiveEvents, readArchive } from './archive.js';
import type { TurnEvent } from './turn-event.js';

describe('the archive', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const said = (attempt: number, seq: number, text = `${attempt}.${seq}`): TurnEvent => ({
    type: 'text.delta',
    step: 1,
    text,
    attempt,
    seq,
    at: '2026-01-01T00:00:00.000Z',
  });

  it('gives events back by attempt and number, whatever the order they were kept in', async () => {
    const { db } = database;
    const turnId = await storeTurn(db);
    await archiveEvents(db, turnId, [said(2, 1), said(2, 2)]);
    await archiveEvents(db, turnId, [said(1, 10), said(1, 11)]);
    await archiveEvents(db, turnId, [said(0, 1)]);
    await archiveEvents(db, turnId, [said(1, 2)]);
    const places = (await readArchive(db, turnId)).map(({ attempt, seq }) => `${attempt}.${seq}`);
    expect(places).toEqual(['0.1', '1.2', '1.10', '1.11', '2.1', '2.2']);
  });

  it.each([
    ['NUL', 'a\u0000b'],
    ['half a surrogate pair', 'a\ud83d'],
    ['a whole one', '😀'],
    ['lines and quotes', 'a\r\n"b"\\u0000\u2028'],
  ])('gives text back to the letter: %s', async (_what, text) => {
    const turnId = await storeTurn(database.db);
    await archiveEvents(database.db, turnId, [said(1, 1, text)]);
    expect(await readArchive(database.db, turnId)).toEqual([said(1, 1, text)]);
  });

  it('keeps the order of keys: what a tool was given is said again to the letter', async () => {
    const turnId = await storeTurn(database.db);
    const input = { z: 1, a: { y: [], b: null }, 10: true };
    const place = { attempt: 1, seq: 1, at: '' };
    await archiveEvents(database.db, turnId, [
      { type: 'tool.started', callId: 'c', name: 'x', input, ...place },
    ]);
    const [event] = await readArchive(database.db, turnId);
    expect(JSON.stringify(event)).toContain(`"input":${JSON.stringify(input)}`);
  });

  it('keeps turns apart, and no row for nothing', async () => {
    const { db } = database;
    const [mine, other] = [await storeTurn(db), await storeTurn(db)];
    await archiveEvents(db, mine, [said(1, 1)]);
    await archiveEvents(db, other, []);
    expect(await readArchive(db, mine)).toEqual([said(1, 1)]);
    expect(await readArchive(db, other)).toEqual([]);
    const rows = await db.select({ turnId: turnArchives.turnId }).from(turnArchives);
    expect(rows.map((row) => row.turnId)).not.toContain(other);
  });

  it('keeps one place of a turn once, as it was kept first', async () => {
    const turnId = await storeTurn(database.db);
    await archiveEvents(database.db, turnId, [said(1, 1, 'first')]);
    await archiveEvents(database.db, turnId, [said(1, 1, 'second')]);
    expect(await readArchive(database.db, turnId)).toEqual([said(1, 1, 'first')]);
  });
});
