import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  json,
  pgTable,
  text,
  uniqueIndex,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import type { Usage } from '../events/turn-event.js';
import type { AgentConfig, DayLimits } from './shapes/stored-limits.js';
import type {
  InheritedPermissions,
  PermissionRules,
  SubagentDecision,
} from './shapes/stored-permissions.js';
import type { OptionResolution } from './shapes/stored-options.js';
import { instant } from './instant.js';
import type { LeftOut, RequestPrefix } from './shapes/sent-request.js';
import type { TurnStatus, TurnRequest, CancelReason, TurnFailure } from './shapes/stored-turn.js';

/**
 * Sessions and turns; the other tables of the system of record refer to them. Columns are added by
 * migrations in `migrations/`, never by this file.
 *
 * `json`, not `jsonb`: it keeps the order of keys (what a model was sent once is sent again to the
 * letter, or its prompt cache is lost) and takes every string a tool can print, NUL included.
 */

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
