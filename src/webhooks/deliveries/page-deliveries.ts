import { and, desc, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { webhookDeliveries, type DeliveryStatus } from '../../storage/webhook-schema.js';
import type { DeliveryRow } from './view-delivery.js';

/** The page token of a list of deliveries: the next page begins after this one. */
export interface DeliveryPageToken {
  /** In ms since the epoch. */
  createdAt: number;
  id: string;
}

export interface DeliveryPage {
  after: DeliveryPageToken | undefined;
  limit: number;
  /** Absent: any. */
  status?: DeliveryStatus | undefined;
}

/** Ids of deliveries, as the outbox and tests make them. */
const idForm = /^evt_[\w-]{1,100}$/;

export function isDeliveryId(text: string): boolean {
  return idForm.test(text);
}

/** Loads a page of an endpoint's deliveries, the newest first. */
export function pageDeliveries(
  db: Queryable,
  endpointId: string,
  { after, limit, status }: DeliveryPage,
): Promise<DeliveryRow[]> {
  const { createdAt, id } = webhookDeliveries;
  const position = sql`(${createdAt}, ${id})`;
  return db
    .select()
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.endpointId, endpointId),
        // A literal, not a parameter, so that the planner chooses the index of the few that are dead.
        status === undefined
          ? undefined
          : sql`${webhookDeliveries.status} = ${sql.raw(`'${status}'`)}`,
        after === undefined
          ? undefined
          : sql`${position} < (${new Date(after.createdAt).toISOString()}::timestamptz, ${after.id}::text)`,
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
}

/** The page token after a delivery, `<ms>:<delivery id>`. */
export function formatPageToken({ id, createdAt }: DeliveryRow): string {
  return `${createdAt.getTime()}:${id}`;
}

/** @returns undefined for anything but a page token. */
export function parsePageToken(given: string): DeliveryPageToken | undefined {
  const [, createdAt, id = ''] = /^(\d{1,13}):(.+)$/.exec(given) ?? [];
  return createdAt === undefined || !isDeliveryId(id)
    ? undefined
    : { createdAt: Number(createdAt), id };
}
