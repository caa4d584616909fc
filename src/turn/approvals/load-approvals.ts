import { asc, eq } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import type { ApprovalRow } from './approval-writes.js';

/** The approvals of a turn's calls, in the order they were requested. */
export function loadApprovals(db: Queryable, turnId: string): Promise<ApprovalRow[]> {
  return db
    .select()
    .from(approvals)
    .where(eq(approvals.turnId, turnId))
    .orderBy(asc(approvals.createdAt), asc(approvals.id));
}
