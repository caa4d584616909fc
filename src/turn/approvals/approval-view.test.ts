import { ApprovalStore } from './approval-store.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { openTestDatabase } from '../../../test/support/database/database.js';
import { storeApproval } from '../../../test/support/turn/store-approval.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { openTestServices, type TestServices } from '../../../test/support/turn/turn-services.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { auditLog } from '../../storage/governance-schema.js';
import type { GivenAnswer } from './approval-answerer.js';
import { viewApproval } from './approval.dto.js';

describe('approvals as clients see them', () => {
  let database: OpenedDatabase;
  let test: TestServices;
  let store: ApprovalStore;
  beforeAll(async () => {
    database = await openTestDatabase();
    test = await openTestServices(database, []);
    store = new ApprovalStore(database.db);
  });
  const answer = (approvalId: string, given: GivenAnswer, by: string) =>
    test.services.answerer.answerOne({ approvalId, given }, by);
  afterAll(async () => {
    await test.close();
    await database.close();
  });

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
        details: { decision: 'approve', turnId, tool: 'write', edited: true },
      },
    ]);
  });
});
