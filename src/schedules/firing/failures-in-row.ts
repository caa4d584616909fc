import { and, desc, eq, gte, inArray, or } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { scheduleRuns } from '../../storage/automation-schema.js';
import { turns } from '../../storage/schema.js';
import type { ScheduleRow } from '../schedule-row.js';

/** Failures in a row after which a schedule is paused. */
export const MOST_FAILURES = 5;

/** Whether the last runs that came to an end all failed, as many as pause a schedule. */
export async function hasFailedTooOften(
  db: Queryable,
  { id, failuresFrom }: Pick<ScheduleRow, 'id' | 'failuresFrom'>,
): Promise<boolean> {
  const { scheduleId, outcome, createdAt } = scheduleRuns;
  const ended = await db
    .select({ outcome, status: turns.status })
    .from(scheduleRuns)
    .leftJoin(turns, eq(turns.id, scheduleRuns.turnId))
    .where(
      and(
        eq(scheduleId, id),
        gte(createdAt, failuresFrom),
        or(
          eq(outcome, 'refused'),
          inArray(turns.status, ['completed', 'limited', 'interrupted', 'failed']),
        ),
      ),
    )
    .orderBy(desc(scheduleRuns.id))
    .limit(MOST_FAILURES);
  const failed = ended.filter((run) => run.outcome === 'refused' || run.status === 'failed');
  return failed.length === MOST_FAILURES;
}
