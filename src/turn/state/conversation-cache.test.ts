import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { newTurn } from '../../../test/support/turn/new-turn.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { openTestServices, type TestServices } from '../../../test/support/turn/turn-services.js';
import { sessions } from '../../storage/schema.js';
import { Metrics } from '../../telemetry/metrics.js';
import { openAttempt } from '../attempt/open-attempt.js';
import { announceStart } from '../attempt/start-events.js';
import { rememberConversation } from '../prompt/remember-conversation.js';
import { storeClientTurns } from '../submit/client-turns.js';
import type { Attempt } from './attempt.js';
import { ConversationCache } from './conversation-cache.js';
import { Lease } from './lease.js';
import { getTurn } from './turn-row.js';

describe('ConversationCache', () => {
  const database = useDatabase();
  let test: TestServices;
  beforeEach(async () => {
    test = await openTestServices(database, []);
  });
  afterEach(() => test.close());

  async function loadSession(sessionId: string) {
    const [session] = await database.db.select().from(sessions).where(eq(sessions.id, sessionId));
    if (session === undefined) throw new Error('There is no session');
    return session;
  }

  /** A turn of a session as a worker has claimed it: it has not begun. */
  async function claim(
    sessionId: string,
    status: 'running' | 'held' = 'running',
  ): Promise<Attempt> {
    const turnId = await storeTurn(database.db, { sessionId, status, attempt: 1 });
    const claimed = {
      ...(await getTurn(database.db, turnId)),
      session: await loadSession(sessionId),
      userParts: [{ type: 'text' as const, text: 'Hello' }],
      wasAnnounced: false,
      hasHistory: true,
      worker: null,
      todos: null,
      compaction: null,
      grants: [],
    };
    return openAttempt(test.services.attempts, claimed, { lease: new Lease() });
  }

  async function run(sessionId: string): Promise<Attempt> {
    const attempt = await claim(sessionId);
    await announceStart(attempt);
    return attempt;
  }

  const idsOf = (turns: ReturnType<ConversationCache['take']>) => turns?.map(({ turn }) => turn.id);

  it('gives a conversation back once, to the turn after the one that it ends with', async () => {
    const { conversations } = test.services.attempts;
    const sessionId = await storeSession(database.db);
    const attempt = await run(sessionId);
    rememberConversation(attempt, 'end_turn');
    const session = await loadSession(sessionId);
    expect(idsOf(conversations.take(session))).toEqual([attempt.turn.id]);
    expect(conversations.take(session)).toBeUndefined();
  });

  it('does not know a conversation that went on elsewhere, or that the turn changed', async () => {
    const { conversations } = test.services.attempts;
    const sessionId = await storeSession(database.db);
    const attempt = await run(sessionId);
    const progress = { ...attempt.progress, hasElidedEarlier: true };
    rememberConversation({ ...attempt, progress }, 'end_turn');
    expect(conversations.take(await loadSession(sessionId))).toBeUndefined();
    for (const change of [{ headTurnId: 'turn_other' }, { updatedAt: new Date(0) }]) {
      rememberConversation(attempt, 'end_turn');
      const session = await loadSession(sessionId);
      expect(conversations.take({ ...session, ...change })).toBeUndefined();
    }
  });

  it.each(['one after the other', 'in one statement'])(
    'knows none where a held turn ended as the turn began: %s',
    async (how) => {
      const { conversations } = test.services.attempts;
      const sessionId = await storeSession(database.db);
      const attempt = await claim(sessionId);
      const held = announceStart(await claim(sessionId, 'held'));
      if (how === 'one after the other') await held;
      await Promise.all([held, announceStart(attempt)]);
      rememberConversation(attempt, 'end_turn');
      const session = await loadSession(sessionId);
      expect(session.headTurnId).toBeNull();
      expect(conversations.take(session)).toBeUndefined();
    },
  );

  it('knows none where a client sent its own turns between the claim and the start of a turn', async () => {
    const { conversations } = test.services.attempts;
    const sessionId = await storeSession(database.db);
    const attempt = await claim(sessionId);
    await storeClientTurns(database.db, {
      ...newTurn(sessionId, { now: new Date() }),
      clientTurns: [{ parts: [{ type: 'text', text: 'Before' }], replies: [] }],
    });
    await announceStart(attempt);
    rememberConversation(attempt, 'end_turn');
    expect(conversations.take(await loadSession(sessionId))).toBeUndefined();
  });

  it.each([0, 0.002, 0.01])('has at most so many MiB, and those used last: %d', async (mib) => {
    const metrics = new Metrics();
    const conversations = new ConversationCache({ conversationCacheMb: mib }, metrics);
    const gauge = async () => (await metrics.conversationCacheBytes.get()).values[0]?.value;
    const attempt = await run(await storeSession(database.db));
    const { session, turn } = attempt;
    rememberConversation(attempt, 'end_turn');
    const turns = test.services.attempts.conversations.take({
      ...session,
      headTurnId: turn.id,
      updatedAt: attempt.beganAt,
    });
    const known = (id: string) => ({ ...session, id, headTurnId: turn.id });
    const ids = Array.from({ length: 60 }, (_, index) => `sess_${index}`);
    for (const id of ids) {
      conversations.remember(id, {
        headTurnId: turn.id,
        headBeganAt: session.updatedAt,
        turns: turns ?? [],
      });
    }
    const bytes = JSON.stringify(turns?.[0]).length * 4;
    const fit = Math.floor((mib * 2 ** 20) / bytes);
    expect(await gauge()).toBe(fit * bytes);
    const kept = ids.filter((id) => conversations.take(known(id)) !== undefined);
    expect(kept).toEqual(ids.slice(ids.length - fit));
    expect(await gauge()).toBe(0);
    expect((await metrics.conversationCache.get()).values).toEqual([
      { labels: { outcome: 'hit' }, value: fit },
      { labels: { outcome: 'miss' }, value: ids.length - fit },
    ]);
  });
});
