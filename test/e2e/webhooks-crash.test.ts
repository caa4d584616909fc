import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { delivery, deliveryMark, success } from '../support/crash/crash-lines.js';
import type { CrashScene } from '../support/crash/crash-scene.js';
import { CrashSeries, type CrashPoint } from '../support/crash/crash-series.js';
import { expectSoon } from '../support/expect-soon.js';
import { startReceiver, verify, type Receiver } from '../support/webhooks/start-receiver.js';

let receiver: Receiver;

/** Makes a webhook for all events, and runs a turn to its end. */
async function runTurn(scene: CrashScene): Promise<{ turnId: string; secret: string }> {
  const { body } = await scene.client.post('/api/harness/webhooks', { url: receiver.url });
  const turn = await scene.send('Hello');
  expect(await turn.exit()).toEqual(success);
  return { turnId: turn.turnId, secret: String(body['secret']) };
}

const idsOf = (turnId: string): unknown[] =>
  receiver.ofTurn(turnId).map(({ headers }) => headers['webhook-id']);
const typesOf = (turnId: string): string[] =>
  receiver
    .ofTurn(turnId)
    .map(({ body }) => body.type)
    .sort();

const points: Record<string, CrashPoint> = {
  untold: {
    line: 'after the end is stored, before anything is sent: the next process sends it, once',
    stops: [delivery],
    async *play(scene) {
      const { turnId, secret } = await runTurn(scene);
      await scene.stopped();
      expect(receiver.ofTurn(turnId)).toEqual([]);
      yield;
      await expectSoon(() => expect(typesOf(turnId)).toEqual(['turn.ended', 'turn.started']));
      for (const request of receiver.ofTurn(turnId)) verify(request, secret);
    },
  },
  unmarked: {
    line: 'after the receiver has answered, before the mark: it is sent again under its id',
    stops: [deliveryMark],
    async *play(scene) {
      const { turnId, secret } = await runTurn(scene);
      await scene.stopped();
      await expectSoon(() => expect(typesOf(turnId)).toEqual(['turn.ended', 'turn.started']));
      const sent = idsOf(turnId);
      yield;
      await expectSoon(() => expect(idsOf(turnId)).toHaveLength(4));
      expect(new Set(idsOf(turnId))).toEqual(new Set(sent));
      for (const request of receiver.ofTurn(turnId)) verify(request, secret);
      const { body } = await scene.client.get('/api/harness/webhooks');
      const [webhook] = body['webhooks'] as { id: string }[];
      const path = `/api/harness/webhooks/${webhook?.id}/deliveries`;
      await expectSoon(async () =>
        expect((await scene.client.get(`${path}?status=delivered`)).body).toMatchObject({
          deliveries: [{ failures: 0 }, { failures: 0 }],
        }),
      );
    },
  },
};

describe.each(Object.entries(points))('kill -9 of a sender, %s', (tag, point) => {
  const series = new CrashSeries({
    points: { [tag]: point },
    kills: 1,
    environment: { TURNPIKE_EGRESS_PRIVATE_HOSTS: '127.0.0.1' },
    // The lease of the dead process is over.
    meanwhile: (db) => db.execute(sql`update webhook_deliveries set next_at = now()`),
  });
  beforeAll(async () => {
    receiver = await startReceiver();
    await series.open();
  }, 300_000);
  afterAll(async () => {
    await series.close();
    await receiver.close();
  });

  it(point.line, () => series.finish(tag));
});
