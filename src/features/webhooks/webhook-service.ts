import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { type Actor, type AuditAction, AuditLog, SecretVault } from '../../access/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { judgeUrl, loadPage, newWebhookSecret, webhookHosts } from '../../http/face.js';
import { isTypedError } from '../../errors/typed-error.js';
import { type Clock, CLOCK, compact, isId, newId, newTimeId } from '../../platform/face.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { lockKey } from '../../storage/statements.js';
import { countBelow, foundRow, returnedRow } from '../../storage/rows.js';
import { webhookDeliveries, webhookEndpoints } from '../../storage/automation-schema.js';
import {
  viewDelivery,
  viewWebhook,
  type DeliveryDto,
  type DeliveryPageDto,
  type DeliveryQueryDto,
  type EndpointRow,
  type NewWebhookDto,
  type WebhookChangesDto,
  type WebhookDto,
  type WebhookWithSecretDto,
} from './webhook.dto.js';
import {
  deliveryNotFound,
  nothingToChange,
  webhookDisabled,
  webhookLimit,
  webhookNotFound,
  webhookUrlRefused,
} from './webhook-errors.js';

const HOUR_MS = 3_600_000;

/** Ids of deliveries, as the outbox and tests make them. */
const deliveryId = /^evt_[\w-]{1,100}$/;

const { createdAt, id: eventId } = webhookDeliveries;
const newestFirst = { columns: { createdAt, id: eventId }, isDescending: true };

/** The webhooks of principals, and their deliveries. An action and its audit entry are one transaction. */
@Injectable()
export class WebhookService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG)
    private readonly config: Pick<Config, 'webhookPrivateHosts' | 'webhooksPerPrincipal'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly vault: SecretVault,
  ) {}

  /** @throws TypedError WEBHOOK_URL_REFUSED 400, WEBHOOK_LIMIT 429. */
  async create(wanted: NewWebhookDto, by: Actor): Promise<WebhookWithSecretDto> {
    const { id: principalId } = by;
    const { description = '', events = null, enabled = true } = wanted;
    const id = newId('hook');
    const secret = newWebhookSecret();
    const endpoint = {
      id,
      principalId,
      url: this.#judged(wanted.url),
      description,
      events,
      enabled,
      createdAt: new Date(this.clock.now()),
    };
    const rows = { table: webhookEndpoints, where: eq(webhookEndpoints.principalId, principalId) };
    const insert = async (tx: Queryable) => {
      await lockKey(tx, 'principal', principalId);
      await countBelow(tx, rows, this.config.webhooksPerPrincipal, webhookLimit);
      const place = { column: webhookEndpoints.secret, row: id, principalId };
      const sealed = { ...endpoint, secret: await this.vault.seal(secret, place, tx) };
      return returnedRow(await tx.insert(webhookEndpoints).values(sealed).returning(), 'endpoint');
    };
    const created = await this.#noted('webhook.created', by, insert);
    return { webhook: viewWebhook(created), secret };
  }

  /** A principal's webhooks, in the order they were made. */
  async list(principalId: string): Promise<WebhookDto[]> {
    const rows = await this.db
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.principalId, principalId))
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
    return rows.map(viewWebhook);
  }

  /** @throws TypedError WEBHOOK_NOT_FOUND 404, also for text that is no webhook's id. */
  async get(id: string): Promise<WebhookDto> {
    const found = isId('hook', id)
      ? await this.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
      : [];
    return viewWebhook(foundRow(found, () => webhookNotFound(id)));
  }

  /**
   * @param by the principal who does.
   * @throws TypedError INVALID_REQUEST 400, WEBHOOK_URL_REFUSED 400, WEBHOOK_NOT_FOUND 404.
   */
  async change(id: string, wanted: WebhookChangesDto, by: Actor): Promise<WebhookDto> {
    const { url, description, events, enabled } = wanted;
    const judged = url === undefined ? undefined : this.#judged(url);
    // What was known of the endpoint is not true of another one, nor of one that was mended.
    const isAnother = judged !== undefined || enabled === true;
    const forgotten = isAnother
      ? { failingSince: null, pausedUntil: null, disabledReason: null }
      : {};
    const changes = compact({ url: judged, description, events, enabled });
    if (Object.keys(changes).length === 0) throw nothingToChange();
    const all = { ...forgotten, ...changes };
    return this.#update(id, { action: 'webhook.changed', by }, async () => all);
  }

  /**
   * Gives a webhook a new secret. The one before it signs as well for a while, so that receivers change over
   * without a gap.
   *
   * @throws TypedError WEBHOOK_NOT_FOUND 404.
   */
  async rotate(id: string, keepOldHours: number, by: Actor): Promise<WebhookWithSecretDto> {
    const secret = newWebhookSecret();
    const previousUntil = new Date(this.clock.now() + keepOldHours * HOUR_MS);
    const webhook = await this.#update(id, { action: 'webhook.rotated', by }, async (tx) => {
      const which = eq(webhookEndpoints.id, id);
      const locked = await tx.select().from(webhookEndpoints).where(which).for('update');
      const row = foundRow(locked, () => webhookNotFound(id));
      return { ...(await this.#resealed(row, secret, tx)), previousUntil };
    });
    return { webhook, secret };
  }

  /** The columns of a new secret, and of the one before it, which does not sign any more where it cannot be opened. */
  async #resealed({ id, principalId, secret: stored }: EndpointRow, secret: string, tx: Queryable) {
    const { vault } = this;
    const at = { column: webhookEndpoints.secret, row: id, principalId };
    const before = { ...at, column: webhookEndpoints.previousSecret };
    const previous = await vault.open(stored, at, tx).catch((error: unknown) => {
      if (isTypedError(error, 'SECRET_UNREADABLE')) return null;
      throw error;
    });
    return {
      secret: await vault.seal(secret, at, tx),
      previousSecret: previous === null ? null : await vault.seal(previous, before, tx),
    };
  }

  /** Deletes a webhook with its deliveries. @throws TypedError WEBHOOK_NOT_FOUND 404. */
  async delete(id: string, by: Actor): Promise<WebhookDto> {
    const { endpointId } = webhookDeliveries;
    const deleted = await this.#noted('webhook.deleted', by, async (tx) => {
      // Deliveries first: a sender that stores the result of a try locks the delivery, then the endpoint.
      await tx.delete(webhookDeliveries).where(eq(endpointId, id));
      const gone = tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id)).returning();
      return foundRow(await gone, () => webhookNotFound(id));
    });
    // Deliveries that were stored meanwhile: without the lock of the endpoint, nobody waits in a circle.
    await this.db.delete(webhookDeliveries).where(eq(endpointId, id));
    return viewWebhook(deleted);
  }

  /** @throws TypedError WEBHOOK_NOT_FOUND 404; INVALID_REQUEST 400 for an invalid cursor. */
  async listDeliveries(id: string, query: DeliveryQueryDto): Promise<DeliveryPageDto> {
    await this.get(id);
    const { status } = query;
    const which = and(
      eq(webhookDeliveries.endpointId, id),
      // A literal, not a parameter, so that the planner chooses the index of the few that are dead.
      status && sql`${webhookDeliveries.status} = ${sql.raw(`'${status}'`)}`,
    );
    const { rows, ...next } = await loadPage(query, newestFirst, ({ after, orderBy, limit }) =>
      this.db
        .select()
        .from(webhookDeliveries)
        .where(and(which, after))
        .orderBy(...orderBy)
        .limit(limit),
    );
    return { deliveries: rows.map(viewDelivery), ...next };
  }

  /**
   * Sends a delivery again, under its id and with all its tries, whatever became of it.
   *
   * @throws TypedError WEBHOOK_NOT_FOUND 404, WEBHOOK_DELIVERY_NOT_FOUND 404, WEBHOOK_DISABLED 409.
   */
  async redeliver(id: string, event: string): Promise<DeliveryDto> {
    await this.#assertEnabled(id);
    const again = {
      status: 'pending' as const,
      nextAt: new Date(this.clock.now()),
      failures: 0,
      endedAt: null,
      // A try that is under way marks nothing any more.
      attempt: sql`${webhookDeliveries.attempt} + 1`,
    };
    const which = and(eq(webhookDeliveries.endpointId, id), eq(eventId, event));
    const changed = deliveryId.test(event)
      ? await this.db.update(webhookDeliveries).set(again).where(which).returning()
      : [];
    return viewDelivery(foundRow(changed, () => deliveryNotFound(event)));
  }

  /** Sends a `webhook.test`. @throws TypedError WEBHOOK_NOT_FOUND 404, WEBHOOK_DISABLED 409. */
  async test(id: string): Promise<DeliveryDto> {
    await this.#assertEnabled(id);
    const now = new Date(this.clock.now());
    const event = { id: newTimeId('evt', now.getTime()), type: 'webhook.test' as const, facts: {} };
    const stored = await this.db
      .insert(webhookDeliveries)
      .values({ endpointId: id, ...event, nextAt: now, createdAt: now })
      .returning();
    return viewDelivery(returnedRow(stored, 'delivery'));
  }

  async #assertEnabled(id: string): Promise<void> {
    if (!(await this.get(id)).enabled) throw webhookDisabled(id);
  }

  async #update(
    id: string,
    { action, by }: { action: AuditAction; by: Actor },
    changesIn: (tx: Queryable) => Promise<PgUpdateSetSource<typeof webhookEndpoints>>,
  ): Promise<WebhookDto> {
    const changed = await this.#noted(action, by, async (tx) => {
      const which = eq(webhookEndpoints.id, id);
      const changes = await changesIn(tx);
      const rows = await tx.update(webhookEndpoints).set(changes).where(which).returning();
      return foundRow(rows, () => webhookNotFound(id));
    });
    return viewWebhook(changed);
  }

  /** The audit log has the host alone: a path or a query may be a secret of the receiver. */
  #noted(action: AuditAction, by: Actor, change: (tx: Queryable) => Promise<EndpointRow>) {
    return this.audit.noted(change, ({ id, url, enabled }) => {
      const details = { host: new URL(url).host, enabled };
      return { by, action, subject: id, details };
    });
  }

  #judged(url: string): string {
    const verdict = judgeUrl(url, webhookHosts(this.config));
    if (!verdict.ok) throw webhookUrlRefused(verdict.problem);
    return verdict.url.href;
  }
}
