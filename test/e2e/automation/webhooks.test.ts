import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { webhookDeliveries } from '../../../src/storage/automation-schema.js';
import { KeyedClient } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { parseSamples, valueOf } from '../../support/metrics/scrape.js';
import { useServer } from '../../support/processes/start-server.js';
import {
  answerWith,
  startReceiver,
  verify,
  type Receiver,
} from '../../support/webhooks/start-receiver.js';

interface Made {
  id: string;
  secret: string;
}

const base = '/api/harness/webhooks';

describe('webhooks', () => {
  let receiver: Receiver;
  let webhook: Made;
  const call = (method: string, path: string, body?: unknown) =>
    new KeyedClient(server.url).send(method, base + path, body);
  const make = async (body: Record<string, unknown>): Promise<Made> => {
    const answer = await call('POST', '', body);
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    const { webhook: made, secret } = answer.body as { webhook: { id: string }; secret: string };
    return { id: made.id, secret };
  };
  const deliveries = async (query = '') => {
    const { body } = await call('GET', `/${webhook.id}/deliveries${query}`);
    return body['deliveries'] as Record<string, unknown>[];
  };
  /** Moves the clock, as the deliveries see it, to their next try. */
  const makeDue = () => server.db.update(webhookDeliveries).set({ nextAt: new Date(0) });
  const server = useServer({
    environment: {
      TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*',
      TURNPIKE_WEBHOOKS_PER_PRINCIPAL: '100',
    },
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    webhook = await make({ url: receiver.url });
  });
  afterEach(async () => {
    await call('DELETE', `/${webhook.id}`);
    await receiver.close();
  });

  const runTurn = async (message = 'Hello'): Promise<string | null> => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const turn = await server.client.turn(sessionId, message);
    await turn.all();
    return turn.header('x-turn-id');
  };

  it('send the start and the end of a turn, signed, with what is needed to fetch the rest', async () => {
    const turnId = await runTurn();
    await expectSoon(() => expect(receiver.ofTurn(turnId)).toHaveLength(2));
    const sent = receiver.ofTurn(turnId);
    for (const request of sent) {
      expect(verify(request, webhook.secret)).toEqual(request.body);
      expect(request.headers['webhook-id']).toBe(request.body.id);
      expect(request.headers['content-type']).toBe('application/json');
      expect(Buffer.byteLength(request.text)).toBeLessThan(20_000);
    }
    const byType = Object.fromEntries(sent.map(({ body }) => [body.type, body]));
    expect(Object.keys(byType).sort()).toEqual(['turn.ended', 'turn.started']);
    const data = byType['turn.ended']?.data ?? {};
    expect(data).toMatchObject({ turnId, outcome: 'completed', exitCode: 0, attempt: 1 });
    const record = await server.client.get(`/api/harness/turns/${String(data['turnId'])}`);
    expect(record.body).toMatchObject({ turn: { sessionId: data['sessionId'] } });
    await expectSoon(async () =>
      expect(await deliveries('?status=delivered')).toMatchObject([
        { type: 'turn.ended', httpStatus: 204, failures: 0, nextTryAt: null, turnId },
        { type: 'turn.started', httpStatus: 204, failures: 0, nextTryAt: null, turnId },
      ]),
    );
  });

  it('send what a turn waits for, and once it was answered its end', async () => {
    const sessionId = await server.client.createSession(server.projectRoot, {
      permissions: { ask: ['glob'] },
    });
    const turn = await server.client.turn(sessionId, '[[tool=glob {"pattern":"*"}]] Look.');
    const turnId = turn.header('x-turn-id');
    const typesOf = () => receiver.ofTurn(turnId).map(({ body }) => body.type);
    await expectSoon(() =>
      expect(typesOf().sort()).toEqual(['approval.requested', 'turn.started', 'turn.waiting']),
    );
    const dataOf = (type: string) =>
      receiver.ofTurn(turnId).find(({ body }) => body.type === type)?.body.data;
    const { approvalId } = dataOf('approval.requested') ?? {};
    expect(dataOf('approval.requested')).toMatchObject({ kind: 'tool', name: 'glob', sessionId });
    expect(dataOf('turn.waiting')).toMatchObject({ approvalIds: [approvalId] });
    const path = `/api/harness/approvals/${String(approvalId)}`;
    expect(await server.client.post(path, { decision: 'approve' })).toMatchObject({ status: 200 });
    await turn.all();
    await expectSoon(() => expect(dataOf('turn.ended')).toMatchObject({ attempt: 2 }));
    // The numbers of an attempt's events order what came in any order.
    const seqs = ['turn.started', 'approval.requested', 'turn.waiting'].map(
      (type) => dataOf(type)?.['seq'],
    );
    expect(seqs).toEqual([...seqs].sort((a, b) => Number(a) - Number(b)));
  });

  it('have the events alone that they ask for, while they are enabled', async () => {
    await call('PATCH', `/${webhook.id}`, { events: ['turn.ended'] });
    const first = await runTurn();
    await call('PATCH', `/${webhook.id}`, { enabled: false });
    const second = await runTurn();
    await call('PATCH', `/${webhook.id}`, { enabled: true, events: null });
    const third = await runTurn();
    await expectSoon(() => expect(receiver.ofTurn(third)).toHaveLength(2));
    expect(receiver.ofTurn(first).map(({ body }) => body.type)).toEqual(['turn.ended']);
    expect(receiver.ofTurn(second)).toEqual([]);
  });

  it('send what failed again, the same to the letter, under a new signature', async () => {
    await call('PATCH', `/${webhook.id}`, { events: ['turn.ended'] });
    receiver.answer = answerWith(500, {}, 'not today');
    const turnId = await runTurn();
    await expectSoon(async () =>
      expect(await deliveries()).toMatchObject([
        {
          status: 'pending',
          failures: 1,
          httpStatus: 500,
          response: '[not shown: the endpoint is inside the network]',
          error: 'the endpoint answered 500',
        },
      ]),
    );
    const [{ nextTryAt, triedAt }] = (await deliveries()) as [Record<string, string>];
    const delayMs = Date.parse(nextTryAt ?? '') - Date.parse(triedAt ?? '');
    expect(delayMs).toBeGreaterThanOrEqual(4_500);
    expect(delayMs).toBeLessThan(7_000);
    receiver.answer = answerWith(200);
    await makeDue();
    await expectSoon(() => expect(receiver.ofTurn(turnId)).toHaveLength(2));
    const [first, second] = receiver.ofTurn(turnId);
    expect(second?.text).toBe(first?.text);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    for (const request of receiver.ofTurn(turnId)) verify(request, webhook.secret);
    await expectSoon(async () => {
      expect(await deliveries()).toMatchObject([{ status: 'delivered', error: null }]);
      const { body } = await call('GET', `/${webhook.id}`);
      expect(body).toMatchObject({ webhook: { failingSince: null } });
    });
  });

  it('give up after ten tries, and begin again when they are asked to', async () => {
    receiver.answer = answerWith(404);
    await call('POST', `/${webhook.id}/test`);
    for (let tries = 1; tries < 10; tries += 1) {
      await expectSoon(async () => expect(await deliveries()).toMatchObject([{ failures: tries }]));
      await makeDue();
    }
    await expectSoon(async () =>
      expect(await deliveries('?status=dead')).toMatchObject([
        { type: 'webhook.test', failures: 10, nextTryAt: null, turnId: null },
      ]),
    );
    expect(receiver.received).toHaveLength(10);
    const [{ id }] = (await deliveries('?status=dead')) as [{ id: string }];
    receiver.answer = answerWith(204);
    const again = await call('POST', `/${webhook.id}/deliveries/${id}/redeliver`);
    expect([again.status, again.body]).toMatchObject([
      202,
      { delivery: { id, status: 'pending', failures: 0 } },
    ]);
    await expectSoon(async () =>
      expect(await deliveries()).toMatchObject([{ id, status: 'delivered' }]),
    );
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([id]),
    );
  });

  it('are disabled by 410, and send nothing until they are enabled', async () => {
    receiver.answer = answerWith(410);
    await call('POST', `/${webhook.id}/test`);
    await expectSoon(async () =>
      expect((await call('GET', `/${webhook.id}`)).body).toMatchObject({
        webhook: { enabled: false, disabledReason: 'gone' },
      }),
    );
    const refused = await call('POST', `/${webhook.id}/test`);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: { type: 'WEBHOOK_DISABLED', message: expect.stringContaining('Enable it first') } },
    ]);
    expect((await call('PATCH', `/${webhook.id}`, { enabled: true })).body).toMatchObject({
      webhook: { enabled: true, disabledReason: null, failingSince: null },
    });
  });

  it('leave an endpoint alone for as long as it asks', async () => {
    receiver.answer = answerWith(429, { 'retry-after': '600' });
    await call('POST', `/${webhook.id}/test`);
    await expectSoon(async () => expect(await deliveries()).toMatchObject([{ failures: 1 }]));
    const [{ nextTryAt }] = (await deliveries()) as [Record<string, string>];
    expect(Date.parse(nextTryAt ?? '') - Date.now()).toBeGreaterThan(590_000);
    // Another delivery waits as well, though it never failed.
    await call('POST', `/${webhook.id}/test`);
    const other = await make({ url: receiver.url });
    receiver.answer = answerWith(204);
    await call('POST', `/${other.id}/test`);
    await expectSoon(() => expect(receiver.received).toHaveLength(2));
    expect(await deliveries()).toMatchObject([{ failures: 0, triedAt: null }, { failures: 1 }]);
    await call('DELETE', `/${other.id}`);
  });

  it('do not follow redirects', async () => {
    const elsewhere = await startReceiver();
    receiver.answer = answerWith(302, { location: elsewhere.url });
    await call('POST', `/${webhook.id}/test`);
    await expectSoon(async () =>
      expect(await deliveries()).toMatchObject([
        { httpStatus: 302, error: 'the endpoint answered 302: redirects are not followed' },
      ]),
    );
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });

  it('sign with both secrets for a while after a rotation', async () => {
    const { body } = await call('POST', `/${webhook.id}/rotate`, { keepOldHours: 1 });
    const secret = String(body['secret']);
    expect(secret).not.toBe(webhook.secret);
    await call('POST', `/${webhook.id}/test`);
    await expectSoon(() => expect(receiver.received).toHaveLength(1));
    for (const request of receiver.received) {
      expect(verify(request, secret)).toMatchObject({ type: 'webhook.test', data: {} });
      expect(verify(request, webhook.secret)).toEqual(request.body);
    }
    await call('POST', `/${webhook.id}/rotate`, { keepOldHours: 0 });
    await call('POST', `/${webhook.id}/test`);
    await expectSoon(() => expect(receiver.received).toHaveLength(2));
    const [, last] = receiver.received;
    for (const old of [secret, webhook.secret]) {
      expect(() => last && verify(last, old)).toThrow(/No matching signature/);
    }
  });

  it('do not wait for an endpoint that does not answer', async () => {
    const slow = await startReceiver();
    slow.answer = () => undefined;
    const hanging = await make({ url: slow.url });
    for (let count = 0; count < 10; count += 1) await call('POST', `/${hanging.id}/test`);
    await expectSoon(() => expect(slow.received).toHaveLength(4));
    await call('POST', `/${webhook.id}/test`);
    await expectSoon(() => expect(receiver.received).toHaveLength(1));
    expect(slow.received).toHaveLength(4);
    await call('DELETE', `/${hanging.id}`);
    await slow.close();
  });

  it('are counted', async () => {
    const countOf = async (outcome: string) => {
      const samples = parseSamples(await (await fetch(`${server.url}/metrics`)).text());
      return valueOf(samples, 'turnpike_webhook_deliveries_total', { outcome });
    };
    const before = await countOf('delivered');
    await call('POST', `/${webhook.id}/test`);
    await expectSoon(async () => expect(await countOf('delivered')).toBe((before ?? 0) + 1));
    expect(await countOf('dead')).toBeGreaterThan(0);
  });
});
