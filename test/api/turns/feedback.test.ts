import { beforeAll, describe, expect, it } from '@jest/globals';
import { webhookDeliveries } from '../../../src/storage/automation-schema.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const listBase = '/api/harness/feedback';

describe('feedback', () => {
  let turnId: string;
  let secondId: string;
  const server = useServer(async () => ({
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({ CRITIC: [] }),
      TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*',
      TURNPIKE_REQUESTS_PER_MINUTE: '100000',
    },
  }));
  const owner = useShared(() => keyedClient(server, { principal: 'ada' }));
  const other = useShared(() => keyedClient(server, { principal: 'bob' }));
  beforeAll(async () => {
    turnId = await run('WORKING_ITEMS');
    secondId = await run('CRITIC');
  });

  async function run(persona: string): Promise<string> {
    const made = await owner.send('POST', '/api/harness/session/create', {
      projectRoot: server.projectRoot,
      persona,
    });
    const { sessionId } = made.body['session'] as { sessionId: string };
    const message = { sessionId, message: 'Hello' };
    const { headers } = await owner.send('POST', '/api/harness/turn', message);
    return headers.get('x-turn-id') ?? '';
  }
  const pathOf = (id: string) => `/api/harness/turns/${id}/feedback`;
  const set = (body: Record<string, unknown>, id = turnId) => owner.send('PUT', pathOf(id), body);
  const delivered = async () => {
    const rows = await server.db
      .select()
      .from(webhookDeliveries)
      .orderBy(webhookDeliveries.createdAt);
    return rows.filter(({ type }) => type === 'feedback.changed').map(({ facts }) => facts);
  };
  const keysOf = async (query: string) => {
    const { body } = await owner.send('GET', `${listBase}?${query}`);
    return (body['feedback'] as { key: string }[]).map(({ key }) => key).toSorted();
  };

  it('is one value for each turn and key; the same again changes nothing, and nobody is told', async () => {
    const url = 'http://127.0.0.1:9/hooks';
    const made = await owner.send('POST', '/api/harness/webhooks', {
      url,
      events: ['feedback.changed'],
    });
    await owner.send('POST', '/api/harness/webhooks', { url, events: ['turn.ended'] });
    expect(made.status).toBe(200);
    const first = await set({ key: 'helpful', value: true, comment: 'Right to the point.' });
    expect([first.status, first.body]).toEqual([
      200,
      {
        feedback: {
          turnId,
          key: 'helpful',
          value: true,
          comment: 'Right to the point.',
          messageId: null,
          agent: 'WORKING_ITEMS',
          model: expect.any(String),
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
      },
    ]);
    const again = await set({ key: 'helpful', value: true, comment: 'Right to the point.' });
    expect(again.body).toEqual(first.body);
    expect(await delivered()).toEqual([{ key: 'helpful', value: true, messageId: null }]);
    const changed = await set({ key: 'helpful', value: false });
    expect(changed.body['feedback']).toMatchObject({ value: false, comment: null });
    expect(await delivered()).toHaveLength(2);
    const { body } = await owner.send('GET', pathOf(turnId));
    expect(body).toEqual({ feedback: [changed.body['feedback']] });
  });

  it('is about a message of the turn, if it says so', async () => {
    const { body } = await owner.send('GET', `/api/harness/turns/${turnId}`);
    const { sessionId } = body['turn'] as { sessionId: string };
    const page = await owner.send('GET', `/api/harness/sessions/${sessionId}/messages`);
    const ids = (page.body['messages'] as { id: string }[]).map(({ id }) => id);
    for (const messageId of ids) {
      expect((await set({ key: 'tone', value: 'kind', messageId })).status).toBe(200);
    }
    const wrong = await set({ key: 'tone', value: 'kind', messageId: 'msg_x' });
    expect([wrong.status, wrong.body]).toMatchObject([400, { error: { type: 'INVALID_REQUEST' } }]);
    expect(ids.length).toBeGreaterThan(1);
  });

  it.each([
    [{ value: true }, "'key'"],
    [{ key: 'a b', value: true }, "'key'"],
    [{ key: 'x'.repeat(65), value: true }, "'key'"],
    [{ key: 'k' }, "'value'"],
    [{ key: 'k', value: null }, "'value'"],
    [{ key: 'k', value: {} }, "'value'"],
    [{ key: 'k', value: '' }, "'value'"],
    [{ key: 'k', value: 'x'.repeat(501) }, "'value'"],
    [{ key: 'k', value: 'a\u0000' }, "'value'"],
    [{ key: 'k', value: 1, comment: 'x'.repeat(4001) }, "'comment'"],
    [{ key: 'k', value: 1, score: 1 }, 'score'],
  ])('refuses %j', async (body, field) => {
    const answer = await set(body);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { error: { type: 'INVALID_REQUEST' } },
    ]);
    expect(answer.text).toContain(field);
  });

  it('is listed by key, value, agent, model and time, a page at a time', async () => {
    await set({ key: 'score', value: 3.5 });
    await set({ key: 'score', value: 4 }, secondId);
    await set({ key: 'helpful', value: true }, secondId);
    expect(await keysOf('key=score')).toEqual(['score', 'score']);
    expect(await keysOf('key=score&min=3.6')).toEqual(['score']);
    expect(await keysOf('min=3&max=3.5')).toEqual(['score']);
    expect(await keysOf('min=1&max=1')).toEqual(['helpful']);
    expect(await keysOf('value=kind')).toEqual(['tone']);
    expect(await keysOf('value=false')).toEqual(['helpful']);
    expect(await keysOf('agent=CRITIC')).toEqual(['helpful', 'score']);
    expect(await keysOf('model=none')).toEqual([]);
    expect(await keysOf('until=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await keysOf('since=2020-01-01T00:00:00Z')).toHaveLength(5);
    const seen: unknown[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await owner.send('GET', `${listBase}?limit=2${at}`);
      seen.push(...(body['feedback'] as unknown[]));
      cursor = (body as { nextCursor?: string }).nextCursor;
    }
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(5);
  });

  it.each(['cursor=x', 'min=x', 'since=yesterday', 'limit=0'])(
    'refuses the query %s',
    async (query) => {
      expect((await owner.send('GET', `${listBase}?${query}`)).status).toBe(400);
    },
  );

  it('is nobody else’s, and is not there for them', async () => {
    expect((await other.send('GET', listBase)).body).toEqual({ feedback: [] });
    expect((await other.send('GET', pathOf(turnId))).status).toBe(404);
    expect((await other.send('PUT', pathOf(turnId), { key: 'k', value: 1 })).status).toBe(404);
  });

  it('is taken back, and the webhook is told', async () => {
    const before = (await delivered()).length;
    const gone = await owner.send('DELETE', `${pathOf(turnId)}/helpful`);
    expect(gone.body['feedback']).toMatchObject({ key: 'helpful', value: false });
    expect((await delivered()).slice(before)).toEqual([
      { key: 'helpful', value: null, messageId: null },
    ]);
    const again = await owner.send('DELETE', `${pathOf(turnId)}/helpful`);
    expect([again.status, again.body]).toMatchObject([
      404,
      { error: { type: 'FEEDBACK_NOT_FOUND' } },
    ]);
  });

  it('stops at fifty keys of a turn, whoever comes at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => set({ key: `k${index}`, value: index }, secondId)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(48);
    expect(statuses.filter((status) => status === 409)).toHaveLength(12);
    expect((await set({ key: 'k0', value: true }, secondId)).status).toBe(
      statuses[0] === 200 ? 200 : 409,
    );
  });
});
