import { and, eq } from 'drizzle-orm';
import { turns } from '../../storage/schema.js';
import { hasStatus } from './has-status.js';

/** Rows of a turn that this attempt may still write. A held turn is only ever ended. */
export function ownedBy(turnId: string, attempt: number) {
  return and(eq(turns.id, turnId), eq(turns.attempt, attempt), hasStatus('running', 'held'));
}
