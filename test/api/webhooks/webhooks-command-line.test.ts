import { beforeAll, describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { webhookDeliveries } from '../../../src/storage/automation-schema.js';
import { makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import type { Ended } from '../../support/processes/run-program.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { useServer } from '../../support/processes/start-server.js';
import { answerWith, startReceiver, verify } from '../../support/webhooks/start-receiver.js';
import { useShared } from '../../support/suite.js';

describe('webhooks, from the command line and the typed client', () => {
  let key: string;
  const receiver = useShared(startReceiver);
  const server = useServer({ environment: { TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*' } });
  beforeAll(async () => {
    key = (await makeKey(server, { principal: 'alice' })).secret;
  });

  const turnpike = (...args: string[]): Promise<Ended> =>
    runTurnpike(['webhooks', ...args], {
      environment: { TURNPIKE_URL: server.url, TURNPIKE_API_KEY: key },
    });

  it('are made, tested, sent again and removed', async () => {
    const none = await turnpike('list');
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'There are none.\n' });
    const added = await turnpike('add', receiver.url, '--events', 'turn.ended');
    const [, secret = ''] = /^(whsec_\S+)\n$/.exec(added.stdout) ?? [];
    const [, id = ''] = /^(hook_\S+) signs .*\n$/.exec(added.stderr) ?? [];
    const listed = await turnpike('list');
    expect(listed.stdout).toMatch(
      new RegExp(`^WEBHOOK +URL +EVENTS +STATE\\n${id} +${receiver.url} +turn.ended +enabled\\n$`),
    );

    receiver.answer = answerWith(500);
    expect((await turnpike('test', id)).code).toBe(0);
    await expectSoon(async () => {
      const { stdout } = await turnpike('deliveries', id);
      expect(stdout).toMatch(
        /^DELIVERY .*\nevt_\S+ +\S+ \S+ +webhook\.test +pending +1 failed: the endpoint answered 500, again .*\n$/,
      );
    });
    expect((await turnpike('list')).stdout).toContain('fails since');
    await server.db.update(webhookDeliveries).set({ status: 'dead' });
    const dead = await turnpike('deliveries', id, '--status', 'dead', '--json');
    const { id: deliveryId } = JSON.parse(dead.stdout) as { id: string };
    receiver.answer = answerWith(204);
    expect((await turnpike('redeliver', id, deliveryId)).code).toBe(0);
    await expectSoon(() => expect(receiver.received).toHaveLength(2));
    const last = receiver.received.at(-1);
    expect(last && verify(last, secret)).toMatchObject({ id: deliveryId, type: 'webhook.test' });

    const rotated = await turnpike('rotate', id, '--keep-old', '0', '--json');
    expect(JSON.parse(rotated.stdout)).toMatchObject({
      webhook: { id },
      secret: expect.not.stringContaining(secret),
    });
    expect((await turnpike('remove', id)).stdout).toBe(`${id} is removed.\n`);
    const gone = await turnpike('deliveries', id);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('WEBHOOK_NOT_FOUND')]);
  });

  it('that are called wrongly are not sent to the server', async () => {
    const wrong = await turnpike('redeliver', 'hook_1');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('redeliver [options] <ID> <DELIVERY>'),
    ]);
    const refused = await turnpike('add', 'http://example.com/');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('https://')]);
  });

  it('are managed by the typed client', async () => {
    const { webhooks } = new TurnpikeClient({ url: server.url, key });
    const { webhook, secret } = await webhooks.create({ url: receiver.url, enabled: false });
    expect(secret).toMatch(/^whsec_/);
    await expect(webhooks.test(webhook.id)).rejects.toMatchObject({ code: 'WEBHOOK_DISABLED' });
    const enabled = await webhooks.change(webhook.id, { enabled: true, events: ['turn.waiting'] });
    expect(enabled).toEqual(await webhooks.get(webhook.id));
    const sent = await webhooks.test(webhook.id);
    await expectSoon(async () => {
      const { deliveries } = await webhooks.deliveries(webhook.id, { status: 'delivered' });
      expect(deliveries.map(({ id }) => id)).toEqual([sent.id]);
    });
    expect(await webhooks.redeliver(webhook.id, sent.id)).toMatchObject({ status: 'pending' });
    expect((await webhooks.rotate(webhook.id)).secret).not.toBe(secret);
    expect(await webhooks.delete(webhook.id)).toMatchObject({ id: webhook.id });
    expect(await webhooks.list()).toEqual([]);
  });
});
