import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { someApproval, storeApproval } from '../../../test/support/turn/store-approval.js';
import { storeTurn } from '../../../test/support/turn/store-turn.js';
import { FencedError } from '../../events/event-log.js';
import { TurnCommits } from '../../events/turn-commits.js';
import type { StoreWrite } from '../../storage/write-kind.js';
import { approvals } from '../../storage/governance-schema.js';
import {
  applyDecision,
  requestedEvent,
  resolvedEvent,
  insertApproval,
  cancelApprovals,
  parkTurn,
  parkedEvent,
} from './approval-writes.js';
import { turns } from '../../storage/schema.js';

describe('a fact about an approval', () => {
  const database = useDatabase();

  const store = (turnId: string, attempt: number, writes: StoreWrite[]) =>
    new TurnCommits(database.db).store({ turnId, attempt, writes, events: [], isRepeat: false });
  const rowOf = async (id: string) => {
    const [row] = await database.db.select().from(approvals).where(eq(approvals.id, id));
    return row;
  };
  const turnOf = async (id: string) => {
    const [turn] = await database.db.select().from(turns).where(eq(turns.id, id));
    return turn;
  };
  const yes = { decision: 'approve', decidedBy: 'ann', decidedAt: new Date() } as const;

  it('is stored with the parked turn, and by whoever owns the turn', async () => {
    const leaseUntil = new Date(Date.now() + 60_000);
    const turnId = await storeTurn(database.db, { attempt: 2, leaseUntil });
    const { sessionId = '' } = (await turnOf(turnId)) ?? {};
    const asked = someApproval({ turnId, sessionId });
    const writes = [insertApproval(asked), parkTurn({ attempt: 2 })];
    await expect(store(turnId, 1, writes)).rejects.toThrow(FencedError);
    expect([await rowOf(asked.id), (await turnOf(turnId))?.status]).toEqual([undefined, 'running']);
    await store(turnId, 2, writes);
    expect(await rowOf(asked.id)).toEqual(asked);
    expect(await turnOf(turnId)).toMatchObject({
      status: 'waiting',
      leaseUntil: null,
      parkedAttempt: 2,
      waitingSince: expect.any(Date),
    });
    // The turn has no worker now: the attempt that asked cannot ask again.
    await expect(store(turnId, 2, writes)).rejects.toThrow(FencedError);
  });

  it('says which attempt took note of a decision, and of no other turn’s', async () => {
    const turnId = await storeTurn(database.db);
    const ours = await storeApproval(database.db, turnId, yes);
    const theirs = await storeApproval(database.db, await storeTurn(database.db), yes);
    await store(turnId, 1, [
      applyDecision({ id: ours.id, attempt: 1 }),
      applyDecision({ id: theirs.id, attempt: 1 }),
    ]);
    expect((await rowOf(ours.id))?.appliedAttempt).toBe(1);
    expect((await rowOf(theirs.id))?.appliedAttempt).toBeNull();
  });

  it('cancels at the end of the turn whatever the turn took no note of', async () => {
    const turnId = await storeTurn(database.db, { attempt: 3 });
    const open = await storeApproval(database.db, turnId);
    const late = await storeApproval(database.db, turnId, {
      ...yes,
      editedInput: { file_path: 'b' },
      message: 'Fine.',
      grantRule: 'write',
      output: 'red',
      isError: false,
    });
    const applied = await storeApproval(database.db, turnId, { ...yes, appliedAttempt: 2 });
    const other = await storeApproval(database.db, await storeTurn(database.db));
    await store(turnId, 3, [cancelApprovals({ attempt: 3 })]);
    for (const { id } of [open, late]) {
      expect(await rowOf(id)).toMatchObject({
        decision: 'cancelled',
        decidedBy: 'server',
        decidedAt: expect.any(Date),
        message: null,
        editedInput: null,
        grantRule: null,
        output: null,
        isError: null,
        appliedAttempt: 3,
      });
    }
    expect(await rowOf(applied.id)).toEqual(applied);
    expect(await rowOf(other.id)).toEqual(other);
  });

  it('lists what its turn waits for: all that is open, in the order asked', () => {
    const asked = ['appr_1', 'appr_2', 'appr_3'].map((id) => someApproval({ id }));
    const [first, second, third] = asked;
    expect(parkedEvent(asked)).toEqual({
      type: 'turn.parked',
      approvalIds: ['appr_1', 'appr_2', 'appr_3'],
    });
    const answered = someApproval({ ...second, ...yes });
    expect(parkedEvent([first, answered, third].flatMap((one) => one ?? []))).toEqual({
      type: 'turn.parked',
      approvalIds: ['appr_1', 'appr_3'],
    });
  });

  it('is announced with what a client needs, and no more', () => {
    const expiresAt = new Date('2026-01-01T00:10:00Z');
    const asked = someApproval({ id: 'appr_1', callId: 'toolu_1', expiresAt });
    expect(requestedEvent(asked)).toEqual({
      type: 'approval.requested',
      approvalId: 'appr_1',
      callId: 'toolu_1',
      name: 'write',
      input: { file_path: 'a', content: 'x' },
      kind: 'tool',
      reason: 'write needs an approval in mode direct',
      expiresAt: '2026-01-01T00:10:00.000Z',
      onTimeout: 'deny',
    });
    const resolved = { type: 'approval.resolved', approvalId: 'appr_1', callId: 'toolu_1' };
    expect(resolvedEvent({ ...asked, ...yes })).toEqual({
      ...resolved,
      decision: 'approve',
      by: 'ann',
    });
    expect(resolvedEvent({ ...asked, ...yes, message: 'Fine.', editedInput: {} })).toEqual({
      ...resolved,
      decision: 'approve',
      by: 'ann',
      message: 'Fine.',
      input: {},
    });
    const given = { ...asked, ...yes, decision: 'answer', output: 'red', isError: false } as const;
    expect(resolvedEvent(given)).toEqual({ ...resolved, decision: 'answer', by: 'ann' });
    expect(resolvedEvent(asked)).toEqual({ ...resolved, decision: 'cancelled', by: 'server' });
  });
});
