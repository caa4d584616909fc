import { describe, expect, it } from '@jest/globals';
import { KeyedClient, type KeyedAnswer, keyedClient } from '../../support/clients/keyed-client.js';
import { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const write = '[[tool=write {"file_path":"a.txt","content":"x"}]]';

function sessionOf({ status, body }: KeyedAnswer): string {
  expect([status, body]).toMatchObject([200, {}]);
  return String((body['session'] as Record<string, unknown>)['sessionId']);
}

describe('what a session may loosen, by the scopes of its key', () => {
  const server = useServer();
  const client = (scopes: string[]) =>
    useShared(() => keyedClient(server, { name: 'test', principal: 'ann', scopes }));
  const sender = client(['turns']);
  const approver = client(['turns', 'approvals']);

  const create = (client: KeyedClient, more: object) =>
    client.send('POST', '/api/harness/session/create', {
      projectRoot: server.projectRoot,
      ...more,
    });

  it.each([
    { permissions: { allow: ['write'] } },
    { permissions: { allow: ['*'], deny: ['bash'] } },
    { mode: 'acceptEdits' },
    { mode: 'ACCEPTEDITS' },
  ])('is nothing without approvals: %j', async (more) => {
    const refused = await create(sender, more);
    expect([refused.status, refused.body['error']]).toMatchObject([
      403,
      { type: 'FORBIDDEN_SCOPE', details: { needed: 'approvals' } },
    ]);
    expect((await create(approver, more)).status).toBe(200);
  });

  it('may be tightened by any key', async () => {
    const more = { mode: 'plan', permissions: { ask: ['read'], deny: ['bash'], allow: [] } };
    expect((await create(sender, more)).status).toBe(200);
  });

  it('is not loosened by a turn either, which says so and waits for a person', async () => {
    const sessionId = sessionOf(await create(sender, {}));
    const connection = new AbortController();
    const response = await fetch(`${server.url}/api/harness/turn`, {
      method: 'POST',
      signal: connection.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sender.key ?? ''}` },
      body: JSON.stringify({
        sessionId,
        message: write,
        opts: { mode: 'acceptEdits', onDisconnect: 'continue' },
      }),
    });
    expect(response.status).toBe(200);
    const stream = new StreamReader(response, connection);
    await stream.until('approval:request');
    const streamed = JSON.stringify(stream.frames);
    expect(streamed).toContain('needs a key with the scope approvals; using direct');
    const ended = await sender.send('POST', '/api/harness/interrupt', { sessionId });
    expect(ended.status).toBe(200);
    await stream.ended;
  });
});

describe('the mode of a session', () => {
  const server = useServer();

  it.each(['PLAN', 'yolo', 'Plan Mode'])(
    'that is none writes nothing, and is kept as it was given: %s',
    async (mode) => {
      const { client, projectRoot } = server;
      const sessionId = await client.createSession(projectRoot, { mode });
      const { body } = await client.get(`/api/harness/session/${sessionId}`);
      expect(body['session']).toMatchObject({ mode });
      for (const message of [write, write]) {
        const frames = await (await client.turn(sessionId, message)).all();
        const result = frames.find(({ event }) => event === 'tool:result')?.data;
        expect(result).toMatchObject({
          ok: false,
          output: expect.stringContaining('mode plan is read-only'),
        });
        expect(JSON.stringify(frames).includes('is no mode')).toBe(mode !== 'PLAN');
      }
    },
  );
});

describe('ceilings of a server', () => {
  const server = useServer({
    environment: { TURNPIKE_MODE_CEILING: 'dontAsk', TURNPIKE_TOOL_CEILING: 'read, wr*' },
  });

  it('apply whatever a session or a turn asks for', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { mode: 'acceptEdits' });
    const opts = { mode: 'acceptEdits', tools: ['read', 'write', 'bash', 'glob'] };
    const frames = await (await client.turn(sessionId, write, { opts })).all();
    expect(frames.find(({ event }) => event === 'tool:result')?.data).toMatchObject({
      ok: false,
      output: expect.stringContaining('mode dontAsk asks nobody'),
    });
    expect(JSON.stringify(frames)).toContain('is more than this server lets any session have');
    const offered = server.modelRequests.at(-1)?.body.tools ?? [];
    expect(offered.map(({ name }) => name)).toEqual(['read', 'write']);
  });

  it('take no rules of a session that allow', async () => {
    const { client, projectRoot } = server;
    const body = { projectRoot, permissions: { allow: ['write'] } };
    const refused = await client.post('/api/harness/session/create', body);
    expect([refused.status, refused.body['error']]).toMatchObject([
      400,
      { type: 'INVALID_REQUEST', message: expect.stringContaining('TURNPIKE_MODE_CEILING') },
    ]);
  });
});
