import { isNull, sql } from 'drizzle-orm';
import { approvals } from '../storage/governance-schema.js';
import { findLateSeconds } from '../schedules/slot-store.js';
import { turns } from '../storage/schema.js';
import type { Database } from '../storage/connection.js';
import { isUnended, type UnendedStatus } from './unended-turns.js';

/** Work that waits in the whole deployment. */
export interface Waiting {
  /** Turns that have not ended. */
  turns: Record<UnendedStatus, number>;
  /** Age of the oldest queued turn, in seconds; 0 without one. */
  oldestSeconds: number;
  /** Approvals that nobody has answered. */
  approvals: number;
  /** Age of the oldest slot of a schedule that is due, in seconds; 0 without one. */
  lateSeconds: number;
}

/** Counts turns and approvals. The cost grows with the unended ones: both have an index of no others. */
export async function countWaiting(db: Database): Promise<Waiting> {
  const [rows, open, lateSeconds] = await Promise.all([
    db
      .select({
        status: turns.status,
        depth: sql`count(*)`.mapWith(Number),
        seconds: sql`extract(epoch from now() - min(${turns.createdAt}))`.mapWith(Number),
      })
      .from(turns)
      .where(isUnended)
      .groupBy(turns.status),
    db.$count(approvals, isNull(approvals.decision)),
    findLateSeconds(db),
  ]);
  const depthOf = (status: UnendedStatus): number =>
    rows.find((row) => row.status === status)?.depth ?? 0;
  return {
    turns: {
      held: depthOf('held'),
      queued: depthOf('queued'),
      running: depthOf('running'),
      waiting: depthOf('waiting'),
    },
    oldestSeconds: Math.max(0, rows.find(({ status }) => status === 'queued')?.seconds ?? 0),
    approvals: open,
    lateSeconds,
  };
}
