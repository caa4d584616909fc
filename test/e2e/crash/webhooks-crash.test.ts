import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { CrashSeries } from '../../support/crash/crash-series.js';
import { sendingPoints } from '../../support/crash/webhook-crash-points.js';
import { startReceiver, type Receiver } from '../../support/webhooks/start-receiver.js';

let receiver: Receiver;
const points = sendingPoints(() => receiver);

describe('kill -9 at a line of a sender of webhooks', () => {
  const series = new CrashSeries({
    points,
    kills: 1,
    environment: { TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*' },
    // The lease of the dead sender is over.
    meanwhile: (db) => db.execute(sql`update webhook_deliveries set next_at = now()`),
  });
  beforeAll(async () => {
    receiver = await startReceiver();
    await series.open();
  });
  afterAll(async () => {
    await series.close();
    await receiver.close();
  });

  it.each(Object.entries(points).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
