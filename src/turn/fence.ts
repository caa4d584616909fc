import { and, eq } from 'drizzle-orm';
import { turns } from '../storage/schema.js';

/** Rows of a turn that this attempt may still write. */
export function ownedBy(turnId: string, attempt: number) {
  return and(eq(turns.id, turnId), eq(turns.attempt, attempt), eq(turns.status, 'running'));
}
