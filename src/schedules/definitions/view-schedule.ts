import type { Overlap, PauseReason } from '../../storage/automation-schema.js';
import type { ScheduleRow } from '../schedule-row.js';

/** A schedule as its principal sees it. Times are ISO-8601. */
export interface ScheduleView {
  id: string;
  key: string;
  cron: string;
  tz: string;
  /** `new`, or the id of the session of all its turns. */
  session: string;
  agent: string | null;
  projectRoot: string | null;
  message: string;
  opts: Record<string, unknown>;
  overlap: Overlap;
  catchUpMs: number;
  /** Null: it is paused. */
  nextAt: string | null;
  pausedAt: string | null;
  pauseReason: PauseReason | null;
  createdAt: string;
  updatedAt: string;
}

export function viewSchedule(schedule: ScheduleRow): ScheduleView {
  const { id, key, cron, tz, sessionId, agent, projectRoot, message, opts } = schedule;
  const { overlap, catchUpMs, pausedAt, pauseReason, nextAt } = schedule;
  return {
    id,
    key,
    cron,
    tz,
    session: sessionId ?? 'new',
    agent,
    projectRoot,
    message,
    opts: opts ?? {},
    overlap,
    catchUpMs,
    nextAt: pausedAt === null ? nextAt.toISOString() : null,
    pausedAt: pausedAt?.toISOString() ?? null,
    pauseReason,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}
