import type { scheduleRuns, schedules } from '../storage/automation-schema.js';

export type ScheduleRow = typeof schedules.$inferSelect;
export type RunRow = typeof scheduleRuns.$inferSelect;
export type NewRun = typeof scheduleRuns.$inferInsert;
