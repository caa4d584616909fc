import { Inject, Injectable } from '@nestjs/common';
import { and, eq, sql } from 'drizzle-orm';
import { badCursor } from '../../http/paging/page-query.dto.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newTimeId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { webhookDeliveries } from '../../storage/webhook-schema.js';
import { EndpointStore } from '../endpoints/endpoint-store.js';
import { deliveryNotFound, webhookDisabled } from '../webhook-errors.js';
import type { DeliveryQueryDto } from './delivery.dto.js';
import {
  formatPageToken,
  isDeliveryId,
  pageDeliveries,
  parsePageToken,
} from './page-deliveries.js';
import { viewDelivery, type DeliveryRow, type DeliveryView } from './view-delivery.js';

/** Deliveries to a webhook: sent, on their way, and due. */
@Injectable()
export class DeliveryService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly endpoints: EndpointStore,
  ) {}

  /** @throws TypedError WEBHOOK_NOT_FOUND 404; INVALID_REQUEST 400 for an invalid cursor. */
  async page(
    endpointId: string,
    { cursor, limit, status }: DeliveryQueryDto,
  ): Promise<{ deliveries: DeliveryView[]; nextCursor?: string }> {
    const after = cursor === undefined ? undefined : parsePageToken(cursor);
    if (after === undefined && cursor !== undefined) throw badCursor();
    await this.endpoints.get(endpointId);
    // A row beyond the page shows whether another page follows.
    const found = await pageDeliveries(this.db, endpointId, { after, limit: limit + 1, status });
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      deliveries: shown.map(viewDelivery),
      ...(last === undefined ? {} : { nextCursor: formatPageToken(last) }),
    };
  }

  /**
   * Sends a delivery again, under its id and with all its tries, whatever became of it.
   *
   * @throws TypedError WEBHOOK_NOT_FOUND 404, WEBHOOK_DELIVERY_NOT_FOUND 404, WEBHOOK_DISABLED 409.
   */
  async redeliver(endpointId: string, id: string): Promise<DeliveryView> {
    await this.#assertEnabled(endpointId);
    const again = {
      status: 'pending' as const,
      nextAt: new Date(this.clock.now()),
      failures: 0,
      endedAt: null,
      // A try that is under way marks nothing any more.
      attempt: sql`${webhookDeliveries.attempt} + 1`,
    };
    const which = and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.id, id));
    const [delivery] = isDeliveryId(id)
      ? await this.db.update(webhookDeliveries).set(again).where(which).returning()
      : [];
    if (delivery === undefined) throw deliveryNotFound(id);
    return viewDelivery(delivery);
  }

  /** Sends a `webhook.test`. @throws TypedError WEBHOOK_NOT_FOUND 404, WEBHOOK_DISABLED 409. */
  async test(endpointId: string): Promise<DeliveryView> {
    await this.#assertEnabled(endpointId);
    const now = new Date(this.clock.now());
    const id = newTimeId('evt', now.getTime());
    const row = { endpointId, id, type: 'webhook.test' as const, facts: {} };
    const [delivery] = await this.db
      .insert(webhookDeliveries)
      .values({ ...row, nextAt: now, createdAt: now })
      .returning();
    return viewDelivery(inserted(delivery));
  }

  async #assertEnabled(endpointId: string): Promise<void> {
    if (!(await this.endpoints.get(endpointId)).enabled) throw webhookDisabled(endpointId);
  }
}

function inserted(delivery: DeliveryRow | undefined): DeliveryRow {
  if (delivery === undefined) throw new Error('The database returned no delivery');
  return delivery;
}
