import { asc, eq } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import type { ApprovalRow } from './approval-writes.js';

/** What was asked of people about a turn's calls, the first question first. */
export function loadApprovals(db: Queryable, turnId: string): Promise<ApprovalRow[]> {
  return db
    .select()
    .from(approvals)
    .where(eq(approvals.turnId, turnId))
    .orderBy(asc(approvals.createdAt), asc(approvals.id));
}
