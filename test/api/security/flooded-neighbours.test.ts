import { beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_WRONG_KEYS } from '../../../src/access/origin/check-origin.js';
import { pageOf } from '../../support/access/page-token.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';

const USAGE = '/api/harness/usage';

describe('people at an address from which wrong credentials come', () => {
  const { issuer, environment } = useTokenIssuer([{ group: 'staff' }]);
  const server = useServer({
    environment: { ...environment, TURNPIKE_TRUSTED_PROXIES: '127.0.0.1,::1' },
  });
  /** What the proxy before the server says of a sender. */
  const from = (sender: string) => ({ 'x-forwarded-for': `198.51.100.99, ${sender}` });
  const as = (credential: string, sender: string) =>
    new KeyedClient(server.url, credential).send('GET', USAGE, undefined, from(sender));
  const forged = async (number: number): Promise<string> => {
    const token = await issuer.sign({ sub: `mallory${number}`, groups: ['staff'] });
    return `${token.slice(0, -20)}${'A'.repeat(20)}`;
  };
  const wrongKey = (number: number): string =>
    `tpk_${String(number).padStart(16, '0')}_${'w'.repeat(43)}`;
  beforeAll(async () => {
    await makeKey(server, { principal: 'first' });
  });

  it.each([
    ['forged tokens', '203.0.113.7', forged],
    ['wrong keys', '203.0.113.8', wrongKey],
  ])(
    'are taken with new tokens, new keys and page tokens, whatever %s come',
    async (_what, sender, wrong) => {
      const statuses = new Set<number>();
      for (let time = 0; time < 2 * MAX_WRONG_KEYS; time += 1) {
        statuses.add((await as(await wrong(time), sender)).status);
      }
      expect(statuses).toEqual(new Set([401, 429]));

      const token = await issuer.sign({ sub: 'ann', groups: ['staff'], jti: sender });
      expect((await as(token, sender)).status).toBe(200);
      const scopes = ['turns', 'tokens'];
      const { secret } = await makeKey(server, { principal: 'ben', scopes });
      const backend = new KeyedClient(server.url, secret);
      const page = await pageOf(backend);
      expect((await as(page.key ?? '', sender)).status).toBe(200);
      expect((await as(secret, sender)).status).toBe(200);
    },
  );

  it('are not counted together: a proxy says who sends', async () => {
    const [noisy, quiet] = ['203.0.113.20', '203.0.113.21'];
    for (let time = 100; time < 100 + MAX_WRONG_KEYS; time += 1) await as(wrongKey(time), noisy);
    expect((await as(wrongKey(1), noisy)).status).toBe(429);
    expect((await as(wrongKey(1), quiet)).status).toBe(401);
    // Nor does a sender make up an address that stands before the proxy's word.
    const made = { 'x-forwarded-for': `203.0.113.22, ${noisy}` };
    const again = new KeyedClient(server.url, wrongKey(2));
    expect((await again.send('GET', USAGE, undefined, made)).status).toBe(429);
  });

  it('have a tab with an old key among them, which counts once', async () => {
    const sender = '203.0.113.30';
    for (let time = 0; time < 3 * MAX_WRONG_KEYS; time += 1) {
      expect((await as(wrongKey(7), sender)).status).toBe(401);
    }
  });
});
