import { eq } from 'drizzle-orm';
import { newId } from '../../../src/platform/ids.js';
import type { Database } from '../../../src/storage/connection.js';
import { approvals } from '../../../src/storage/governance-schema.js';
import type { ApprovalRow, NewApproval } from '../../../src/turn/approvals/approval-writes.js';
import { turns } from '../../../src/storage/schema.js';

const HOUR_MS = 3_600_000;

/** An approval for a call of `write`, open for an hour. */
export function someApproval(more: Partial<ApprovalRow> = {}): ApprovalRow {
  const createdAt = more.createdAt ?? new Date();
  return {
    id: newId('appr'),
    turnId: 'turn_1',
    sessionId: 'sess_1',
    callId: newId('toolu'),
    kind: 'tool',
    round: 1,
    name: 'write',
    input: { file_path: 'a', content: 'x' },
    reason: 'write needs an approval in mode direct',
    decision: null,
    decidedBy: null,
    awaits: null,
    question: null,
    callState: null,
    message: null,
    editedInput: null,
    grantRule: null,
    output: null,
    files: null,
    isError: null,
    onTimeout: 'deny',
    createdAt,
    expiresAt: new Date(createdAt.getTime() + HOUR_MS),
    decidedAt: null,
    appliedAttempt: null,
    ...more,
  };
}

/** Stores an approval of a stored turn. */
export async function storeApproval(
  db: Database,
  turnId: string,
  more: Partial<NewApproval> = {},
): Promise<ApprovalRow> {
  const [turn] = await db.select().from(turns).where(eq(turns.id, turnId));
  if (turn === undefined) throw new Error(`There is no turn ${turnId}`);
  const row = { ...someApproval(), turnId, sessionId: turn.sessionId, ...more };
  const [stored] = await db.insert(approvals).values(row).returning();
  if (stored === undefined) throw new Error('The approval was not stored');
  return stored;
}
