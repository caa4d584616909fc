import { and, desc, eq, lt, type SQL } from 'drizzle-orm';
import { badCursor } from '../../http/paging/page-query.dto.js';
import { isId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { scheduleRuns } from '../../storage/automation-schema.js';
import { turns } from '../../storage/schema.js';
import { viewRun, type FoundRun, type RunView } from './view-run.js';

/** A page of runs; the token goes on after its last. */
export interface RunPage {
  runs: RunView[];
  nextCursor?: string;
}

/** Loads a page of a schedule's runs, the newest first. The page token is a run's id. */
export async function pageRuns(
  db: Queryable,
  scheduleId: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<RunPage> {
  if (cursor !== undefined && !isId('run', cursor)) throw badCursor();
  const after = cursor === undefined ? undefined : lt(scheduleRuns.id, cursor);
  // A row beyond the page shows whether another page follows.
  const found = await select(db, and(eq(scheduleRuns.scheduleId, scheduleId), after), limit + 1);
  const runs = found.slice(0, limit).map(viewRun);
  const last = found.length > limit ? runs.at(-1) : undefined;
  return { runs, ...(last === undefined ? {} : { nextCursor: last.id }) };
}

/** The run that an earlier trigger with the same idempotency key began. */
export async function findTriggered(
  db: Queryable,
  scheduleId: string,
  triggerKey: string,
): Promise<FoundRun | undefined> {
  const { scheduleId: of, triggerKey: by } = scheduleRuns;
  const [run] = await select(db, and(eq(of, scheduleId), eq(by, triggerKey)), 1);
  return run;
}

function select(db: Queryable, which: SQL | undefined, limit: number): Promise<FoundRun[]> {
  return db
    .select({ run: scheduleRuns, status: turns.status })
    .from(scheduleRuns)
    .leftJoin(turns, eq(turns.id, scheduleRuns.turnId))
    .where(which)
    .orderBy(desc(scheduleRuns.id))
    .limit(limit);
}
