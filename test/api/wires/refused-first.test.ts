import { afterEach, describe, expect, it } from '@jest/globals';
import { sessions } from '../../../src/storage/schema.js';
import { useServer } from '../../support/processes/start-server.js';

const file = { type: 'input_file', filename: 'a.exe', file_data: 'TVqQAAMAAAA=' };
const refusedInput = [{ role: 'user', content: [file] }];
const ownTool = { name: 'read', description: 'x', inputSchema: { type: 'object' } };
const user = { role: 'user', id: 'u1' };
const said = [{ type: 'text', text: 'Hello' }];

describe('a conversation whose first message is refused', () => {
  const server = useServer();
  afterEach(async () => {
    await server.db.delete(sessions);
  });

  const names = async () => {
    const rows = await server.db.select({ name: sessions.clientName }).from(sessions);
    return rows.map(({ name }) => name);
  };

  it.each<[string, string, object, Record<string, string>]>([
    ['Responses', '/v1/responses', { input: refusedInput }, {}],
    ['Responses with a key', '/v1/responses', { input: refusedInput }, { 'idempotency-key': 'k1' }],
    [
      'the AI SDK',
      '/api/chat',
      { id: 'c1', messages: [{ ...user, parts: said }], opts: { clientTools: [ownTool] } },
      {},
    ],
    [
      'AG-UI',
      '/agent/WORKING_ITEMS/ag-ui',
      {
        threadId: 't1',
        runId: 'r1',
        messages: [{ ...user, content: 'Hello' }],
        tools: [{ name: 'read', description: 'x' }],
      },
      {},
    ],
  ])('leaves no session behind on %s', async (_wire, path, body, headers) => {
    const { status } = await server.client.post(path, body, headers);
    expect(status).toBe(400);
    expect(await names()).toEqual([]);
  });

  it('stays where it had a message before', async () => {
    const chat = { id: 'c2', messages: [{ ...user, parts: said }] };
    expect((await server.client.post('/api/chat', chat)).status).toBe(200);
    const refused = await server.client.post('/api/chat', {
      ...chat,
      messages: [{ ...user, id: 'u2', parts: said }],
      opts: { clientTools: [ownTool] },
    });
    expect(refused.status).toBe(400);
    expect(await names()).toEqual(['c2']);
  });

  it('goes on with the same key once it is right', async () => {
    const key = { 'idempotency-key': 'k2' };
    const refused = await server.client.post('/v1/responses', { input: refusedInput }, key);
    expect(refused.status).toBe(400);
    const taken = await server.client.post('/v1/responses', { input: 'Hello' }, key);
    const repeated = await server.client.post('/v1/responses', { input: 'Hello' }, key);
    expect([taken.status, repeated.status]).toEqual([200, 200]);
    expect(repeated.body['id']).toBe(taken.body['id']);
    expect(await names()).toEqual(['response:k2']);
  });

  it('leaves no fork behind either, and keeps its source', async () => {
    const send = (body: object, key: string) =>
      server.client.post('/v1/responses', body, { 'idempotency-key': key });
    const first = (await send({ input: 'Hello' }, 'a')).body['id'];
    await send({ input: 'And on', previous_response_id: first }, 'b');
    const other = { previous_response_id: first, input: refusedInput };
    expect((await send(other, 'c')).status).toBe(400);
    expect(await names()).toEqual(['response:a']);
    const taken = await send({ ...other, input: 'Or else' }, 'c');
    const repeated = await send({ ...other, input: 'Or else' }, 'c');
    expect(taken.status).toBe(200);
    expect(repeated.body['id']).toBe(taken.body['id']);
    expect(await names()).toEqual(['response:a', null]);
  });
});
