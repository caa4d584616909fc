import { sql } from 'drizzle-orm';
import { index, integer, json, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ErrorCode } from '../errors/error-table.js';
import { instant } from './instant.js';
import { jsonString } from './json-string.js';

/** Tables of schedules: turns that principals want at times of a zone's clock, and what became of each. */

/** The fate of a slot while the schedule's turn before it has not ended. */
export const overlaps = ['skip', 'queueOne', 'allow'] as const;
export type Overlap = (typeof overlaps)[number];

/**
 * `requested`: by its principal; `failures`: too many in a row; `key`: the key that it acts with is not valid;
 * `times`: its expression or its zone is not understood any more.
 */
export const pauseReasons = ['requested', 'failures', 'key', 'times'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** `submitted`: there is a turn; `skipped`: it would have overlapped; `missed`: nothing ran at the time. */
export const runOutcomes = ['submitted', 'skipped', 'refused', 'missed'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

export interface RunError {
  type: ErrorCode;
  message: string;
}

export const schedules = pgTable(
  'schedules',
  {
    id: text('id').primaryKey(),
    principalId: text('principal_id').notNull(),
    /** The principal's own name for it. */
    key: text('key').notNull(),
    /** The API key that it acts with: the last that set it up; null: none, on a server without keys. */
    keyId: text('key_id'),
    cron: text('cron').notNull(),
    tz: text('tz').notNull(),
    /** The session of its turns; null: a new one for each. */
    sessionId: text('session_id'),
    /** Persona of its new sessions; null: the default. */
    agent: text('agent'),
    /** Folder of its new sessions; null: the principal's own. */
    projectRoot: text('project_root'),
    message: jsonString('message').notNull(),
    opts: json('opts').$type<Record<string, unknown>>(),
    overlap: text('overlap').$type<Overlap>().notNull(),
    catchUpMs: integer('catch_up_ms').notNull(),
    /** The first slot without an outcome. */
    nextAt: instant('next_at').notNull(),
    /** A process sees to the slot until then; null: none. */
    leasedUntil: instant('leased_until'),
    /** Number of changes so far; the fence of what a process stores about a slot. */
    revision: integer('revision').notNull().default(1),
    /** Null: it is not paused. */
    pausedAt: instant('paused_at'),
    pauseReason: text('pause_reason').$type<PauseReason>(),
    /** Earlier runs do not count as failures in a row. */
    failuresFrom: instant('failures_from').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (schedule) => [
    uniqueIndex('schedules_by_key').on(schedule.principalId, schedule.key),
    index('schedules_due')
      .on(schedule.nextAt)
      .where(sql`paused_at is null`),
  ],
);

/** What became of slots. No row refers to its turn by a foreign key: it is kept when the session goes. */
export const scheduleRuns = pgTable(
  'schedule_runs',
  {
    /** Later runs have later ids. */
    id: text('id').primaryKey(),
    scheduleId: text('schedule_id')
      .notNull()
      .references(() => schedules.id, { onDelete: 'cascade' }),
    cause: text('cause').$type<'slot' | 'trigger'>().notNull(),
    /** Of a trigger: its time. Of missed slots: the first. */
    slot: instant('slot').notNull(),
    /** The `Idempotency-Key` of a trigger; null: none. */
    triggerKey: text('trigger_key'),
    outcome: text('outcome').$type<RunOutcome>().notNull(),
    turnId: text('turn_id'),
    sessionId: text('session_id'),
    error: json('error').$type<RunError>(),
    /** Number of missed slots, of which this is the record. */
    missed: integer('missed'),
    /** The slot after the last that was missed. */
    missedUntil: instant('missed_until'),
    createdAt: instant('created_at').notNull(),
  },
  (run) => [
    uniqueIndex('schedule_runs_one_per_slot')
      .on(run.scheduleId, run.slot)
      .where(sql`cause = 'slot'`),
    uniqueIndex('schedule_runs_one_per_trigger').on(run.scheduleId, run.triggerKey),
    index('schedule_runs_by_time').on(run.scheduleId, run.id),
    index('schedule_runs_old').on(run.createdAt),
    index('schedule_runs_by_turn')
      .on(run.turnId)
      .where(sql`turn_id is not null`),
  ],
);
