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
  primaryKey,
} from 'drizzle-orm/pg-core';
import type { JsonObject } from '../platform/json.js';
import type { Usage, Todo } from './shapes/stored-step.js';
import type {
  AgentConfig,
  DayLimits,
  InheritedPermissions,
  PermissionRules,
  ProjectFilesKind,
  SubagentDecision,
  OptionResolution,
} from './shapes/stored-options.js';
import type {
  ForkSource,
  SessionOrigin,
  TurnStatus,
  StoredRequest,
  CancelReason,
  SampledUsage,
  TurnFailure,
} from './shapes/stored-turn.js';
import { instant, jsonString } from './column-types.js';
import type { LeftOut, RequestPrefix } from './shapes/sent-request.js';

/**
 * Sessions and turns; the other tables of the system of record refer to them. Columns are added by
 * migrations in `migrations/`, never by this file.
 *
 * `json`, not `jsonb`: it keeps the order of keys (what a model was sent once is sent again to the
 * letter, or its prompt cache is lost) and takes every string a tool can print, NUL included.
 */

export const sessions = pgTable('sessions', {
  id: text('id').primaryKey(),
  projectRoot: text('project_root').notNull(),
  persona: text('persona').notNull(),
  /** The permission mode of turns that name none; a text that is no mode means `plan`. */
  mode: text('mode').notNull(),
  /** A subagent's session has its parent's origin. */
  origin: text('origin').$type<SessionOrigin>().notNull().default('harness'),
  /** The client's own name for it; null: its id alone. */
  clientName: jsonString('client_name'),
  /** The title that its user gave it; null: the beginning of its first message. */
  title: text('title'),
  claudeSessionId: text('claude_session_id'),
  bootFingerprint: text('boot_fingerprint'),
  bootedAt: instant('booted_at'),
  model: text('model'),
  /** Limits given at creation; null: none. */
  agentConfig: json('agent_config').$type<Partial<AgentConfig>>(),
  /** Milliseconds without use after which the session is deleted; null: never. */
  expiresAfterMs: integer('expires_after_ms'),
  /** Owner of the session. */
  principalId: text('principal_id').notNull().default('local'),
  /** The turn that delegated, for a subagent's session, which is deleted with that turn's session. */
  parentTurnId: text('parent_turn_id').references((): AnyPgColumn => turns.id, {
    onDelete: 'cascade',
  }),
  /** Permission rules of the session, before the agent's and after the server's; null: none. */
  permissions: json('permissions').$type<PermissionRules>(),
  /** MCP servers of the session's turns by name, with credentials: only `SecretVault` opens it. Never shown or logged. */
  mcpServers: json('mcp_servers').$type<object>(),
  /** Whose files of its project the session takes; null: none. */
  projectFiles: text('project_files').$type<ProjectFilesKind>(),
  /** Agents that the session's turns may delegate to, by name, as its client gave them; null: none. */
  agents: json('agents').$type<Readonly<Record<string, JsonObject>>>(),
  /** Beginning of the session's requests; null before the first. */
  prefix: json('prefix').$type<RequestPrefix>(),
  /**
   * The turn that began last, if the turns before it have not changed since it was claimed: a worker may then use the
   * conversation that it remembers up to this turn. Null: workers load the conversation.
   */
  headTurnId: text('head_turn_id'),
  /** The worker whose turn began last, which may remember the conversation; null: any is as good. */
  headWorker: text('head_worker'),
  /** The point of another session that the session began at; null: it began empty. */
  forkedFrom: json('forked_from').$type<ForkSource>(),
  /** The turn that the session's own turn is a replay of, and is deleted with; null: it is no replay. */
  replayOf: text('replay_of').references((): AnyPgColumn => turns.id, { onDelete: 'cascade' }),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/**
 * The number of sessions, as the sum of eight rows. At the end of a transaction, a trigger counts the sessions that it
 * stored or deleted in one of the rows, so that few transactions wait for each other.
 */
export const sessionCounts = pgTable('session_counts', {
  shard: integer('shard').primaryKey(),
  sessions: integer('sessions').notNull(),
});

/** The session that a row belongs to, and is deleted with. */
export const ofSession = () =>
  text('session_id')
    .notNull()
    .references(() => sessions.id, { onDelete: 'cascade' });

export const turns = pgTable(
  'turns',
  {
    id: text('id').primaryKey(),
    sessionId: ofSession(),
    status: text('status').$type<TurnStatus>().notNull(),
    /** Number of claims so far; the fence of every write. */
    attempt: integer('attempt').notNull().default(0),
    /** Consecutive last attempts that stored nothing new. */
    attemptsInVain: integer('attempts_in_vain').notNull().default(0),
    leaseUntil: instant('lease_until'),
    /** The attempt and its worker, as `2:worker_…`, whose life its lock shows; null: nothing shows it. */
    worker: text('worker'),
    /** The worker that may remember the conversation, and until when others leave it the turn; null: any is as good. */
    preferredWorker: text('preferred_worker'),
    preferredUntil: instant('preferred_until'),
    request: json('request').$type<StoredRequest>().notNull(),
    requestHash: text('request_hash').notNull(),
    /** Folders that the sender's role opened, beside those of keys; null: none. */
    projectRoots: json('project_roots').$type<string[]>(),
    idempotencyKey: text('idempotency_key'),
    options: json('options').$type<OptionResolution>().notNull(),
    /** Agents that the turn may delegate to; null: none. */
    delegation: json('delegation').$type<SubagentDecision>(),
    /** Owner of the turn's session. */
    principalId: text('principal_id').notNull().default('local'),
    /** The API key that sent it, or made the page token that did; null: none. */
    keyId: text('key_id'),
    /** The turn that delegated, and its call, for a subagent's turn. */
    parentTurnId: text('parent_turn_id').references((): AnyPgColumn => turns.id, {
      onDelete: 'cascade',
    }),
    parentCallId: text('parent_call_id'),
    /** Permissions from the parent, for a subagent's turn. */
    childTerms: json('child_terms').$type<InheritedPermissions>(),
    /** Daily budget of the key that sent the turn; null: none. */
    budget: json('budget').$type<DayLimits>(),
    /** Whether the turn is promoted before held turns without this mark. */
    goesFirst: boolean('goes_first').notNull().default(false),
    /** Whether a turn of the session is held behind this turn, whose end promotes it. */
    hasNext: boolean('has_next').notNull().default(false),
    /** Time of parking; null while the turn is not parked. */
    waitingSince: instant('waiting_since'),
    /** Milliseconds parked so far, which the turn's deadline does not count. */
    waitedMs: integer('waited_ms').notNull().default(0),
    /** The attempt that parked the turn: the next attempt recovers nothing. */
    parkedAttempt: integer('parked_attempt'),
    /** Steered messages so far: the turn cannot end before all of them are delivered. */
    steeredMessages: integer('joined_messages').notNull().default(0),
    usage: json('usage').$type<Usage>(),
    exitCode: integer('exit_code'),
    endReason: text('end_reason'),
    /** Note in the reply about the limit that ended the turn; null: none. */
    endNote: text('end_note'),
    failure: json('failure').$type<TurnFailure>(),
    /** The object of a turn that ended with one; null: none. */
    output: json('output').$type<JsonObject>(),
    /** Reason why later turns leave this turn out of their requests; null: they do not. */
    leftOut: text('left_out').$type<LeftOut>(),
    /** Last step whose outputs are elided, because the provider refused the prompt's length. */
    elidedThrough: integer('elided_through').notNull().default(0),
    /** Usage of discarded replies, which were requested again; null: none. */
    discardedUsage: json('discarded_usage').$type<Usage>(),
    /** Usage of the model calls that MCP servers asked for; null: none. */
    sampled: json('sampled').$type<SampledUsage>(),
    cancelRequestedAt: instant('cancel_requested_at'),
    cancelReason: text('cancel_reason').$type<CancelReason>(),
    /** The span that the turn was accepted in, which its first attempt is below; null: none. */
    traceparent: text('traceparent'),
    tracestate: text('tracestate'),
    /** The span of its last attempt that was recorded; null: none. */
    lastTraceparent: text('last_traceparent'),
    /** Digest of the conversation up to its message, as the client sends the whole of it; null: it does not. */
    clientHistory: text('client_history'),
    /** The turn of the source that a fork has a copy of; null: the turn ran in its session. */
    copiedFrom: text('copied_from'),
    /** The turn whose place it takes, with all that followed; null: it follows the turn before. */
    replaces: text('replaces'),
    /** The turn that took its place, or that of a turn before it; null: it is in the active line. */
    supersededBy: text('superseded_by'),
    createdAt: instant('created_at').notNull(),
    startedAt: instant('started_at'),
    endedAt: instant('ended_at'),
  },
  (turn) => [
    // The lock: one active turn per session. No lock to leak, no TTL to tune.
    uniqueIndex('turns_one_active_per_session')
      .on(turn.sessionId)
      .where(sql`status in ('queued', 'running', 'waiting')`),
    uniqueIndex('turns_idempotency').on(turn.sessionId, turn.idempotencyKey),
    index('turns_by_session').on(turn.sessionId, turn.createdAt),
    index('turns_by_time').on(turn.createdAt, turn.id),
    index('turns_by_principal').on(turn.principalId, turn.createdAt, turn.id),
    index('turns_failed')
      .on(turn.createdAt, turn.id)
      .where(sql`status = 'failed'`),
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
    index('turns_by_client_history')
      .on(turn.principalId, turn.clientHistory)
      .where(sql`client_history is not null`),
    uniqueIndex('turns_one_child_per_call')
      .on(turn.parentTurnId, turn.parentCallId)
      .where(sql`parent_turn_id is not null`),
  ],
);

/** The turn that a row belongs to, and is deleted with. */
export const ofTurn = () =>
  text('turn_id')
    .notNull()
    .references(() => turns.id, { onDelete: 'cascade' });

/** Tables of a conversation other than its messages: preferences, notices, todos, summaries. */

/** Preferences of users; a missing field has its default. Written by `options/preferences`. */
export const userPreferences = pgTable('user_settings', {
  userId: text('user_id').primaryKey(),
  settings: json('settings').$type<Record<string, unknown>>().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

type NoticeLevel = 'message' | 'step';

/** Notices of a turn, to the client and, where marked, to the model; one for each mark. */
export const notices = pgTable(
  'notices',
  {
    turnId: ofTurn(),
    /** Identity of the notice, which is posted once: its trigger, and the trigger's threshold. */
    mark: text('mark').notNull(),
    /** Step after which the model sees the notice; 0: before the first. */
    afterStep: integer('after_step').notNull(),
    /** Order among the notices of a step. */
    position: integer('position').notNull(),
    kind: text('kind').notNull(),
    level: text('level').$type<NoticeLevel>().notNull(),
    text: text('text').notNull(),
    metadata: json('metadata').$type<Record<string, unknown>>().notNull(),
    seenByModel: boolean('seen_by_model').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (notice) => [primaryKey({ columns: [notice.turnId, notice.mark] })],
);

/** The todo list of a session, whole: it is small, and replaced on every write. */
export const todos = pgTable('todos', {
  sessionId: text('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  items: json('items').$type<Todo[]>().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/** Summaries, each of all turns up to `throughTurnId`. The turns are kept. */
export const compactions = pgTable(
  'compactions',
  {
    id: text('id').primaryKey(),
    sessionId: ofSession(),
    throughTurnId: text('through_turn_id').notNull(),
    reason: text('reason').$type<'automatic' | 'requested'>().notNull(),
    summary: text('summary').notNull(),
    usage: json('usage').$type<Usage>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (compaction) => [index('compactions_by_session').on(compaction.sessionId, compaction.createdAt)],
);

/** A judgement of a turn: yes or no, a number, or a word. */
export type FeedbackValue = boolean | number | string;

/** Feedback on turns: one value of a principal for each turn and key. */
export const feedback = pgTable(
  'feedback',
  {
    turnId: ofTurn(),
    /** What is judged: `helpful`, `accuracy`. */
    key: text('key').notNull(),
    principalId: text('principal_id').notNull(),
    value: json('value').$type<FeedbackValue>().notNull(),
    comment: text('comment'),
    /** The message of the turn that it is about; null: the turn. */
    messageId: text('message_id'),
    /** Agent and model of the turn, by which feedback is found. */
    agent: text('agent').notNull(),
    model: text('model').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (one) => [
    primaryKey({ columns: [one.turnId, one.key, one.principalId] }),
    index('feedback_by_principal').on(one.principalId, one.createdAt, one.turnId, one.key),
  ],
);

/** Models as a provider described them. */
export const models = pgTable(
  'models',
  {
    /** The provider: `rehearsal`, or the origin of the provider's address. */
    source: text('source').notNull(),
    /**
     * The model's name in requests. The row with an empty id stands for the provider's whole list.
     */
    id: text('id').notNull(),
    /** The provider's description; `{}` for the whole list. */
    described: json('described').$type<JsonObject>().notNull(),
    /**
     * Time of the description; for the whole list, the time at which a process began to load it.
     */
    describedAt: instant('described_at').notNull(),
  },
  (model) => [primaryKey({ columns: [model.source, model.id] })],
);

/** Readers of turns, for turns that end when their last reader leaves. */

/**
 * The lease of a process with readers of a turn. Without a foreign key: a deleted turn's row must
 * not fail the renewal of all others.
 */
export const turnReaders = pgTable(
  'turn_readers',
  {
    turnId: text('turn_id').notNull(),
    processId: text('process_id').notNull(),
    until: instant('until').notNull(),
    /** Whether the last reader left; the lease counts until `until`. */
    hasLeft: boolean('has_left').notNull(),
  },
  (reader) => [primaryKey({ columns: [reader.turnId, reader.processId] })],
);

/** A process that serves readers, even while it has none. */
export const readerProcesses = pgTable('reader_processes', {
  processId: text('process_id').primaryKey(),
  /** Time up to which the process's readers are stored. */
  storedAt: instant('stored_at').notNull(),
  /** End of the last database outage that the process noticed; null: none. */
  awayUntil: instant('away_until'),
});
