import { describe, expect, it } from '@jest/globals';
import { callOf, makeThings, routesOf, uiMessage } from '../../support/access/owned-things.js';
import { pageOf } from '../../support/access/page-token.js';
import { keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

/** Routes that tell a page token of one session nothing of another. */
const harmless = [
  'get /agents',
  'get /api/harness/approvals',
  'get /api/harness/awaited-approvals',
  'get /api/harness/login',
  'get /api/harness/me',
  'get /api/harness/models',
  'get /api/harness/session/defaults',
  'get /api/harness/session/list',
  'get /api/harness/sessions',
  'get /api/harness/skills',
  'get /api/harness/tools',
  'get /health',
  'get /health/agent',
  'get /live',
  'get /ready',
  'get /v1/models',
  'post /api/harness/attachments',
];

describe('what somebody has in another session than that of a page token', () => {
  const server = useServer();
  const key = useShared(() =>
    keyedClient(server, { principal: 'ann', scopes: ['turns', 'approvals', 'admin', 'tokens'] }),
  );
  const ownSession = useShared(async () => {
    const { projectRoot } = server;
    const made = await key.send('POST', '/api/harness/session/create', { projectRoot });
    return made.body['session'] as { sessionId: string };
  });
  const page = useShared(() => pageOf(key, { sessionId: ownSession.sessionId }));

  it('is refused on every route, and so is whatever is of no session', async () => {
    const things = await makeThings(key, server);
    const open: string[] = [];
    for (const route of await routesOf(key)) {
      const { status, text } = await page.send(...callOf(route, things));
      if (status === 403 || status === 404) continue;
      open.push(route);
      expect([route, text.includes(things.sessionId)]).toEqual([route, false]);
    }
    expect(open.toSorted()).toEqual(harmless.toSorted());
  });

  it('is in no list, and the own session is', async () => {
    const { body } = await page.send('GET', '/api/harness/sessions');
    expect(body).toMatchObject({ sessions: [{ sessionId: ownSession.sessionId }] });
    const root = encodeURIComponent(server.projectRoot);
    const listed = await page.send('GET', `/api/harness/session/list?projectRoot=${root}`);
    expect(listed.body).toMatchObject({ sessions: [{ sessionId: ownSession.sessionId }] });
  });

  it('leaves the own session whole', async () => {
    const { sessionId } = ownSession;
    const turn = await page.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
    expect([turn.status, turn.text]).toEqual([200, expect.stringContaining('process:exit')]);
    const chat = { id: sessionId, messages: [uiMessage] };
    expect((await page.send('POST', '/api/chat', chat)).status).toBe(200);
    // Another name is another conversation, and so is the same with a space.
    for (const id of ['other', ` ${sessionId}`, undefined]) {
      const { status } = await page.send('POST', '/api/chat', { ...chat, id });
      expect([id, status]).toEqual([id, id === undefined ? 403 : 404]);
    }
  });
});
