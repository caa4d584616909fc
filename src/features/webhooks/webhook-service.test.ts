import { eq, sql } from 'drizzle-orm';
import { expect, it } from '@jest/globals';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { expectSoon } from '../../../test/support/expect-soon.js';
import { plainVault } from '../../../test/support/open-sessions.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { storeEndpoint } from '../../../test/support/webhooks/store-endpoint.js';
import { AuditLog } from '../../access/audit-log.js';
import { webhookDeliveries, webhookEndpoints } from '../../storage/automation-schema.js';
import { WebhookService } from './webhook-service.js';

it('a deletion waits for a result that is being stored, and not in a circle with it', async () => {
  const { db, close } = await openServerDatabase();
  try {
    const clock = new ManualClock();
    const config = { webhooksPerPrincipal: 1, webhookPrivateHosts: [] };
    const audit = new AuditLog(db, clock);
    const webhooks = new WebhookService(db, config, clock, audit, plainVault(db, clock));
    const id = await storeEndpoint(db);
    const at = new Date();
    const delivery = { endpointId: id, id: 'evt_1', type: 'turn.ended', facts: {} } as const;
    await db.insert(webhookDeliveries).values({ ...delivery, nextAt: at, createdAt: at });
    let deletion: Promise<unknown> | undefined;
    // As a sender does: the delivery, then its endpoint.
    await db.transaction(async (sender) => {
      const { endpointId } = webhookDeliveries;
      await sender.update(webhookDeliveries).set({ httpStatus: 500 }).where(eq(endpointId, id));
      deletion = webhooks.delete(id, { id: 'alice' });
      await expectSoon(async () => {
        const { rows } = await db.execute(sql`select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`);
        expect(rows).toHaveLength(1);
      });
      await sender
        .update(webhookEndpoints)
        .set({ failingSince: at })
        .where(eq(webhookEndpoints.id, id));
    });
    expect(await deletion).toMatchObject({ id });
    expect(await db.$count(webhookDeliveries)).toBe(0);
  } finally {
    await close();
  }
});
