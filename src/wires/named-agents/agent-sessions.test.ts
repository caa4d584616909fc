import { Metrics } from '../../telemetry/metrics.js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openTerms } from '../../../test/support/open-sessions.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { openTestServices, type TestServices } from '../../../test/support/turn/turn-services.js';
import { localPrincipal, type Principal, LOCAL_USER } from '../../access/principal.js';
import { BlobStore } from '../../attachments/blob-store.js';
import { DiskContents } from '../../attachments/blobs/disk-contents.js';
import { newId } from '../../platform/ids.js';
import { sessions, turns } from '../../storage/schema.js';
import { Presence } from '../../turn/lifecycle/presence.js';
import { LeftRequests } from '../../turn/submit/left-requests.js';
import { RepeatedRequests } from '../../turn/submit/repeated-requests.js';
import { TurnService } from '../../turn/turn-service.js';
import { Conversations } from '../chat/conversations.js';
import { findTurnSession, isAgentSession, AgentSessions, type Chat } from './agent-sessions.js';
import { newSession } from '../../../test/support/turn/submit.js';

const noLimits = { requestsPerMinute: 0, concurrentTurns: 0, tokensPerDay: 0, usdPerDay: 0 };
const local = localPrincipal(noLimits);
const other: Principal = { ...local, id: 'other' };

const TERM_MS = 30 * 60_000;

/** No worker runs here: a turn waits until a test ends it. */
describe('AgentSessions', () => {
  const database = useDatabase();

  let test: TestServices;
  let clock: ManualClock;
  let submitter: AgentSessions;
  beforeEach(async () => {
    await database.db.delete(sessions);
    clock = new ManualClock();
    test = await openTestServices(database, [], { clock });
    const { services } = test;
    const { db, bus, projectRoots } = services;
    const presence = new Presence(db, bus, clock, silentLogger, { disconnectGraceMs: 1_000 });
    const { audit, submitter: turnSubmitter, follower, canceller } = services;
    const service = new TurnService(
      db,
      audit,
      turnSubmitter,
      follower,
      canceller,
      presence,
      new Metrics(),
      new RepeatedRequests(db, clock, silentLogger, new LeftRequests(bus, clock)),
    );
    const conversations = new Conversations(
      service,
      services.answerer,
      services.sessions,
      projectRoots,
      openTerms(projectRoots),
      new BlobStore(db, new DiskContents(test.projectRoot), clock),
      db,
      silentLogger,
    );
    submitter = new AgentSessions(
      service,
      conversations,
      services.sessions,
      projectRoots,
      openTerms(projectRoots),
      db,
      clock,
      {
        agentSessionMs: TERM_MS,
      },
    );
  });
  afterEach(() => test.close());

  const submit = (more: Partial<Chat> = {}) =>
    submitter.submit({
      agent: 'WORKING_ITEMS',
      principal: local,
      message: 'Hello',
      sessionId: undefined,
      files: [],
      problems: [],
      idempotencyKey: undefined,
      ...more,
    });

  const endTurn = (turnId: string) =>
    database.db
      .update(turns)
      .set({ status: 'completed', endedAt: new Date(clock.now()) })
      .where(eq(turns.id, turnId));

  /** A session whose turn is over. */
  async function begin(): Promise<string> {
    const { turn, sessionId } = await submit();
    await endTurn(turn.turnId);
    return sessionId;
  }

  it('begins a session of the agent, in the root, for a while', async () => {
    const { turn, sessionId } = await submit();
    expect(await test.services.sessions.get(sessionId)).toMatchObject({
      projectRoot: test.projectRoot,
      persona: 'WORKING_ITEMS',
      mode: 'direct',
      origin: 'named-agents',
      expiresAfterMs: TERM_MS,
    });
    const { turnId } = turn;
    const found = (agent: string, principalId: string) =>
      findTurnSession(database.db, { turnId, agent, principalId });
    expect(await found('WORKING_ITEMS', LOCAL_USER)).toBe(sessionId);
    expect(await found('WORKING_ITEMS', 'other')).toBeUndefined();
    expect(await found('ANOTHER', LOCAL_USER)).toBeUndefined();
    expect(await isAgentSession(database.db, sessionId, LOCAL_USER)).toBe(true);
    expect(await isAgentSession(database.db, sessionId, 'other')).toBe(false);
  });

  it('goes on in it', async () => {
    const sessionId = await begin();
    await clock.advance(TERM_MS - 1);
    expect((await submit({ sessionId })).sessionId).toBe(sessionId);
  });

  it('begins another where it has expired, or where there is none', async () => {
    const expired = await begin();
    await clock.advance(TERM_MS);
    for (const sessionId of [expired, newId('sess')]) {
      const chat = await submit({ sessionId });
      expect(chat.sessionId).not.toBe(sessionId);
      await endTurn(chat.turn.turnId);
    }
  });

  it('begins one of the caller’s own where it is another one’s', async () => {
    const sessionId = await begin();
    const chat = await submit({ sessionId, principal: other });
    expect(chat.sessionId).not.toBe(sessionId);
    expect((await test.services.sessions.get(chat.sessionId)).principalId).toBe('other');
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, chat.turn.turnId));
    expect(turn?.principalId).toBe('other');
  });

  it('begins another where it is another agent’s, or no agent’s', async () => {
    const ofAnother = await begin();
    await database.db
      .update(sessions)
      .set({ persona: 'ANOTHER' })
      .where(eq(sessions.id, ofAnother));
    const ofHarness = await newSession(test);
    for (const sessionId of [ofAnother, ofHarness]) {
      expect((await submit({ sessionId })).sessionId).not.toBe(sessionId);
    }
    expect(await isAgentSession(database.db, ofHarness, LOCAL_USER)).toBe(false);
  });

  it('holds a second message while one is answered', async () => {
    const { sessionId } = await submit();
    const { turn } = await submit({ sessionId });
    expect(turn.disposition).toEqual({ type: 'enqueued', position: 1 });
    expect(await database.db.select().from(sessions)).toHaveLength(1);
  });

  it('joins the turn of a repeated key', async () => {
    const sessionId = await begin();
    const first = await submit({ sessionId, idempotencyKey: 'k' });
    const again = await submit({ sessionId, idempotencyKey: 'k' });
    expect(again.turn.turnId).toBe(first.turn.turnId);
  });

  it('joins the turn of a repeated key that began the session, of its own principal', async () => {
    const idempotencyKey = 'k';
    const together = Array.from({ length: 10 }, () => submit({ idempotencyKey }));
    const first = await Promise.all(together);
    await endTurn(first[0]?.turn.turnId ?? '');
    const again = await submit({ idempotencyKey });
    expect(new Set(first.map(({ turn }) => turn.turnId))).toEqual(new Set([again.turn.turnId]));
    await expect(submit({ idempotencyKey, message: 'Else' })).rejects.toMatchObject({
      type: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect((await submit({ idempotencyKey, principal: other })).sessionId).not.toBe(
      again.sessionId,
    );
    expect(await database.db.select().from(sessions)).toHaveLength(2);
    expect(await database.db.select().from(turns)).toHaveLength(2);
  });

  it('leaves no session behind when nothing comes of it', async () => {
    await expect(submit({ message: '' })).rejects.toMatchObject({ status: 400 });
    const refused = { message: '', idempotencyKey: 'k' };
    await expect(submit(refused)).rejects.toMatchObject({ status: 400 });
    expect(await database.db.select().from(sessions)).toEqual([]);
  });
});
