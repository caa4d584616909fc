import { sql } from 'drizzle-orm';
import {
  boolean,
  customType,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import type { StoredPart } from '../attachments/show/stored-part.js';
import type { StepStopReason, ToolStatus, TurnEvent, Usage } from '../events/turn-event.js';
import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import type { InheritedPermissions } from '../governance/permissions/inherited-permissions.js';
import type { DayLimits } from '../governance/limits/day-budget.js';
import type { PermissionRules } from '../governance/permissions/permission-rules.js';
import type { SubagentDecision } from '../governance/permissions/subagent-gate.js';
import type { OptionResolution } from '../options/resolve-options.js';
import type { RetryAdvice } from '../platform/retry-advice.js';
import type { AssistantPart } from '../provider/model-types.js';
import { instant } from './instant.js';
import type { LeftOut, RequestPrefix, SentPrefix } from './sent-request.js';

/**
 * The system of record. Columns are added by migrations in `migrations/`, never by this file.
 *
 * `json`, not `jsonb`: it keeps the order of keys (what a model was sent once is sent again to the
 * letter, or its prompt cache is lost) and takes every string a tool can print, NUL included.
 */

/**
 * A string in a `json` column. The query builder's own takes a string it reads for JSON that is not
 * parsed yet: a tool's output that is JSON itself would come back as an object.
 */
export const jsonString = customType<{ data: string; driverData: unknown }>({
  dataType: () => 'json',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
});

/** The wire that made a session. */
export type SessionOrigin = 'harness' | 'oracle' | 'named-agents' | 'ag-ui' | 'ai-sdk';

export const sessions = pgTable('sessions', {
  id: text('id').primaryKey(),
  projectRoot: text('project_root').notNull(),
  persona: text('persona').notNull(),
  /** The permission mode of turns that name none; a text that is no mode means `plan`. */
  mode: text('mode').notNull(),
  /** A subagent's session has its parent's. */
  origin: text('origin').$type<SessionOrigin>().notNull().default('harness'),
  claudeSessionId: text('claude_session_id'),
  bootFingerprint: text('boot_fingerprint'),
  bootedAt: instant('booted_at'),
  model: text('model'),
  /** Limits that were set when it was made; null: none. */
  agentConfig: json('agent_config').$type<Partial<AgentConfig>>(),
  /** How long it is kept without use; null: until it is deleted. */
  expiresAfterMs: integer('expires_after_ms'),
  /** Whose it is. */
  principalId: text('principal_id').notNull().default('local'),
  /** Of a subagent: the turn that delegated; it goes with that one's session. */
  parentTurnId: text('parent_turn_id').references((): AnyPgColumn => turns.id, {
    onDelete: 'cascade',
  }),
  /** Rules for its tools, before the agent's and after the server's; null: none. */
  permissions: json('permissions').$type<PermissionRules>(),
  /** MCP servers of its turns by name, credentials among it: never shown, never logged. */
  mcpServers: json('mcp_servers').$type<Record<string, unknown>>(),
  /** What its requests begin with; null before the first. */
  prefix: json('prefix').$type<RequestPrefix>(),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/**
 * `held`: accepted, behind another turn of its session. `waiting`: for a person, with no worker.
 * The last four are final.
 */
export type TurnStatus =
  | 'held'
  | 'queued'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'limited'
  | 'interrupted'
  | 'failed';

/** Of the turn that holds its session's lock. */
export const activeStatuses = ['queued', 'running', 'waiting'] as const;

/** Of every turn that has not ended. */
export const unendedStatuses = ['held', ...activeStatuses] as const;

/** What the client asked for, kept as it was accepted. */
export interface TurnRequest {
  message: string;
  opts: unknown;
  attachments: string[];
  /** Files that were named and not taken; the client is told. */
  rejectedAttachments: { name: string; reason: string; index?: number }[];
  /** Of the HTTP request it came with, for the lines of the log; absent in turns of earlier versions. */
  requestId?: string;
}

/** Why a turn was asked to stop. `deadline` is the turn's own time limit. */
export type CancelReason =
  | 'interrupt'
  | 'disconnect'
  | 'session-deleted'
  | 'superseded'
  | 'parent-ended';

/** What is stored of the error that ended a turn. Turns of earlier versions have no advice. */
export interface TurnFailure extends Partial<RetryAdvice> {
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
    /** Attempts in a row that stored nothing new, the last one included. */
    attemptsInVain: integer('attempts_in_vain').notNull().default(0),
    leaseUntil: instant('lease_until'),
    request: json('request').$type<TurnRequest>().notNull(),
    requestHash: text('request_hash').notNull(),
    idempotencyKey: text('idempotency_key'),
    options: json('options').$type<OptionResolution>().notNull(),
    /** Whether it may delegate, and to whom; null for turns of earlier versions. */
    delegation: json('delegation').$type<SubagentDecision>(),
    /** Whose it is; its session's owner. */
    principalId: text('principal_id').notNull().default('local'),
    /** Of a subagent: the turn that delegated, and its call. */
    parentTurnId: text('parent_turn_id').references((): AnyPgColumn => turns.id, {
      onDelete: 'cascade',
    }),
    parentCallId: text('parent_call_id'),
    /** Of a subagent: what it may do by its parent's leave. */
    childTerms: json('child_terms').$type<InheritedPermissions>(),
    /** What its principal may use on a day, as its key had it when it was accepted; null: any amount. */
    budget: json('budget').$type<DayLimits>(),
    /** Among the held ones of its session it goes before all that do not. */
    goesFirst: boolean('goes_first').notNull().default(false),
    /** Another turn of the session is held behind it: its end lets that one go. */
    hasNext: boolean('has_next').notNull().default(false),
    /** Since when it waits for a person; null while it does not. */
    waitingSince: instant('waiting_since'),
    /** Time it has waited for people, which is not its own. */
    waitedMs: integer('waited_ms').notNull().default(0),
    /** The attempt that handed it back in order; the next one recovers nothing. */
    parkedAttempt: integer('parked_attempt'),
    /** Messages that joined it so far: a turn does not end on one it has not seen. */
    joinedMessages: integer('joined_messages').notNull().default(0),
    usage: json('usage').$type<Usage>(),
    exitCode: integer('exit_code'),
    endReason: text('end_reason'),
    /** What the reply says about a limit that ended it; null where none did. */
    endNote: text('end_note'),
    failure: json('failure').$type<TurnFailure>(),
    /** Why the model is not shown it in later turns; null: it is. */
    leftOut: text('left_out').$type<LeftOut>(),
    /** The step up to which outputs are cut because the provider said that the prompt is too long. */
    elidedThrough: integer('elided_through').notNull().default(0),
    /** What replies cost that were discarded for another call; null: none was. */
    discardedUsage: json('discarded_usage').$type<Usage>(),
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
      .where(sql`status in ('queued', 'running', 'waiting')`),
    uniqueIndex('turns_idempotency').on(turn.sessionId, turn.idempotencyKey),
    index('turns_by_session').on(turn.sessionId, turn.createdAt),
    index('turns_active')
      .on(turn.status)
      .where(sql`status in ('held', 'queued', 'running', 'waiting')`),
    index('turns_held')
      .on(turn.sessionId, turn.createdAt)
      .where(sql`status = 'held'`),
    index('turns_waiting_by_principal')
      .on(
        sql`(coalesce(options -> 'options' ->> 'priority', '') = 'background')`,
        turn.principalId,
        turn.createdAt,
      )
      .where(sql`status = 'queued'`),
    uniqueIndex('turns_one_child_per_call')
      .on(turn.parentTurnId, turn.parentCallId)
      .where(sql`parent_turn_id is not null`),
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
  (message) => [
    index('messages_by_session').on(message.sessionId, message.createdAt),
    index('messages_by_turn').on(message.turnId),
  ],
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
    /** What its thinking is bound to; null where thinking is not. */
    sent: json('sent').$type<SentPrefix>(),
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
    output: jsonString('output'),
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

/** A process that readers come to, whether it has any or not. */
export const readerProcesses = pgTable('reader_processes', {
  processId: text('process_id').primaryKey(),
  /** Whatever it knew of its readers at this time is stored. */
  storedAt: instant('stored_at').notNull(),
  /** The end of the last time in which the database did not answer it; null: there was none. */
  awayUntil: instant('away_until'),
});
