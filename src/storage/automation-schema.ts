import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  json,
  pgTable,
  text,
  uniqueIndex,
  boolean,
  primaryKey,
} from 'drizzle-orm/pg-core';
import type { ErrorCode } from '../errors/error-table.js';
import { instant, jsonString } from './column-types.js';

/** Tables of schedules: turns that principals start at times of a zone's clock, and the outcome of each. */

/** The fate of a fire time while the schedule's turn before it has not ended. */
export const overlaps = ['skip', 'queueOne', 'allow'] as const;
export type Overlap = (typeof overlaps)[number];

/**
 * `requested`: by its principal; `failures`: too many in a row; `key`: the key that it acts with is not valid;
 * `grant`: the grant that it acts by is over, or allows no turns; `times`: its expression or its zone is not understood any more.
 */
export const pauseReasons = ['requested', 'failures', 'key', 'grant', 'times'] as const;
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
    /** The API key that it acts with: the last that set it up; null: a grant, or none on an open server. */
    keyId: text('key_id'),
    /** The grant that it acts by, of the person who set it up with a token last; null: none. */
    grantId: text('grant_id'),
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
    /** The first fire time without an outcome. */
    nextAt: instant('next_at').notNull(),
    /** The time until which a process has claimed the fire time; null: none has. */
    leasedUntil: instant('leased_until'),
    /** Number of changes so far; the fence of what a process stores about a fire time. */
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

/** The outcomes of fire times. No row refers to its turn by a foreign key: it is kept when the session goes. */
export const scheduleRuns = pgTable(
  'schedule_runs',
  {
    /** Later runs have later ids. */
    id: text('id').primaryKey(),
    scheduleId: text('schedule_id')
      .notNull()
      .references(() => schedules.id, { onDelete: 'cascade' }),
    cause: text('cause').$type<'slot' | 'trigger'>().notNull(),
    /** The fire time; for a trigger, the time of the request; for missed fire times, the first of them. */
    fireAt: instant('slot').notNull(),
    /** The `Idempotency-Key` of a trigger; null: none. */
    triggerKey: text('trigger_key'),
    outcome: text('outcome').$type<RunOutcome>().notNull(),
    turnId: text('turn_id'),
    sessionId: text('session_id'),
    error: json('error').$type<RunError>(),
    /** The number of missed fire times that this row records. */
    missed: integer('missed'),
    /** The fire time after the last that was missed. */
    missedUntil: instant('missed_until'),
    createdAt: instant('created_at').notNull(),
  },
  (run) => [
    uniqueIndex('schedule_runs_one_per_slot')
      .on(run.scheduleId, run.fireAt)
      .where(sql`cause = 'slot'`),
    uniqueIndex('schedule_runs_one_per_trigger').on(run.scheduleId, run.triggerKey),
    index('schedule_runs_by_time').on(run.scheduleId, run.id),
    index('schedule_runs_old').on(run.createdAt),
    index('schedule_runs_by_turn')
      .on(run.turnId)
      .where(sql`turn_id is not null`),
  ],
);

/** Tables of webhooks: the endpoints that principals registered, and what is to be sent to them. */

/** Events that an endpoint may ask for. */
export const webhookEvents = [
  'turn.started',
  'turn.waiting',
  'turn.ended',
  'approval.requested',
  'schedule.missed',
  'schedule.paused',
  'feedback.changed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Types of deliveries: `webhook.test` is sent when its owner asks for it. */
export type WebhookType = WebhookEvent | 'webhook.test';

/** `dead`: every try failed; it is sent again when its owner asks for it. */
export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why the server disabled an endpoint: it answered 410. */
export type DisabledReason = 'gone';

export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: text('id').primaryKey(),
    /** Owner of the endpoint: it gets the events of this principal's turns. */
    principalId: text('principal_id').notNull(),
    url: text('url').notNull(),
    description: text('description').notNull(),
    /** Null: all events, those of later versions as well. */
    events: text('events').array().$type<WebhookEvent[]>(),
    enabled: boolean('enabled').notNull(),
    /** Null: it is enabled, or its owner disabled it. */
    disabledReason: text('disabled_reason').$type<DisabledReason>(),
    /** `whsec_…`: it signs, so that it cannot be a hash. */
    secret: text('secret').notNull(),
    /** The secret before the last rotation, which signs as well until then. */
    previousSecret: text('previous_secret'),
    previousUntil: instant('previous_until'),
    /** Time of the first failure since the last success; null: the last try succeeded. */
    failingSince: instant('failing_since'),
    /** Nothing is sent before this time, as the endpoint asked for; null: it did not. */
    pausedUntil: instant('paused_until'),
    createdAt: instant('created_at').notNull(),
  },
  (endpoint) => [index('webhook_endpoints_by_principal').on(endpoint.principalId)],
);

/**
 * The outbox. No row refers to its endpoint or its turn by a foreign key: the check would make the end of a turn
 * wait for the deletion of an endpoint, or fail with it, and a deleted session's end is still to be sent.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    endpointId: text('endpoint_id').notNull(),
    /** The `webhook-id`: made of the event, the same for every endpoint and every try. */
    id: text('id').notNull(),
    type: text('type').$type<WebhookType>().notNull(),
    /** Null: a test. */
    turnId: text('turn_id'),
    sessionId: text('session_id'),
    parentTurnId: text('parent_turn_id'),
    /** Fields of the event, for the body's `data`. */
    facts: json('facts').$type<Record<string, unknown>>().notNull(),
    status: text('status').$type<DeliveryStatus>().notNull().default('pending'),
    /** Time of the next try; while one is under way, time after which its sender counts as dead. */
    nextAt: instant('next_at').notNull(),
    /** Number of claims so far; the fence of a sender's marks. */
    attempt: integer('attempt').notNull().default(0),
    /** Tries that failed since the event, or since it was last sent again by hand. */
    failures: integer('failures').notNull().default(0),
    triedAt: instant('tried_at'),
    /** Status of the last answer; null: there was none. */
    httpStatus: integer('http_status'),
    /** Reason of the last failure; null: the last try succeeded, or there was none. */
    error: text('error'),
    /** Beginning of the last answer's body. */
    response: jsonString('response'),
    createdAt: instant('created_at').notNull(),
    /** Time at which it was delivered, or dead. */
    endedAt: instant('ended_at'),
  },
  (delivery) => [
    primaryKey({ columns: [delivery.endpointId, delivery.id] }),
    index('webhook_deliveries_pending')
      .on(delivery.endpointId, delivery.nextAt)
      .where(sql`status = 'pending'`),
    index('webhook_deliveries_by_time').on(delivery.endpointId, delivery.createdAt, delivery.id),
    index('webhook_deliveries_dead')
      .on(delivery.endpointId, delivery.createdAt, delivery.id)
      .where(sql`status = 'dead'`),
    index('webhook_deliveries_old').on(delivery.createdAt),
  ],
);
