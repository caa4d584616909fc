import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { StoredPart } from '../attachments/stored-part.js';
import type { StepStopReason, ToolStatus, TurnEvent, Usage } from '../events/turn-event.js';
import type { OptionResolution } from '../options/resolve-options.js';
import type { AssistantPart } from '../provider/model-types.js';

/**
 * The system of record. Columns are added by migrations in `migrations/`, never by this file.
 *
 * `json`, not `jsonb`: it keeps the order of keys (what a model was sent once is sent again to the
 * letter, or its prompt cache is lost) and takes every string a tool can print, NUL included.
 */

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

export const sessions = pgTable('sessions', {
  id: text('id').primaryKey(),
  projectRoot: text('project_root').notNull(),
  persona: text('persona').notNull(),
  mode: text('mode').notNull(),
  claudeSessionId: text('claude_session_id'),
  bootFingerprint: text('boot_fingerprint'),
  bootedAt: instant('booted_at'),
  model: text('model'),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
});

export type TurnStatus = 'queued' | 'running' | 'completed' | 'limited' | 'interrupted' | 'failed';

/** What the client asked for, kept as it was accepted. */
export interface TurnRequest {
  message: string;
  opts: unknown;
  attachments: string[];
  /** Files that were named and not taken; the client is told. */
  rejectedAttachments: { name: string; reason: string }[];
}

/** Why a turn was asked to stop. `deadline` is the turn's own time limit. */
export type CancelReason = 'interrupt' | 'disconnect' | 'session-deleted';

export interface TurnFailure {
  errorType: string;
  message: string;
  status: number;
  details?: unknown;
}

export const turns = pgTable(
  'turns',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    status: text('status').$type<TurnStatus>().notNull(),
    /** Workers that claimed it so far; the fence of every later write. */
    attempt: integer('attempt').notNull().default(0),
    leaseUntil: instant('lease_until'),
    request: json('request').$type<TurnRequest>().notNull(),
    requestHash: text('request_hash').notNull(),
    idempotencyKey: text('idempotency_key'),
    options: json('options').$type<OptionResolution>().notNull(),
    usage: json('usage').$type<Usage>(),
    exitCode: integer('exit_code'),
    endReason: text('end_reason'),
    failure: json('failure').$type<TurnFailure>(),
    cancelRequestedAt: instant('cancel_requested_at'),
    cancelReason: text('cancel_reason').$type<CancelReason>(),
    createdAt: instant('created_at').notNull(),
    startedAt: instant('started_at'),
    endedAt: instant('ended_at'),
  },
  (turn) => [
    // The lock: one active turn per session. Nothing to leak, no time to live to tune.
    uniqueIndex('turns_one_active_per_session')
      .on(turn.sessionId)
      .where(sql`status in ('queued', 'running')`),
    uniqueIndex('turns_idempotency').on(turn.sessionId, turn.idempotencyKey),
    index('turns_by_session').on(turn.sessionId, turn.createdAt),
    index('turns_active')
      .on(turn.status)
      .where(sql`status in ('queued', 'running')`),
  ],
);

export const messages = pgTable(
  'messages',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    role: text('role').$type<'user' | 'assistant'>().notNull(),
    /** What a user said. An assistant's message is the turn's steps. */
    parts: json('parts').$type<StoredPart[]>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (message) => [index('messages_by_session').on(message.sessionId, message.createdAt)],
);

export const steps = pgTable(
  'steps',
  {
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    step: integer('step').notNull(),
    attempt: integer('attempt').notNull(),
    parts: json('parts').$type<AssistantPart[]>().notNull(),
    stopReason: text('stop_reason').$type<StepStopReason>().notNull(),
    usage: json('usage').$type<Usage>().notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at').notNull(),
  },
  (step) => [primaryKey({ columns: [step.turnId, step.step] })],
);

/** `claimed`: it may have run. Every other status is final. */
export type ToolCallStatus = 'claimed' | ToolStatus;

export const toolCalls = pgTable(
  'tool_calls',
  {
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    callId: text('call_id').notNull(),
    step: integer('step').notNull(),
    attempt: integer('attempt').notNull(),
    name: text('name').notNull(),
    input: json('input').$type<unknown>().notNull(),
    status: text('status').$type<ToolCallStatus>().notNull(),
    output: json('output').$type<string>(),
    durationMs: integer('duration_ms'),
    claimedAt: instant('claimed_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (call) => [primaryKey({ columns: [call.turnId, call.callId] })],
);

/** Events of a turn in the order they were said, in runs of one attempt. */
export const turnArchives = pgTable(
  'turn_archives',
  {
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    attempt: integer('attempt').notNull(),
    firstSeq: integer('first_seq').notNull(),
    events: json('events').$type<TurnEvent[]>().notNull(),
  },
  (run) => [primaryKey({ columns: [run.turnId, run.attempt, run.firstSeq] })],
);

/**
 * A process that has readers of a turn, with its lease. No foreign key: a row of a turn that was
 * deleted meanwhile must not fail the renewal of all others.
 */
export const turnReaders = pgTable(
  'turn_readers',
  {
    turnId: text('turn_id').notNull(),
    processId: text('process_id').notNull(),
    until: instant('until').notNull(),
    /** Its last reader left; it counts until then. */
    hasLeft: boolean('has_left').notNull(),
  },
  (reader) => [primaryKey({ columns: [reader.turnId, reader.processId] })],
);
