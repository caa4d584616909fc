import { expect } from '@jest/globals';
import { expectSoon } from '../expect-soon.js';
import { verify, type Receiver } from '../webhooks/start-receiver.js';
import { delivery, deliveryMark, success } from './crash-lines.js';
import type { CrashScene } from './crash-scene.js';
import type { CrashPoint } from './crash-series.js';

/** A webhook for all events of the series' turns, and one of these turns. */
interface Watched {
  turnId: string;
  webhookId: string;
  secret: string;
}

/** Makes a webhook for all events, and runs a turn to its end. */
async function runTurn(scene: CrashScene, receiver: Receiver): Promise<Watched> {
  const { body } = await scene.client.post('/api/harness/webhooks', { url: receiver.url });
  const turn = await scene.send('Hello');
  expect(await turn.exit()).toEqual(success);
  const { id } = body['webhook'] as { id: string };
  return { turnId: turn.turnId, webhookId: id, secret: String(body['secret']) };
}

const idsOf = (receiver: Receiver, turnId: string): unknown[] =>
  receiver.ofTurn(turnId).map(({ headers }) => headers['webhook-id']);

/** The receiver has got what is sent of a turn, once. */
const expectDelivered = (receiver: Receiver, turnId: string): Promise<void> =>
  expectSoon(() => {
    const types = receiver.ofTurn(turnId).map(({ body }) => body.type);
    expect(types.toSorted()).toEqual(['turn.ended', 'turn.started']);
  });

/**
 * Lines of a sender of webhooks. A statement takes deliveries of several turns over their line, so no series has
 * both of these points.
 */
export const sendingPoints = (receiver: () => Receiver): Readonly<Record<string, CrashPoint>> => ({
  untold: {
    line: 'after the end is stored, before anything is sent: the next process sends it, once',
    stops: [delivery],
    async *play(scene) {
      const { turnId, secret } = await runTurn(scene, receiver());
      await scene.stopped();
      expect(receiver().ofTurn(turnId)).toEqual([]);
      yield;
      await expectDelivered(receiver(), turnId);
      for (const request of receiver().ofTurn(turnId)) verify(request, secret);
    },
  },
});

export const markingPoints = (receiver: () => Receiver): Readonly<Record<string, CrashPoint>> => ({
  unmarked: {
    line: 'after the receiver has answered, before the mark: it is sent again under its id',
    stops: [deliveryMark],
    async *play(scene) {
      const { turnId, webhookId, secret } = await runTurn(scene, receiver());
      await scene.stopped();
      await expectDelivered(receiver(), turnId);
      const sent = idsOf(receiver(), turnId);
      yield;
      await expectSoon(() => expect(idsOf(receiver(), turnId)).toHaveLength(4));
      expect(new Set(idsOf(receiver(), turnId))).toEqual(new Set(sent));
      for (const request of receiver().ofTurn(turnId)) verify(request, secret);
      const path = `/api/harness/webhooks/${webhookId}/deliveries?status=delivered&limit=200`;
      await expectSoon(async () => {
        const { body } = await scene.client.get(path);
        const deliveries = body['deliveries'] as Record<string, unknown>[];
        expect(deliveries.filter((one) => one['turnId'] === turnId)).toEqual([
          expect.objectContaining({ failures: 0 }),
          expect.objectContaining({ failures: 0 }),
        ]);
      });
    },
  },
});
