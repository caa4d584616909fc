import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq, inArray } from 'drizzle-orm';
import { bothDatabases, openServerDatabase } from '../../test/support/database/both-databases.js';
import { storeTurn } from '../../test/support/turn/store-turn.js';
import { turns } from '../storage/schema.js';
import { turnArchives } from '../storage/transcript-schema.js';
import { updateTurnKind, type StoreWrite } from '../storage/write-kind.js';
import { FencedError } from './event-log.js';
import { TurnCommits, type TurnCommit } from './turn-commits.js';
import { useDatabase } from '../../test/support/database/database.js';

const storeReason = updateTurnKind(turns, ['endReason']);
const storeStatus = updateTurnKind(turns, ['sessionId']);

const commit = (turnId: string, more: Partial<TurnCommit> = {}): TurnCommit => ({
  turnId,
  attempt: 1,
  writes: [storeReason({ endReason: turnId })],
  events: [{ type: 'step.started', step: 1, attempt: 1, seq: 1, at: '2026-01-01T00:00:00Z' }],
  isRepeat: false,
  ...more,
});

describe.each(bothDatabases)('commits of several turns at once, on %s', (_name, open) => {
  let commits: TurnCommits;
  let turnIds: string[];
  const database = useDatabase(open);
  beforeEach(async () => {
    commits = new TurnCommits(database.db);
    turnIds = [];
    for (let count = 0; count < 3; count += 1) turnIds.push(await storeTurn(database.db));
  });

  const reasons = async (): Promise<(string | null)[]> => {
    const rows = await database.db.select().from(turns).where(inArray(turns.id, turnIds));
    return turnIds.map((turnId) => rows.find(({ id }) => id === turnId)?.endReason ?? null);
  };

  it('are all stored, each with its own rows', async () => {
    const stored = await Promise.all(turnIds.map((turnId) => commits.store(commit(turnId))));
    expect(stored.map(({ type }) => type)).toEqual(['stored', 'stored', 'stored']);
    expect(await reasons()).toEqual(turnIds);
    const archived = await database.db
      .select()
      .from(turnArchives)
      .where(inArray(turnArchives.turnId, turnIds));
    expect(archived.map(({ turnId }) => turnId).sort()).toEqual([...turnIds].sort());
  });

  it('are stored without the one that is fenced off', async () => {
    const [first = '', second = '', third = ''] = turnIds;
    const done = [
      commits.store(commit(first)),
      commits.store(commit(second, { attempt: 2 })),
      commits.store(commit(third)),
    ];
    await expect(done[1]).rejects.toThrow(FencedError);
    await Promise.all([done[0], done[2]]);
    expect(await reasons()).toEqual([first, null, third]);
  });

  it.each<[string, StoreWrite]>([
    ['violates a rule', storeStatus({ sessionId: 'nobody' })],
    ['cannot be stored', storeReason({ endReason: 'a\0b' })],
  ])('are stored without the one that %s, which alone fails', async (_what, refused) => {
    const [first = '', second = '', third = ''] = turnIds;
    const done = [
      commits.store(commit(first)),
      commits.store(commit(second, { writes: [refused] })),
      commits.store(commit(third)),
    ];
    await expect(done[1]).rejects.toThrow();
    await Promise.all([done[0], done[2]]);
    expect(await reasons()).toEqual([first, null, third]);
  });

  it('are told from commits of a turn whose answer was lost', async () => {
    const [first = '', second = '', third = ''] = turnIds;
    await commits.store(commit(second));
    const again = commit(second, { isRepeat: true });
    const done = await Promise.all([commits.store(commit(first)), commits.store(again)]);
    expect(done.map(({ type }) => type)).toEqual(['stored', 'stored']);
    expect(await reasons()).toEqual([first, second, null]);
    expect(third).not.toBe('');
  });

  it('keep texts and objects to the letter', async () => {
    const [turnId = ''] = turnIds;
    const text = `a "quoted" \\ {"x":1} \u0000 \ud800 é, {}`;
    const at = '2026-01-01T00:00:00Z';
    const event = { type: 'text.delta', step: 1, text, attempt: 1, seq: 1, at } as const;
    await commits.store(commit(turnId, { events: [event] }));
    const [row] = await database.db
      .select()
      .from(turnArchives)
      .where(eq(turnArchives.turnId, turnId));
    expect(row?.events).toEqual([event]);
  });
});

describe('a turn whose row somebody has locked', () => {
  it('does not stop the others', async () => {
    const database = await openServerDatabase();
    try {
      const commits = new TurnCommits(database.db);
      const [locked, free] = [await storeTurn(database.db), await storeTurn(database.db)];
      let waiting: Promise<unknown> | undefined;
      await database.db.transaction(async (tx) => {
        await tx.update(turns).set({ hasNext: true }).where(eq(turns.id, locked));
        waiting = commits.store(commit(locked));
        expect(await commits.store(commit(free))).toEqual({ type: 'stored', hasNext: false });
      });
      expect(await waiting).toEqual({ type: 'stored', hasNext: true });
    } finally {
      await database.close();
    }
  });
});
