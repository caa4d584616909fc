import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { claimOne } from '../../../test/support/turn/claim-one.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { someOptions, storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { openTestServices } from '../../../test/support/turn/turn-services.js';
import { FencedError } from '../../events/event-log.js';
import { TurnCommits } from '../../events/turn-commits.js';
import { turns } from '../../storage/schema.js';
import { TurnInserter } from '../submit/insert-turn.js';
import type { NewTurn } from '../submit/turn-submission.js';
import { TurnClaims } from './turn-claims.js';

describe('a turn’s row', () => {
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(turns);
  });

  const now = new Date();
  const store = (turnId: string, attempt: number) =>
    new TurnCommits(database.db).store({
      turnId,
      attempt,
      writes: [],
      events: [{ type: 'step.started', step: 1, attempt, seq: 1, at: '' }],
      isRepeat: false,
    });
  const claims = (leaseMs = 30_000): TurnClaims => new TurnClaims(database.db, { leaseMs });
  const queued = () => storeTurn(database.db, { status: 'queued', attempt: 0, startedAt: null });
  const rowOf = async (id: string) => {
    const [row] = await database.db.select().from(turns).where(eq(turns.id, id));
    return row;
  };

  it('is claimed by one of many at once', async () => {
    const turnId = await queued();
    const won = await Promise.all(Array.from({ length: 10 }, () => claimOne(claims(), now)));
    expect(won.filter((claim) => claim !== undefined)).toEqual([
      expect.objectContaining({ id: turnId, attempt: 1 }),
    ]);
  });

  it('is claimed again, one attempt further, when its lease is over', async () => {
    await queued();
    const first = await claimOne(claims(0), now);
    const second = await claimOne(claims(), now);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    expect(await claimOne(claims(), now)).toBeUndefined();
  });

  it('is claimed at once after it was handed back', async () => {
    await queued();
    const claim = await claimOne(claims(), now);
    if (claim === undefined) throw new Error('not claimed');
    await claims().release(claim);
    expect(await claims().claimable(0)).toBe(1);
    expect(await claimOne(claims(), now)).toMatchObject({ attempt: 2 });
  });

  it('keeps the time of its first start', async () => {
    const turnId = await queued();
    await claimOne(claims(0), new Date('2026-01-01T00:00:00Z'));
    await claimOne(claims(), new Date('2026-01-02T00:00:00Z'));
    expect((await rowOf(turnId))?.startedAt).toEqual(new Date('2026-01-01T00:00:00Z'));
  });

  it('refuses a zombie: its lease, its writes', async () => {
    const turnId = await queued();
    const zombie = await claimOne(claims(0), now);
    const owner = await claimOne(claims(), now);
    if (zombie === undefined || owner === undefined) throw new Error('not claimed');
    expect(await claims().extend(zombie)).toBe('lost');
    await claims().release(zombie);
    expect(await claims().extend(owner)).toEqual({ cancel: null, steered: 0 });
    await expect(store(turnId, 1)).rejects.toThrow(FencedError);
    expect(await store(turnId, 2)).toEqual({ type: 'stored', hasNext: false });
  });

  it('is renewed with the others of a worker, each for itself', async () => {
    for (let turn = 0; turn < 3; turn += 1) await queued();
    const service = claims();
    const [first, second, third] = await service.claimNext(3, now, null);
    if (first === undefined || second === undefined || third === undefined) {
      throw new Error('not claimed');
    }
    const zombie = { ...third, attempt: third.attempt - 1 };
    await database.db
      .update(turns)
      .set({ cancelReason: 'interrupt', leaseUntil: new Date(0) })
      .where(eq(turns.id, second.id));
    const renewals = [first, zombie, second, third].map((claim) => service.extend(claim));
    expect(await Promise.all(renewals)).toEqual([
      { cancel: null, steered: 0 },
      'lost',
      { cancel: 'interrupt', steered: 0 },
      { cancel: null, steered: 0 },
    ]);
    const row = await rowOf(second.id);
    expect(row?.leaseUntil?.getTime()).toBeGreaterThan(Date.now());
  });

  it('takes no claim and no write once it has ended', async () => {
    const turnId = await storeTurn(database.db, { status: 'completed', attempt: 1 });
    expect(await claimOne(claims(), now)).toBeUndefined();
    await expect(store(turnId, 1)).rejects.toThrow(FencedError);
    expect(await claims().claimable(0)).toBe(0);
  });

  it('keeps the first reason to cancel, and reports it to the heartbeat', async () => {
    const turnId = await queued();
    const claim = await claimOne(claims(), now);
    if (claim === undefined) throw new Error('not claimed');
    const test = await openTestServices(database, []);
    expect(await test.services.canceller.cancel(turnId, 'interrupt')).toBe('running');
    await test.services.canceller.cancel(turnId, 'disconnect');
    expect(await claims().extend(claim)).toEqual({ cancel: 'interrupt', steered: 0 });
    await test.close();
  });

  it('ends at once when it is cancelled before a worker had it', async () => {
    const turnId = await queued();
    const test = await openTestServices(database, []);
    expect(await test.services.canceller.cancel(turnId, 'interrupt')).toBe('ended');
    expect(await rowOf(turnId)).toMatchObject({ status: 'interrupted', endReason: 'interrupt' });
    const events = await test.services.log.read(turnId);
    expect(events.map(({ type }) => type)).toEqual(['turn.started', 'turn.ended']);
    await test.close();
  });

  it('ends at once when it is cancelled again, with the first reason', async () => {
    const turnId = await queued();
    const asked = { cancelRequestedAt: new Date(), cancelReason: 'superseded' } as const;
    await database.db.update(turns).set(asked).where(eq(turns.id, turnId));
    const test = await openTestServices(database, []);
    expect(await test.services.canceller.cancel(turnId, 'interrupt')).toBe('ended');
    expect(await rowOf(turnId)).toMatchObject({ status: 'interrupted', endReason: 'superseded' });
    await test.close();
  });

  it('counts as to be claimed without a worker, and queued after a while', async () => {
    const lost = await queued();
    await claimOne(claims(0), now);
    const waiting = await queued();
    expect(await claims().claimable(0)).toBe(2);
    expect(await claims().claimable(60_000)).toBe(1);
    expect(await claims().claimToEnd(lost, now, 'unstarted')).toBeUndefined();
    expect(await claims().claimToEnd(waiting, now, 'unstarted')).toMatchObject({ id: waiting });
  });

  const limits = (queueDepth: number) => ({ queueDepth, concurrentTurns: 0 });
  const newTurn = (sessionId: string, more: Partial<NewTurn> = {}): NewTurn => ({
    sessionId,
    request: { message: 'Hello', opts: undefined, attachments: [], rejectedAttachments: [] },
    delegation: {
      allowed: false,
      gate: 'ENVIRONMENT',
      reason: 'off',
      evaluationMs: 0,
      allowlistedSubagents: [],
      delegatedSubagents: [],
    },
    principalId: 'local',
    requestHash: 'hash',
    idempotencyKey: undefined,
    options: someOptions,
    parts: [{ type: 'text', text: 'Hello' }],
    now,
    ...more,
  });

  it('is one of twenty simultaneous ones in a session', async () => {
    const sessionId = await storeSession(database.db);
    const accepted = await Promise.all(
      Array.from({ length: 20 }, () =>
        new TurnInserter(database.db).insert(newTurn(sessionId), limits(100)),
      ),
    );
    const types = accepted.map((acceptance) => acceptance.type);
    expect(types.filter((type) => type === 'stored')).toHaveLength(1);
    expect(types.filter((type) => type === 'busy')).toHaveLength(19);
  });

  it('never overruns the queue’s depth', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => storeSession(database.db)));
    const accepted = await Promise.all(
      sessions.map((sessionId) =>
        new TurnInserter(database.db).insert(newTurn(sessionId), limits(3)),
      ),
    );
    const types = accepted.map((acceptance) => acceptance.type);
    expect(types.filter((type) => type === 'stored')).toHaveLength(3);
    expect(types.filter((type) => type === 'queue-full')).toHaveLength(5);
  });

  it('says which refusal it is: key taken, session gone', async () => {
    const sessionId = await storeSession(database.db);
    const keyed = newTurn(sessionId, { idempotencyKey: 'k' });
    const first = await new TurnInserter(database.db).insert(keyed, limits(100));
    if (first.type !== 'stored') throw new Error(first.type);
    await database.db.update(turns).set({ status: 'completed' });
    expect(await new TurnInserter(database.db).insert(keyed, limits(100))).toEqual({
      type: 'key-taken',
    });
    const gone = newTurn('sess_00000000-0000-4000-8000-000000000000');
    expect(await new TurnInserter(database.db).insert(gone, limits(100))).toEqual({
      type: 'session-gone',
    });
  });
});

describe('a turn’s row that somebody has locked', () => {
  it('does not keep others from their claims, and is claimed when it is free', async () => {
    const { db, close } = await openServerDatabase();
    try {
      const claims = new TurnClaims(db, { leaseMs: 1_000 });
      const [locked, free] = [
        await storeTurn(db, { status: 'queued', attempt: 0 }),
        await storeTurn(db, { status: 'queued', attempt: 0 }),
      ];
      const both = () => claims.claimNext(2, new Date(), null);
      await db.transaction(async (tx) => {
        await tx.update(turns).set({ hasNext: true }).where(eq(turns.id, locked));
        expect(await both()).toEqual([expect.objectContaining({ id: free })]);
      });
      expect(await claims.claimable(0)).toBe(1);
      expect(await both()).toEqual([
        expect.objectContaining({ id: locked, attempt: 1, hasNext: true }),
      ]);
    } finally {
      await close();
    }
  });
});
