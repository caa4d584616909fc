import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { newTurn } from '../../../test/support/turn/new-turn.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { messages } from '../../storage/transcript-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import type { NewTurn } from './turn-submission.js';
import { holdTurn, type HoldLimits, type HoldResult } from './hold-turn.js';
import { useDatabase } from '../../../test/support/database/database.js';

describe.each(bothDatabases)('a turn that is held, on %s', (_name, open) => {
  let sessionId: string;
  const database = useDatabase(open);
  beforeEach(async () => {
    await database.db.delete(sessions);
    sessionId = await storeSession(database.db);
  });

  const limits: HoldLimits = { queueDepth: 100, concurrentTurns: 0, sessionQueue: 100 };
  const hold = (
    more: Partial<NewTurn> = {},
    within: Partial<HoldLimits> = {},
  ): Promise<HoldResult> =>
    holdTurn(database.db, newTurn(sessionId, more), {
      limits: { ...limits, ...within },
      goesFirst: false,
    });
  const interrupt = (within: Partial<HoldLimits> = {}): Promise<HoldResult> =>
    holdTurn(database.db, newTurn(sessionId), {
      limits: { ...limits, ...within },
      goesFirst: true,
    });
  const active = () => storeTurn(database.db, { sessionId });
  const rowOf = async (id: string) => {
    const [row] = await database.db.select().from(turns).where(eq(turns.id, id));
    return row;
  };
  const idOf = (holding: HoldResult): string => {
    if (holding.type !== 'held') throw new Error(holding.type);
    return holding.turnId;
  };

  it('is stored with its user’s message, and the active one knows of it', async () => {
    const activeTurnId = await active();
    const holding = await hold();
    const turnId = idOf(holding);
    expect(holding).toEqual({ type: 'held', turnId, position: 1, activeTurnId, superseded: [] });
    expect(await rowOf(turnId)).toMatchObject({ status: 'held', attempt: 0, goesFirst: false });
    expect(await rowOf(activeTurnId)).toMatchObject({ hasNext: true });
    const stored = await database.db.select().from(messages).where(eq(messages.turnId, turnId));
    expect(stored).toEqual([
      expect.objectContaining({ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }),
    ]);
  });

  it('says that the one it was to wait for has ended', async () => {
    expect(await hold()).toMatchObject({ type: 'held', position: 1, activeTurnId: undefined });
  });

  it('has a position of its own, and there are no more than may be, however many come', async () => {
    await active();
    const holdings = await Promise.all(
      Array.from({ length: 12 }, () => hold({}, { sessionQueue: 5 })),
    );
    const positions = holdings.flatMap((one) => (one.type === 'held' ? [one.position] : []));
    expect(positions.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    const refused = holdings.filter(({ type }) => type === 'session-queue-full');
    expect(refused).toHaveLength(7);
    expect(await database.db.select().from(turns).where(eq(turns.status, 'held'))).toHaveLength(5);
  });

  it('supersedes the one that was to go first, and no other', async () => {
    const activeTurnId = await active();
    const behind = idOf(await hold());
    const first = idOf(await interrupt());
    const second = await interrupt();
    expect(second).toEqual({
      type: 'held',
      turnId: idOf(second),
      position: 1,
      activeTurnId,
      superseded: [first],
    });
    const asked = { cancelReason: 'superseded', cancelRequestedAt: expect.any(Date) };
    expect(await rowOf(first)).toMatchObject(asked);
    for (const id of [behind, idOf(second)]) {
      expect(await rowOf(id)).toMatchObject({ status: 'held', cancelReason: null });
    }
    expect(await rowOf(idOf(second))).toMatchObject({ goesFirst: true });
  });

  it('that goes first asks the active one to end, in the moment in which it is stored', async () => {
    const activeTurnId = await active();
    await hold();
    expect(await rowOf(activeTurnId)).toMatchObject({ cancelRequestedAt: null });
    await interrupt();
    const asked = {
      cancelReason: 'superseded',
      cancelRequestedAt: expect.any(Date),
      hasNext: true,
    };
    expect(await rowOf(activeTurnId)).toMatchObject(asked);
  });

  it('leaves the active one the reason for which it is to end already', async () => {
    const activeTurnId = await active();
    const already = { cancelRequestedAt: new Date(0), cancelReason: 'interrupt' } as const;
    await database.db.update(turns).set(already).where(eq(turns.id, activeTurnId));
    await interrupt();
    expect(await rowOf(activeTurnId)).toMatchObject(already);
  });

  it('supersedes it also where the session’s queue is full', async () => {
    await active();
    const first = idOf(await interrupt({ sessionQueue: 1 }));
    expect(await interrupt({ sessionQueue: 1 })).toMatchObject({ superseded: [first] });
  });

  it('leaves one of any number that want to go first at once', async () => {
    await active();
    const holdings = await Promise.all(Array.from({ length: 8 }, () => interrupt()));
    const superseded = holdings.flatMap((one) => (one.type === 'held' ? one.superseded : []));
    expect(new Set(superseded).size).toBe(7);
    expect(superseded).toHaveLength(7);
  });

  it('does not count one that was asked to end', async () => {
    await active();
    const ended = idOf(await hold());
    const cancelRequestedAt = new Date();
    await database.db.update(turns).set({ cancelRequestedAt }).where(eq(turns.id, ended));
    expect(await hold({}, { sessionQueue: 1 })).toMatchObject({ type: 'held', position: 1 });
  });

  it('is not stored beyond what waits in the whole server, or is its principal’s', async () => {
    await active();
    await storeTurn(database.db, { status: 'queued' });
    expect(await hold({}, { queueDepth: 1 })).toEqual({ type: 'queue-full' });
    expect(await hold({}, { concurrentTurns: 2 })).toEqual({ type: 'too-many-turns' });
    expect(await hold({ principalId: 'ann' }, { concurrentTurns: 2 })).toMatchObject({
      type: 'held',
    });
  });

  it('supersedes nobody when it is not stored itself', async () => {
    await active();
    const first = idOf(await interrupt());
    await storeTurn(database.db, { status: 'queued' });
    // A superseded turn frees its own session’s queue; the server’s is as full as before.
    expect(await interrupt({ queueDepth: 1 })).toEqual({ type: 'queue-full' });
    expect(await rowOf(first)).toMatchObject({ cancelReason: null });
  });

  it('says which refusal it is: key taken, session gone', async () => {
    await active();
    await hold({ idempotencyKey: 'k' });
    expect(await hold({ idempotencyKey: 'k' })).toEqual({ type: 'key-taken' });
    const gone = newTurn('sess_00000000-0000-4000-8000-000000000000');
    expect(await holdTurn(database.db, gone, { limits, goesFirst: false })).toEqual({
      type: 'session-gone',
    });
  });
});
