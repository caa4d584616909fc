import { boolean, index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { instant } from './instant.js';
import { jsonString } from './json-string.js';

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
