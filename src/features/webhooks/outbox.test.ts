import { beforeEach, describe, expect, it } from '@jest/globals';
import { and, eq } from 'drizzle-orm';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { plainVault } from '../../../test/support/open-sessions.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { startReceiver } from '../../../test/support/webhooks/start-receiver.js';
import { storeEndpoint } from '../../../test/support/webhooks/store-endpoint.js';
import { webhookDeliveries, webhookEndpoints } from '../../storage/automation-schema.js';
import { Metrics } from '../../telemetry/metrics.js';
import { DeliveryPoster } from './delivery-poster.js';
import { DeliveryQueue, type ClaimedDelivery } from './outbox.js';
import type { TryResult } from './decide-outcome.js';
import { WebhookSender } from './webhook-sender.js';
import { useDatabase } from '../../../test/support/database/database.js';

const answered = (status: number): TryResult => ({ type: 'answered', status, body: 'no' });
const idle = { busy: new Map<string, number>(), maxHealthy: 100, maxFailing: 100 };

describe.each(bothDatabases)('the queue of deliveries, on %s', (_name, open) => {
  let clock: ManualClock;
  let queue: DeliveryQueue;
  let made = 0;
  const database = useDatabase(open);
  beforeEach(async () => {
    clock = new ManualClock();
    queue = new DeliveryQueue(database.db, clock, plainVault(database.db, clock));
    await database.db.delete(webhookDeliveries);
    await database.db.delete(webhookEndpoints);
  });

  /** Stores deliveries of an endpoint, a millisecond after each other. */
  const store = async (endpointId: string, count = 1): Promise<void> => {
    const rows = Array.from({ length: count }, (_, index) => {
      const at = new Date(clock.now() - 1_000 + index);
      const id = `evt_${(made += 1)}`;
      return { endpointId, id, type: 'turn.ended', facts: {}, nextAt: at, createdAt: at } as const;
    });
    await database.db.insert(webhookDeliveries).values(rows);
  };
  const ofEndpoints = (claimed: readonly ClaimedDelivery[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { endpointId } of claimed) counts[endpointId] = (counts[endpointId] ?? 0) + 1;
    return counts;
  };
  const find = async ({ endpointId, id }: ClaimedDelivery) => {
    const which = and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.id, id));
    const [delivery] = await database.db.select().from(webhookDeliveries).where(which);
    const [endpoint] = await database.db
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.id, endpointId));
    return { delivery, endpoint };
  };
  const claimOne = async (): Promise<ClaimedDelivery> => {
    const [claimed] = await queue.claim(idle);
    if (claimed === undefined) throw new Error('Nothing is due');
    return claimed;
  };

  it('gives each endpoint its share, whoever has more', async () => {
    const many = await storeEndpoint(database.db);
    const few = await storeEndpoint(database.db);
    await store(many, 50);
    await store(few, 2);
    const claimed = await queue.claim({ ...idle, busy: new Map([[many, 1]]) });
    expect(ofEndpoints(claimed)).toEqual({ [many]: 3, [few]: 2 });
  });

  it('gives endpoints that fail one request each, and a share of their own', async () => {
    const well = await storeEndpoint(database.db);
    const failing = await Promise.all(
      [1, 2, 3].map(() => storeEndpoint(database.db, { failingSince: new Date(0) })),
    );
    for (const endpoint of failing) await store(endpoint, 5);
    await store(well, 5);
    const claimed = await queue.claim({ ...idle, maxHealthy: 4, maxFailing: 2 });
    const counts = ofEndpoints(claimed);
    expect(counts[well]).toBe(4);
    expect(failing.map((id) => counts[id] ?? 0).sort((a, b) => a - b)).toEqual([0, 1, 1]);
    expect(claimed.filter(({ isFailing }) => isFailing)).toHaveLength(2);
  });

  it('gives nothing twice', async () => {
    const endpoint = await storeEndpoint(database.db);
    await store(endpoint, 8);
    const both = await Promise.all([queue.claim(idle), queue.claim(idle)]);
    const ids = both.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(4);
  });

  it('gives a delivery to another sender once the lease of the first is over', async () => {
    await store(await storeEndpoint(database.db));
    const first = await claimOne();
    await clock.advance(29_000);
    expect(await queue.claim(idle)).toEqual([]);
    await clock.advance(2_000);
    const second = await claimOne();
    expect([second.id, second.attempt]).toEqual([first.id, first.attempt + 1]);
    expect(await queue.mark(first, answered(500), { type: 'dead', reason: 'late' })).toBe(false);
    expect(await queue.mark(second, answered(200), { type: 'delivered' })).toBe(true);
    expect((await find(first)).delivery).toMatchObject({ status: 'delivered', error: null });
  });

  it('gives a delivery that was given back at once', async () => {
    await store(await storeEndpoint(database.db));
    const first = await claimOne();
    await queue.release(first);
    expect(await claimOne()).toMatchObject({ id: first.id, failures: 0 });
  });

  it('gives a delivery at once whose request ended with its sender’s process', async () => {
    const receiver = await startReceiver();
    const came = new Promise<void>((resolve) => (receiver.answer = () => resolve()));
    await store(await storeEndpoint(database.db, { url: receiver.url }));
    const inside = { variable: 'TURNPIKE_WEBHOOK_PRIVATE_HOSTS', listed: ['127.0.0.1:*'] };
    const sender = new WebhookSender(
      queue,
      new DeliveryPoster({ inside, clock }),
      { drainMs: 0 },
      clock,
      silentLogger,
      new Metrics(),
    );
    sender.start();
    await came;
    await sender.onModuleDestroy();
    await receiver.close();
    expect(await claimOne()).toMatchObject({ attempt: 2, failures: 0 });
  });

  it('gives nothing for an endpoint that is disabled or paused', async () => {
    const later = new Date(clock.now() + 10_000);
    await store(await storeEndpoint(database.db, { enabled: false }));
    const paused = await storeEndpoint(database.db, { pausedUntil: later });
    await store(paused);
    await store('hook_deleted');
    expect(await queue.claim(idle)).toEqual([]);
    await clock.advance(10_000);
    expect(ofEndpoints(await queue.claim(idle))).toEqual({ [paused]: 1 });
  });

  it('stores a failure with its answer, and the time of the next try', async () => {
    const endpoint = await storeEndpoint(database.db);
    await store(endpoint, 2);
    const claimed = await claimOne();
    const retry = {
      type: 'retry',
      reason: 'it said 429',
      delayMs: 5_000,
      pauseMs: 30_000,
    } as const;
    await queue.mark(claimed, answered(429), retry);
    const now = clock.now();
    expect(await find(claimed)).toMatchObject({
      delivery: {
        status: 'pending',
        failures: 1,
        httpStatus: 429,
        response: 'no',
        error: 'it said 429',
        nextAt: new Date(now + 5_000),
        endedAt: null,
      },
      endpoint: { failingSince: new Date(now), pausedUntil: new Date(now + 30_000) },
    });
    await clock.advance(31_000);
    const again = await claimOne();
    await queue.mark(again, answered(200), { type: 'delivered' });
    expect((await find(again)).endpoint).toMatchObject({ failingSince: null, pausedUntil: null });
  });

  it('disables an endpoint that is gone, and keeps what waits', async () => {
    const endpoint = await storeEndpoint(database.db);
    await store(endpoint, 2);
    const [first, second] = await queue.claim(idle);
    if (first === undefined || second === undefined) throw new Error('Nothing is due');
    await queue.mark(first, answered(410), { type: 'gone', reason: 'it answered 410' });
    await queue.release(second);
    expect(await find(first)).toMatchObject({
      delivery: { status: 'dead', error: 'it answered 410' },
      endpoint: { enabled: false, disabledReason: 'gone' },
    });
    expect(await queue.claim(idle)).toEqual([]);
    expect((await find(second)).delivery).toMatchObject({ status: 'pending' });
  });

  it('signs with the secret before a rotation until its time is over', async () => {
    const previousUntil = new Date(clock.now() + 60_000);
    const rotated = { previousSecret: 'whsec_older', previousUntil };
    await store(await storeEndpoint(database.db, rotated));
    const before = await claimOne();
    expect((await queue.openSecrets(before)).previousSecrets).toEqual(['whsec_older']);
    await clock.advance(61_000);
    expect((await queue.openSecrets(await claimOne())).previousSecrets).toEqual([]);
  });
});
