import { Inject, Injectable } from '@nestjs/common';
import { asc, count, eq, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { AuditLog, type AuditAction } from '../../access/audit-log.js';
import { CONFIG, type Config } from '../../config/config.js';
import { isId } from '../../platform/ids.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { lockKey } from '../../storage/lock.js';
import { webhookDeliveries, webhookEndpoints } from '../../storage/webhook-schema.js';
import { webhookLimit, webhookNotFound } from '../webhook-errors.js';
import type { EndpointRow } from './view-webhook.js';

type NewEndpoint = typeof webhookEndpoints.$inferInsert;
export type EndpointChanges = Partial<Omit<NewEndpoint, 'id' | 'principalId' | 'createdAt'>>;

/** Endpoints as rows. An action and its audit entry are one transaction. */
@Injectable()
export class EndpointStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'webhooksPerPrincipal'>,
    private readonly audit: AuditLog,
  ) {}

  /** @throws TypedError WEBHOOK_LIMIT 429. */
  create(endpoint: NewEndpoint): Promise<EndpointRow> {
    const { principalId } = endpoint;
    const { webhooksPerPrincipal: most } = this.config;
    return this.db.transaction(async (tx) => {
      await lockKey(tx, 'principal', principalId);
      const [existing] = await tx
        .select({ endpoints: count() })
        .from(webhookEndpoints)
        .where(eq(webhookEndpoints.principalId, principalId));
      if ((existing?.endpoints ?? 0) >= most) throw webhookLimit(most);
      const [created] = await tx.insert(webhookEndpoints).values(endpoint).returning();
      if (created === undefined) throw new Error('The database returned no endpoint');
      await this.#note(tx, 'webhook.created', created, principalId);
      return created;
    });
  }

  /** A principal's endpoints, in the order they were made. */
  list(principalId: string): Promise<EndpointRow[]> {
    return this.db
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.principalId, principalId))
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
  }

  /** @throws TypedError WEBHOOK_NOT_FOUND 404, also for text that is no webhook's id. */
  async get(id: string): Promise<EndpointRow> {
    const [endpoint] = isId('hook', id)
      ? await this.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
      : [];
    if (endpoint === undefined) throw webhookNotFound(id);
    return endpoint;
  }

  /** @param by the principal who does. @throws TypedError WEBHOOK_NOT_FOUND 404. */
  change(id: string, changes: EndpointChanges, by: string): Promise<EndpointRow> {
    return this.#update(id, changes, { action: 'webhook.changed', by });
  }

  /**
   * Gives an endpoint a new secret; the one before it signs as well until then.
   *
   * @throws TypedError WEBHOOK_NOT_FOUND 404.
   */
  rotate(id: string, secret: string, previousUntil: Date, by: string): Promise<EndpointRow> {
    const changes = { secret, previousSecret: sql`${webhookEndpoints.secret}`, previousUntil };
    return this.#update(id, changes, { action: 'webhook.rotated', by });
  }

  /** Deletes an endpoint with its deliveries. @throws TypedError WEBHOOK_NOT_FOUND 404. */
  async delete(id: string, by: string): Promise<EndpointRow> {
    if (!isId('hook', id)) throw webhookNotFound(id);
    const endpoint = await this.db.transaction(async (tx) => {
      // Deliveries first: a sender that stores the result of a try locks the delivery, then the endpoint.
      await deleteDeliveries(tx, id);
      const [deleted] = await tx
        .delete(webhookEndpoints)
        .where(eq(webhookEndpoints.id, id))
        .returning();
      if (deleted === undefined) throw webhookNotFound(id);
      await this.#note(tx, 'webhook.deleted', deleted, by);
      return deleted;
    });
    // Deliveries that were stored meanwhile: without the lock of the endpoint, nobody waits in a circle.
    await deleteDeliveries(this.db, id);
    return endpoint;
  }

  async #update(
    id: string,
    changes: PgUpdateSetSource<typeof webhookEndpoints>,
    { action, by }: { action: AuditAction; by: string },
  ): Promise<EndpointRow> {
    if (!isId('hook', id)) throw webhookNotFound(id);
    return this.db.transaction(async (tx) => {
      const [changed] = await tx
        .update(webhookEndpoints)
        .set(changes)
        .where(eq(webhookEndpoints.id, id))
        .returning();
      if (changed === undefined) throw webhookNotFound(id);
      await this.#note(tx, action, changed, by);
      return changed;
    });
  }

  /** The audit log has the host alone: a path or a query may be a secret of the receiver. */
  #note(tx: Queryable, action: AuditAction, { id, url, enabled }: EndpointRow, by: string) {
    const details = { host: new URL(url).host, enabled };
    return this.audit.write({ principalId: by, action, subject: id, details }, tx);
  }
}

async function deleteDeliveries(db: Queryable, endpointId: string): Promise<void> {
  await db.delete(webhookDeliveries).where(eq(webhookDeliveries.endpointId, endpointId));
}
