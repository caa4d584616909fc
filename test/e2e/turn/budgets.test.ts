import { expect, it } from '@jest/globals';
import { expectSoon } from '../../support/expect-soon.js';
import { KeyedClient, makeKey, keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const server = useServer({ environment: { TURNPIKE_TOKENS_PER_DAY: '3000000' } });
const limits = { tokensPerDay: 4_000 };
const alice = useShared(() => keyedClient(server, { principal: 'alice', limits }));
const bob = useShared(() => keyedClient(server, { principal: 'bob' }));

async function turn(client: KeyedClient, message: string) {
  const { projectRoot } = server;
  const created = await client.send('POST', '/api/harness/session/create', {
    projectRoot,
    persona: 'WORKING_ITEMS',
    mode: 'direct',
  });
  const { session } = created.body as { session: { sessionId: string } };
  const { sessionId } = session;
  return client.send('POST', '/api/harness/turn', { sessionId, message, opts: { tools: [] } });
}
const usage = async (client: KeyedClient) => (await client.send('GET', '/api/harness/usage')).body;

it('reports the limit of a day on the stream, and shows what was used', async () => {
  const ended = await turn(alice, '[[tokens=9000]]');
  expect(ended.status).toBe(200);
  expect(ended.text).toContain('daily_token_budget');
  expect(ended.text).toContain('It starts again at midnight UTC');
  const { day, tokens, usd, resetsAt } = await usage(alice);
  expect(day).toBe(new Date(server.clock.now()).toISOString().slice(0, 10));
  expect(tokens).toMatchObject({ limit: 4_000 });
  expect((tokens as { used: number }).used).toBeGreaterThan(3_000);
  expect(usd).toBeNull();
  expect(String(resetsAt)).toMatch(/T00:00:00.000Z$/);
});

it('takes the limit of the server where the key has none, each principal its own', async () => {
  expect((await turn(bob, 'Hello')).text).not.toContain('daily_token_budget');
  const { tokens } = (await usage(bob)) as { tokens: { used: number; limit: number } };
  expect(tokens.limit).toBe(3_000_000);
  expect(tokens.used).toBeGreaterThan(0);
});

it('counts what was streamed of a reply that is cut', async () => {
  const { secret } = await makeKey(server, {
    principal: 'carol',
    limits: { tokensPerDay: 50_000 },
  });
  const carol = new KeyedClient(server.url, secret);
  const asked = turn(carol, '[[tokens=9000 gap=1]]');
  let turnId = '';
  await expectSoon(async () => {
    const { body } = await carol.send('GET', '/api/harness/sessions');
    const [{ sessionId }] = body['sessions'] as [{ sessionId: string }];
    const listed = await carol.send('GET', `/api/harness/sessions/${sessionId}/turns`);
    const [found] = listed.body['turns'] as [{ turnId: string }];
    turnId = found.turnId;
    const log = await carol.send('GET', `/api/harness/turns/${turnId}/log?limit=200`);
    expect(log.text.length).toBeGreaterThan(3_000);
  });
  await carol.send('POST', `/api/harness/turns/${turnId}/interrupt`, {});
  await asked;
  const { body } = await carol.send('GET', `/api/harness/turns/${turnId}`);
  const { usage: counted } = body['turn'] as {
    usage: { inputTokens: number; outputTokens: number; cacheWriteTokens: number };
  };
  // The rehearsal reports one token until its reply is whole.
  expect(counted.outputTokens).toBeGreaterThan(50);
  const { tokens } = (await usage(carol)) as { tokens: { used: number } };
  expect(tokens.used).toBe(counted.inputTokens + counted.cacheWriteTokens + counted.outputTokens);
});

it('refuses a turn when nothing is left', async () => {
  const { db } = server;
  await db.execute('update usage_days set tokens = 4000');
  const refused = await turn(alice, 'Hello');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
  expect(refused.body).toMatchObject({
    error: {
      type: 'BUDGET_EXHAUSTED',
      message: expect.stringContaining('midnight UTC'),
      details: { budget: 'daily_token_budget', used: 4_000, limit: 4_000 },
    },
  });
});
