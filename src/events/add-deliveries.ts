import { sql } from 'drizzle-orm';
import {
  webhookDeliveries,
  webhookEndpoints,
  type WebhookEvent,
} from '../storage/automation-schema.js';
import type { Queryable } from '../storage/connection.js';

/** An event that is none of a turn's log. */
export interface OwnEvent {
  /** The event's own id, `evt_…`: the same for every endpoint. */
  id: string;
  type: WebhookEvent;
  principalId: string;
  facts: Record<string, unknown>;
  at: Date;
  /** The turn that it is about. Absent: none. */
  turn?: { id: string; sessionId: string; parentTurnId: string | null };
}

/** Puts an event into the outbox, in the transaction that makes it: to each of the principal's endpoints. */
export async function addDeliveries(db: Queryable, event: OwnEvent): Promise<void> {
  const { id, type, principalId, facts, at, turn } = event;
  const { enabled, events } = webhookEndpoints;
  const time = sql`${at.toISOString()}::timestamptz`;
  await db.execute(sql`
    insert into ${webhookDeliveries} (endpoint_id, id, type, turn_id, session_id, parent_turn_id,
      facts, next_at, created_at)
    select ${webhookEndpoints.id}, ${id}::text, ${type}::text, ${turn?.id ?? null}::text,
      ${turn?.sessionId ?? null}::text, ${turn?.parentTurnId ?? null}::text,
      ${JSON.stringify(facts)}::json, ${time}, ${time}
    from ${webhookEndpoints}
    where ${webhookEndpoints.principalId} = ${principalId} and ${enabled}
      and (${events} is null or ${type}::text = any(${events}))`);
}
