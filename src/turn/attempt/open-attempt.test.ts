import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { archiveEvents } from '../../../test/support/turn/archive-events.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { openTestServices, type TestServices } from '../../../test/support/turn/turn-services.js';
import { FencedError } from '../../events/event-log.js';
import { noUsage, type TurnEvent } from '../../events/turn-event.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import { steps, toolCalls } from '../../storage/transcript-schema.js';
import { compactions, sessions } from '../../storage/schema.js';
import { Lease } from '../state/lease.js';
import { loadPastTurns } from '../state/past-turn.js';
import { getTurn } from '../state/turn-row.js';
import { openCalls, replyText } from '../state/attempt.js';
import { openAttempt, findSessionTokens } from './open-attempt.js';

describe('openAttempt', () => {
  const database = useDatabase();

  let test: TestServices;
  let sessionId: string;
  let lease: Lease;
  beforeEach(async () => {
    test = await openTestServices(database, [], { clock: new ManualClock() });
    sessionId = await storeSession(database.db);
    lease = new Lease();
  });
  afterEach(() => test.close());

  const open = async (turnId: string) => {
    const { db, attempts, sessions } = test.services;
    const claim = {
      ...(await getTurn(db, turnId)),
      wasAnnounced: true,
      hasHistory: true,
      worker: null,
      userParts: [],
      todos: null,
      compaction: null,
      grants: [],
      session: { ...(await sessions.get(sessionId)), prefix: null },
    };
    return openAttempt(attempts, claim, { lease });
  };

  it('takes every turn that has ended for an earlier one, whatever the clock was', async () => {
    const createdAt = new Date('2026-01-01T00:00:00Z');
    const ended = { sessionId, status: 'completed' } as const;
    const before = await storeTurn(database.db, { ...ended, createdAt });
    const sameInstant = await storeTurn(database.db, { ...ended, createdAt });
    const later = new Date('2026-01-01T01:00:00Z');
    const clockWentBack = await storeTurn(database.db, { ...ended, createdAt: later });
    const turnId = await storeTurn(database.db, { sessionId, createdAt });
    const { earlier } = await open(turnId);
    const ids = earlier.map((stored) => stored.turn.id);
    expect(ids.slice(0, 2).sort()).toEqual([before, sameInstant].sort());
    expect(ids.slice(2)).toEqual([clockWentBack]);
  });

  it('leaves out turns that are held behind the turn, and those that were ended there', async () => {
    const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    const early = { sessionId, createdAt: at(0) };
    const before = await storeTurn(database.db, { ...early, status: 'interrupted' });
    const turnId = await storeTurn(database.db, { ...early, startedAt: at(1), attempt: 2 });
    await storeTurn(database.db, { ...early, status: 'held' });
    await storeTurn(database.db, { ...early, status: 'interrupted', endedAt: at(2) });
    const { earlier } = await open(turnId);
    expect(earlier.map(({ turn }) => turn.id)).toEqual([before]);
  });

  it('goes on from the steps and the calls that are stored', async () => {
    const turnId = await storeTurn(database.db, { sessionId, attempt: 2 });
    const call = (id: string): AssistantPart => ({
      type: 'tool_use',
      id,
      name: 'read',
      input: {},
    });
    const now = new Date();
    await database.db.insert(steps).values({
      turnId,
      step: 1,
      attempt: 1,
      parts: [{ type: 'text', text: 'Looking.' }, call('done'), call('lost'), call('new')],
      stopReason: 'tool_use',
      usage: noUsage,
      startedAt: now,
      endedAt: now,
    });
    const row = { turnId, step: 1, attempt: 1, name: 'read', input: {}, claimedAt: now };
    await database.db.insert(toolCalls).values([
      { ...row, callId: 'done', status: 'success', output: 'text' },
      { ...row, callId: 'lost', status: 'claimed' },
    ]);
    const attempt = await open(turnId);
    expect(openCalls(attempt.progress).map(({ id }) => id)).toEqual(['lost', 'new']);
    expect(replyText(attempt.progress)).toBe('Looking.');
  });

  it('goes on from what earlier attempts spent on summaries', async () => {
    const startedAt = new Date('2026-01-01T01:00:00Z');
    const turnId = await storeTurn(database.db, { sessionId, attempt: 2, startedAt });
    const rest = { sessionId, throughTurnId: 'turn_1', summary: 'Short.' };
    const row = (id: string, outputTokens: number) => ({
      ...rest,
      id,
      usage: { ...noUsage, outputTokens },
    });
    const earlier = new Date('2026-01-01T00:59:59Z');
    await database.db.insert(compactions).values([
      { ...row('cmp_1', 1), reason: 'automatic', createdAt: earlier },
      { ...row('cmp_2', 20), reason: 'automatic', createdAt: startedAt },
      { ...row('cmp_3', 300), reason: 'requested', createdAt: startedAt },
    ]);
    const attempt = await open(turnId);
    expect(attempt.progress.overhead).toEqual({ ...noUsage, outputTokens: 20 });
    expect(attempt.progress.state.tokensUsed).toBe(0);
  });

  it('fences earlier attempts off in the log, and is fenced off by a later one', async () => {
    const turnId = await storeTurn(database.db, { sessionId, attempt: 2 });
    const attempt = await open(turnId);
    const late: TurnEvent = { type: 'step.started', step: 1, attempt: 1, seq: 9, at: '' };
    await expect(test.services.log.append(turnId, 1, [late])).rejects.toThrow(FencedError);
    await test.services.log.begin(turnId, 3);
    attempt.writer.emit({ type: 'step.started', step: 1 });
    await attempt.writer.flush(5_000);
    expect(lease.reason).toBe('lost');
    await expect(attempt.writer.commit([], [])).rejects.toThrow(FencedError);
    expect(await test.services.log.read(turnId)).toEqual([]);
  });

  it('gives the log what earlier attempts stored and could not append', async () => {
    const turnId = await storeTurn(database.db, { sessionId, attempt: 2 });
    const event = (seq: number): TurnEvent => ({
      type: 'step.started',
      step: seq,
      attempt: 1,
      seq,
      at: '',
    });
    await test.services.log.begin(turnId, 1);
    await test.services.log.append(turnId, 1, [event(1)]);
    await archiveEvents(database.db, turnId, [event(1), event(2), event(3)]);
    await open(turnId);
    expect(await test.services.log.read(turnId)).toEqual([event(1), event(2), event(3)]);
  });
});

describe('findSessionTokens', () => {
  const database = useDatabase();

  it('takes what other turns and requested summaries used, and no automatic one twice', async () => {
    const { db } = database;
    const sessionId = await storeSession(db);
    const used = (outputTokens: number) => ({ usage: { ...noUsage, outputTokens } });
    await storeTurn(db, { sessionId, status: 'completed', ...used(100) });
    const createdAt = new Date();
    const row = { sessionId, throughTurnId: 'turn_1', summary: 'Short.', createdAt };
    await db.insert(compactions).values([
      { ...row, id: 'cmp_1', reason: 'automatic', ...used(40) },
      { ...row, id: 'cmp_2', reason: 'requested', ...used(7) },
    ]);
    const earlier = await loadPastTurns(db, sessionId);
    const found = (sessionTokens: number, turns = earlier) =>
      findSessionTokens(db, { sessionId, earlier: turns }, sessionTokens);
    expect(await found(1_000)).toEqual({ usedTokens: 107, limitTokens: 1_000 });
    expect(await found(0)).toBeUndefined();
    expect(await found(1_000, [])).toEqual({ usedTokens: 0, limitTokens: 1_000 });
  });

  it('reads no turn of the database: the 400th costs what the second does', async () => {
    const { db } = database;
    const sessionId = await storeSession(db);
    await storeTurn(db, { sessionId, status: 'completed', usage: { ...noUsage, outputTokens: 3 } });
    const turns = await loadPastTurns(db, sessionId);
    await db.delete(sessions);
    const earlier = Array.from({ length: 400 }, () => turns).flat();
    const found = await findSessionTokens(db, { sessionId, earlier }, 1_000);
    expect(found).toEqual({ usedTokens: 1_200, limitTokens: 1_000 });
  });
});
