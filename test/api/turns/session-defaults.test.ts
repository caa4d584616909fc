import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

describe('sessions of people', () => {
  const server = useServer();

  const create = (body: unknown) => server.client.post('/api/harness/session/create', body);

  it('work in the caller’s own folder where none is given, which takes a turn', async () => {
    const { status, body } = await create('');
    const { sessionId, projectRoot } = body['session'] as Record<string, string>;
    expect([status, projectRoot]).toEqual([200, path.join(server.config.projectsDir, 'default')]);
    const turn = await server.client.turn(sessionId ?? '', 'Hello');
    expect((await turn.all()).at(-1)?.data).toEqual({ exitCode: 0 });
  });

  it('have defaults, which a caller may ask for with what it may do', async () => {
    const { status, body } = await server.client.get('/api/harness/session/defaults');
    expect([status, body]).toEqual([
      200,
      {
        principal: 'local',
        isKeyed: false,
        scopes: ['turns', 'approvals'],
        command: 'turnpike',
        projectRoot: path.join(server.config.projectsDir, 'default'),
        persona: 'WORKING_ITEMS',
        mode: 'direct',
        attachmentBytes: 10 * 1024 * 1024,
      },
    ]);
  });

  it('are renamed, and are found by a word of their title, message or folder', async () => {
    const { client, projectRoot } = server;
    const folder = path.join(projectRoot, 'Tax_2025%');
    await mkdir(folder);
    const sessionId = await client.createSession(folder);
    const one = `/api/harness/session/${sessionId}`;
    await (await client.turn(sessionId, 'Say "hello" to Zoë [[tokens=1]]')).all();
    const find = async (search: string) => {
      const found = await client.get(`/api/harness/sessions?search=${encodeURIComponent(search)}`);
      return (found.body['sessions'] as Record<string, string>[])
        .filter((session) => session['sessionId'] === sessionId)
        .map(({ title }) => title);
    };
    const before = await client.get(one);
    const first = 'Say "hello" to Zoë [[tokens=1]]';
    for (const word of ['say "HELLO"', 'zoë', 'tax_2025%'])
      expect(await find(word)).toEqual([first]);
    for (const word of ['Tax%25', 'message', 'Hello2']) expect(await find(word)).toEqual([]);

    const rename = (title: unknown) =>
      client.request('PATCH', one, {
        body: JSON.stringify({ title }),
        headers: { 'content-type': 'application/json' },
      });
    const { status, body } = await rename(' The 2025 return ');
    const session = { ...(before.body['session'] as object), title: 'The 2025 return' };
    expect([status, body]).toEqual([200, { session }]);
    expect(await find('2025 return')).toEqual(['The 2025 return']);
    for (const title of ['', ' ', 5, 'x'.repeat(201), 'a\0b', undefined]) {
      expect((await rename(title)).status).toBe(400);
    }
    await rename(null);
    expect(await find('zoë')).toEqual([first]);
  });

  it('are counted by day and model, for their owner', async () => {
    const { body } = await server.client.get('/api/harness/usage/days');
    const today = new Date().toISOString().slice(0, 10);
    const [first] = body['days'] as Record<string, unknown>[];
    expect(first).toEqual({
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      principal: 'local',
      key: null,
      agent: null,
      model: 'claude-sonnet-5-5',
      turns: expect.any(Number),
      failed: 0,
      tokens: expect.any(Number),
      usd: expect.any(Number),
    });
    expect([first?.['day'] === today, Number(first?.['turns']) >= 2]).toEqual([true, true]);
    expect(Number(first?.['tokens'])).toBeGreaterThan(0);
    expect((await server.client.get('/api/harness/usage/days?of=some')).status).toBe(400);
  });
});
