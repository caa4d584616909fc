import { describe, expect, it } from '@jest/globals';
import { keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const base = '/api/harness/webhooks';
const url = 'https://example.com/hooks';

describe('the routes of webhooks', () => {
  const server = useServer({ environment: { TURNPIKE_WEBHOOKS_PER_PRINCIPAL: '3' } });
  const alice = useShared(() => keyedClient(server, { principal: 'alice' }));
  const adminOf = { principal: 'root', scopes: ['turns', 'admin'] };
  const admin = useShared(() => keyedClient(server, adminOf));

  const make = async (body: Record<string, unknown> = {}): Promise<string> => {
    const answer = await alice.send('POST', base, { url, ...body });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('whsec_')]);
    return (answer.body as { webhook: { id: string } }).webhook.id;
  };
  const remove = async (id: string) =>
    expect((await alice.send('DELETE', `${base}/${id}`)).status).toBe(200);

  it('show the secret once', async () => {
    const made = await alice.send('POST', base, {
      url,
      description: ' Mails ',
      events: ['turn.ended'],
    });
    const { webhook, secret } = made.body as { webhook: { id: string }; secret: string };
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64').length).toBeGreaterThanOrEqual(24);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^hook_/),
      url,
      description: 'Mails',
      events: ['turn.ended'],
      enabled: true,
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
      createdAt: expect.any(String),
    });
    const answers = [
      await alice.send('GET', base),
      await alice.send('GET', `${base}/${webhook.id}`),
      await alice.send('PATCH', `${base}/${webhook.id}`, { description: 'Calls' }),
      await alice.send('GET', `${base}/${webhook.id}/deliveries`),
      await admin.send('GET', '/api/admin/audit'),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('whsec_')]);
    }
    expect(server.logLines.join('')).not.toContain(secret);
    const entries = answers.at(-1)?.body['entries'] as Record<string, unknown>[];
    expect(entries.filter(({ subject }) => subject === webhook.id)).toMatchObject([
      { action: 'webhook.created', principal: 'alice', details: { host: 'example.com' } },
      { action: 'webhook.changed' },
    ]);
    await remove(webhook.id);
  });

  it('are the owner’s, whatever scope another has', async () => {
    const id = await make();
    expect((await admin.send('GET', base)).body).toEqual({ webhooks: [] });
    expect((await admin.send('GET', `${base}/${id}`)).status).toBe(404);
    await remove(id);
    const gone = await alice.send('GET', `${base}/${id}`);
    expect([gone.status, gone.body]).toMatchObject([404, { error: { type: 'WEBHOOK_NOT_FOUND' } }]);
  });

  it.each([
    ['no URL', { url: '' }, 'INVALID_REQUEST', /'url' must be a text of 1 to 2,000/],
    ['a long URL', { url: `${url}${'a'.repeat(2_000)}` }, 'INVALID_REQUEST', /'url' must be/],
    ['NUL in the URL', { url: `${url}\0` }, 'INVALID_REQUEST', /'url' must be/],
    ['no such event', { events: ['turn.begun'] }, 'INVALID_REQUEST', /'events' must be null, or/],
    ['no event', { events: [] }, 'INVALID_REQUEST', /'events' must be null, or/],
    ['an event twice', { events: ['turn.ended', 'turn.ended'] }, 'INVALID_REQUEST', /'events'/],
    ['a long text', { description: 'a'.repeat(501) }, 'INVALID_REQUEST', /'description' must be/],
    ['no truth', { enabled: 'yes' }, 'INVALID_REQUEST', /'enabled' must be true or false/],
    ['another field', { secret: 'mine' }, 'INVALID_REQUEST', /'?secret'?/],
    ['http', { url: 'http://example.com/' }, 'WEBHOOK_URL_REFUSED', /must begin with https/],
    ['this machine', { url: 'https://localhost/' }, 'WEBHOOK_URL_REFUSED', /no public address/],
    ['a private address', { url: 'https://10.0.0.1/' }, 'WEBHOOK_URL_REFUSED', /PRIVATE_HOSTS/],
    ['metadata', { url: 'https://169.254.169.254/' }, 'WEBHOOK_URL_REFUSED', /no public address/],
    ['a password', { url: 'https://a:b@example.com/' }, 'WEBHOOK_URL_REFUSED', /signed instead/],
  ])('refuse %s, and say what to do', async (_what, body, type, message) => {
    const id = await make();
    for (const answer of [
      await alice.send('POST', base, { url, ...body }),
      await alice.send('PATCH', `${base}/${id}`, body),
    ]) {
      expect([answer.status, answer.body]).toMatchObject([
        400,
        { error: { type, message: expect.stringMatching(message) } },
      ]);
    }
    const kept = await alice.send('GET', base);
    expect(kept.body).toMatchObject({ webhooks: [{ id, url, enabled: true }] });
    await remove(id);
  });

  it('refuse a change of nothing, and a rotation of too long', async () => {
    const id = await make();
    const nothing = await alice.send('PATCH', `${base}/${id}`, {});
    expect([nothing.status, nothing.text]).toEqual([
      400,
      expect.stringContaining('at least one of'),
    ]);
    for (const keepOldHours of [-1, 169, 1.5, '1']) {
      const refused = await alice.send('POST', `${base}/${id}/rotate`, { keepOldHours });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('0 to 168')]);
    }
    await remove(id);
  });

  it('are bounded in number, also where many are made at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () => alice.send('POST', base, { url })),
    );
    expect(made.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      200, 200, 200, 429, 429, 429, 429, 429,
    ]);
    expect(made.find(({ status }) => status === 429)?.body).toMatchObject({
      error: { type: 'WEBHOOK_LIMIT', details: { most: 3 } },
    });
    expect((await admin.send('POST', base, { url })).status).toBe(200);
    const { webhooks } = (await alice.send('GET', base)).body as { webhooks: { id: string }[] };
    for (const { id } of webhooks) await remove(id);
  });

  it('list deliveries by pages and by status', async () => {
    const id = await make({ enabled: true });
    for (let count = 0; count < 5; count += 1) await alice.send('POST', `${base}/${id}/test`);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await alice.send('GET', `${base}/${id}/deliveries?limit=2${after}`);
      seen.push(...(body['deliveries'] as { id: string }[]).map((delivery) => delivery.id));
      cursor = body['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toEqual(seen.toSorted().toReversed());
    const none = await alice.send('GET', `${base}/${id}/deliveries?status=delivered`);
    expect(none.body).toEqual({ deliveries: [] });
    for (const query of ['status=lost', 'cursor=1', 'cursor=1:a', 'limit=0']) {
      expect((await alice.send('GET', `${base}/${id}/deliveries?${query}`)).status).toBe(400);
    }
    const unknown = await alice.send('POST', `${base}/${id}/deliveries/evt_0/redeliver`);
    expect([unknown.status, unknown.body]).toMatchObject([
      404,
      { error: { type: 'WEBHOOK_DELIVERY_NOT_FOUND' } },
    ]);
    await remove(id);
  });
});
