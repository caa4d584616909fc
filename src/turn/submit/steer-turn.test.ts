import { beforeEach, describe, expect, it } from '@jest/globals';
import { asc, eq } from 'drizzle-orm';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { newTurn } from '../../../test/support/turn/new-turn.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { TurnCommits } from '../../events/turn-commits.js';
import { updateTurnKind } from '../../storage/write-kind.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { TurnInserter } from './insert-turn.js';
import {
  findSteeredByKey,
  storeSteeredMessage,
  type SteerResult,
  type NewSteeredMessage,
} from './steer-turn.js';
import { useDatabase } from '../../../test/support/database/database.js';

describe.each(bothDatabases)('a message steered into a turn, on %s', (_name, open) => {
  let sessionId: string;
  const database = useDatabase(open);
  beforeEach(async () => {
    await database.db.delete(sessions);
    sessionId = await storeSession(database.db);
  });

  const steer = (
    text = 'And?',
    more: Partial<NewSteeredMessage> = {},
    most = 100,
  ): Promise<SteerResult> =>
    storeSteeredMessage(
      database.db,
      { sessionId, text, requestHash: 'hash', idempotencyKey: undefined, now: new Date(), ...more },
      most,
    );
  const turnIn = (status: TurnStatus, more: object = {}) =>
    storeTurn(database.db, { sessionId, status, ...more });
  const rowsOf = (turnId: string) =>
    database.db
      .select()
      .from(steeredMessages)
      .where(eq(steeredMessages.turnId, turnId))
      .orderBy(asc(steeredMessages.position));
  const countOf = async (turnId: string) => {
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    return turn?.steeredMessages;
  };

  it.each(['queued', 'running', 'waiting'] as const)('is stored in one that is %s', async (is) => {
    const turnId = await turnIn(is);
    const result = await steer('Mind the tests');
    expect(result).toEqual({ type: 'steered', turnId, messageId: expect.stringMatching(/^msg_/) });
    expect(await rowsOf(turnId)).toEqual([
      expect.objectContaining({ text: 'Mind the tests', position: 1, afterStep: null }),
    ]);
    expect(await countOf(turnId)).toBe(1);
  });

  it('is not stored where its idempotency key has begun a turn meanwhile', async () => {
    const turnId = await turnIn('running', { idempotencyKey: 'a' });
    expect(await steer('Again', { idempotencyKey: 'a' })).toEqual({ type: 'key-taken' });
    expect(await rowsOf(turnId)).toEqual([]);
    expect((await steer('More', { idempotencyKey: 'b' })).type).toBe('steered');
  });

  it('keeps a turn from beginning with its idempotency key', async () => {
    const turnId = await turnIn('running');
    await steer('Once', { idempotencyKey: 'a' });
    await database.db.update(turns).set({ status: 'completed' }).where(eq(turns.id, turnId));
    const limits = { queueDepth: 1_000, concurrentTurns: 0 };
    const begin = (idempotencyKey: string) =>
      new TurnInserter(database.db).insert(newTurn(sessionId, { idempotencyKey }), limits);
    expect(await begin('a')).toEqual({ type: 'key-taken' });
    expect((await begin('b')).type).toBe('stored');
  });

  it.each(['held', 'completed', 'limited', 'interrupted', 'failed'] as const)(
    'finds nobody in one that is %s',
    async (is) => {
      const turnId = await turnIn(is);
      expect(await steer()).toEqual({ type: 'nobody' });
      expect(await countOf(turnId)).toBe(0);
    },
  );

  it('finds nobody in one that was asked to end', async () => {
    await turnIn('running', { cancelRequestedAt: new Date() });
    expect(await steer()).toEqual({ type: 'nobody' });
  });

  it('has a position of its own, and no more are steered than may wait, however many come', async () => {
    const turnId = await turnIn('running');
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => steer(`${index}`, {}, 5)),
    );
    expect(results.filter(({ type }) => type === 'steered')).toHaveLength(5);
    expect(results.filter(({ type }) => type === 'full')).toHaveLength(7);
    expect((await rowsOf(turnId)).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
    expect(await countOf(turnId)).toBe(5);
    // Delivered messages do not count toward the limit.
    await database.db.update(steeredMessages).set({ afterStep: 1 });
    expect(await steer('more', {}, 5)).toMatchObject({ type: 'steered' });
    expect(await countOf(turnId)).toBe(6);
  });

  it('is one of those that come with one key, and is found by it', async () => {
    const turnId = await turnIn('running');
    const results = await Promise.all(
      Array.from({ length: 6 }, () => steer('Once', { idempotencyKey: 'k' })),
    );
    const steered = results.flatMap((one) => (one.type === 'steered' ? [one] : []));
    expect(steered).toHaveLength(1);
    expect(results.filter(({ type }) => type === 'key-taken')).toHaveLength(5);
    // The refused ones left no trace in the turn's count.
    expect(await countOf(turnId)).toBe(1);
    const found = await findSteeredByKey(database.db, sessionId, 'k');
    expect(found).toMatchObject({ id: steered[0]?.messageId, turnId, requestHash: 'hash' });
    expect(await findSteeredByKey(database.db, sessionId, 'other')).toBeUndefined();
  });

  it('and the end of the turn: one of both sees the other, whoever is first', async () => {
    for (let round = 0; round < 20; round += 1) {
      await database.db.delete(turns);
      const turnId = await turnIn('running');
      const complete = updateTurnKind(turns, ['status']);
      const end = () =>
        new TurnCommits(database.db).store({
          turnId,
          attempt: 1,
          writes: [complete({ status: 'completed' })],
          events: [],
          isRepeat: false,
          delivered: 0,
        });
      const [result, ending] = await Promise.all([steer(), end()]);
      // Never a message steered into a turn that has ended without it.
      expect([result.type, ending.type]).toEqual(
        result.type === 'steered' ? ['steered', 'undelivered'] : ['nobody', 'stored'],
      );
    }
  });
});
