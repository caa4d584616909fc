import { somebody } from '../../../test/support/access/somebody.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { storeApproval } from '../../../test/support/turn/store-approval.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { approvals, auditLog } from '../../storage/governance-schema.js';
import { sessions } from '../../storage/schema.js';
import { openTestServices } from '../../../test/support/turn/turn-services.js';
import { ApprovalStore } from './approval-store.js';
import type { AnswerInput, NewApproval } from './approval-writes.js';
import { type ApprovalQueryDto, viewApproval } from './approval.dto.js';
import { useShared } from '../../../test/support/suite.js';

describe('ApprovalStore', () => {
  const database = useDatabase();
  const store = useShared(() => new ApprovalStore(database.db));
  beforeEach(async () => {
    await database.db.delete(sessions);
  });

  const newSession = () => storeSession(database.db);
  const newTurn = (sessionId?: string) =>
    storeTurn(database.db, {
      status: 'waiting',
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  const ask = (turnId: string, more: Partial<NewApproval> = {}) =>
    storeApproval(database.db, turnId, more);
  const inMs = (ms: number): Date => new Date(Date.now() + ms);
  const isOpen = async (id: string) => (await store.get(id)).decision === null;

  describe('at a deadline', () => {
    it.each(['approve', 'deny'] as const)(
      'decides what was to be decided: %s',
      async (decision) => {
        const late = await ask(await newTurn(), { expiresAt: inMs(-1), onTimeout: decision });
        const early = await ask(await newTurn(), { expiresAt: inMs(60_000), onTimeout: decision });
        expect(await store.expire()).toBe(1);
        expect(await store.get(late.id)).toEqual({
          ...late,
          decision,
          decidedBy: 'deadline',
          decidedAt: expect.any(Date),
        });
        expect(await isOpen(early.id)).toBe(true);
        expect(await store.expire()).toBe(0);
      },
    );

    it('leaves what a person has said', async () => {
      const { id } = await ask(await newTurn(), { expiresAt: inMs(-1), onTimeout: 'deny' });
      const given = {
        decision: 'approve',
        message: null,
        editedInput: null,
        grantRule: null,
        output: null,
        files: null,
        isError: null,
      };
      const answered = await store.answer(id, { ...given, decision: 'approve', by: 'ann' });
      expect(await store.expire()).toBe(0);
      expect(await store.get(id)).toEqual(answered);
    });

    it('is not answered after it', async () => {
      const { id } = await ask(await newTurn(), { expiresAt: inMs(-1) });
      await store.expire();
      const decided = await store.get(id);
      const given = {
        message: null,
        editedInput: null,
        grantRule: null,
        output: null,
        files: null,
        isError: null,
        by: 'ann',
      };
      expect(await store.answer(id, { decision: 'approve', ...given })).toBeUndefined();
      expect(await store.get(id)).toEqual(decided);
    });
  });

  describe('lists', () => {
    const list = async ({
      principalId = 'local',
      ...more
    }: Partial<ApprovalQueryDto & { principalId: string }> = {}): Promise<string[]> => {
      const query = { status: 'pending', limit: 100, ...more } as const;
      const { approvals: found } = await store.page(principalId, query);
      return found.map(({ approvalId }) => approvalId);
    };

    it('what is open, in the order it was asked, or all', async () => {
      const turnId = await newTurn();
      const second = await ask(turnId, { createdAt: inMs(-1_000) });
      const third = await ask(turnId, { createdAt: inMs(0) });
      const first = await ask(turnId, { createdAt: inMs(-2_000), decision: 'deny' });
      expect(await list()).toEqual([second.id, third.id]);
      expect(await list({ status: 'all' })).toEqual([first.id, second.id, third.id]);
    });

    it('what is the caller’s only', async () => {
      const sessionId = await newSession();
      const { id } = await ask(await newTurn(sessionId));
      await ask(await newTurn());
      await database.db
        .update(sessions)
        .set({ principalId: 'ann' })
        .where(eq(sessions.id, sessionId));
      expect(await list({ principalId: 'ann' })).toEqual([id]);
      expect(await list({ principalId: 'ann', sessionId })).toEqual([id]);
      expect(await list({ principalId: 'bob', sessionId })).toEqual([]);
      expect(await list()).toHaveLength(1);
    });

    it('of a turn', async () => {
      const turnId = await newTurn();
      const { id } = await ask(turnId);
      await ask(await newTurn());
      expect(await list({ turnId })).toEqual([id]);
    });

    it('of a session and of the subagents below it, and of none beside or above', async () => {
      const top = await newSession();
      const topTurn = await newTurn(top);
      const child = await storeSession(database.db);
      const grandchild = await storeSession(database.db);
      const childTurn = await newTurn(child);
      await below(child, topTurn);
      await below(grandchild, childTurn);
      const asked = [
        await ask(topTurn),
        await ask(childTurn),
        await ask(await newTurn(grandchild)),
      ].map(({ id }) => id);
      await ask(await newTurn());
      expect((await list({ sessionId: top })).sort()).toEqual([...asked].sort());
      expect((await list({ sessionId: child })).sort()).toEqual(asked.slice(1).sort());
      expect(await list({ sessionId: grandchild })).toEqual(asked.slice(2));
    });

    it('in pages that neither repeat nor skip, also of one instant', async () => {
      const turnId = await newTurn();
      const createdAt = new Date();
      for (let count = 0; count < 7; count += 1) await ask(turnId, { createdAt });
      const seen: string[] = [];
      for (;;) {
        const page = await list({ limit: 3, cursor: seen.at(-1) });
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen).toHaveLength(7);
      expect(new Set(seen).size).toBe(7);
      const pending = seen[2] ?? '';
      await database.db
        .update(approvals)
        .set({ decision: 'deny' })
        .where(eq(approvals.id, pending));
      // The page goes on behind one that is not open any more.
      expect(await list({ cursor: pending })).toEqual(seen.slice(3));
    });

    const below = async (sessionId: string, parentTurnId: string) =>
      database.db.update(sessions).set({ parentTurnId }).where(eq(sessions.id, sessionId));
  });
});

describe('approvals as clients see them', () => {
  const database = useDatabase();
  const test = useShared(() => openTestServices(database, []));
  const store = useShared(() => new ApprovalStore(database.db));
  const answer = (approvalId: string, given: AnswerInput, by: string) =>
    test.services.answerer.answerOne({ approvalId, given }, somebody(by));

  it('gives pages, and says where the next one begins as long as there is one', async () => {
    const turnId = await storeTurn(database.db, { status: 'waiting' });
    for (let count = 0; count < 5; count += 1) await storeApproval(database.db, turnId);
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const asked = { turnId, status: 'pending', limit: 2, cursor } as const;
      const page: { approvals: unknown[]; nextCursor?: string } = await store.page('local', asked);
      sizes.push(page.approvals.length);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('shows an approval without what is not the client’s to know', async () => {
    const turnId = await storeTurn(database.db, { status: 'waiting' });
    const { id, callId, sessionId } = await storeApproval(database.db, turnId);
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    const open = {
      approvalId: id,
      turnId,
      sessionId,
      toolUseId: callId,
      kind: 'tool',
      name: 'write',
      input: { file_path: 'a', content: 'x' },
      reason: 'write needs an approval in mode direct',
      status: 'pending',
      onTimeout: 'deny',
      createdAt: time,
      expiresAt: time,
    };
    expect(viewApproval(await store.get(id))).toEqual(open);
    const given = { decision: 'deny', message: 'No.', input: undefined, rule: undefined } as const;
    expect(viewApproval(await answer(id, given, 'ann'))).toEqual({
      ...open,
      status: 'resolved',
      decision: 'deny',
      by: 'ann',
      message: 'No.',
      editedInput: null,
      decidedAt: time,
    });
  });

  it('writes an answer down, and the same answer again not', async () => {
    const turnId = await storeTurn(database.db, { status: 'waiting' });
    const { id } = await storeApproval(database.db, turnId);
    const input = { file_path: 'b', content: 'y' };
    const given = { decision: 'approve', message: undefined, input, rule: undefined } as const;
    await answer(id, given, 'ann');
    await answer(id, given, 'ann');
    const { principalId, action, details } = auditLog;
    const entries = await database.db
      .select({ principalId, action, details })
      .from(auditLog)
      .where(eq(auditLog.subject, id));
    expect(entries).toEqual([
      {
        principalId: 'ann',
        action: 'approval.answered',
        details: {
          decision: 'approve',
          turnId,
          tool: 'write',
          edited: true,
          credential: { kind: 'key', id: 'key_ann' },
        },
      },
    ]);
  });
});
