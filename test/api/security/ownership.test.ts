import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids.js';
import {
  callOf,
  makeThings,
  requests,
  routesOf,
  thingIn,
  type Things,
} from '../../support/access/owned-things.js';
import { toUlid } from '../../../src/wires/named-agents/ulid-form.js';
import { CookieBrowser, useLoginProvider } from '../../support/access/login-provider.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { pageOf } from '../../support/access/page-token.js';
import { KeyedClient, type KeyedAnswer, keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

/** Routes that take nobody's id, or begin something new where an id is unknown. */
const withoutIds = [
  'delete /api/admin/keys/{id}',
  'patch /api/admin/keys/{id}',
  'delete /api/admin/mcp/clients',
  'delete /api/admin/principals/{principal}',
  'delete /api/admin/principals/{principal}/access',
  'post /api/admin/master-key/rotate',
  'post /api/admin/tools/start',
  'post /api/admin/tools/try',
  'get /api/admin/export',
  'get /api/admin/principals/{principal}',
  'post /api/admin/import',
  'post /api/admin/master-key/rotate',
  'get /agents',
  'get /api/admin/audit',
  'get /api/admin/keys',
  'get /api/harness/approvals',
  'get /api/harness/awaited-approvals',
  'get /api/admin/queue',
  'get /api/admin/turns',
  'get /api/admin/turns/{id}',
  'get /api/admin/turns/{id}/log',
  'get /api/harness/session/list',
  'get /api/harness/session/defaults',
  'get /api/chats',
  'get /api/harness/sessions',
  'get /api/harness/models',
  'get /v1/models',
  'get /v1/models/{id}',
  'get /api/harness/skills',
  'get /api/harness/tools',
  'get /api/harness/turns',
  'get /api/harness/usage',
  'get /api/harness/usage/days',
  'delete /api/harness/memory/{agent}',
  'delete /api/harness/memory/{agent}/file',
  'get /api/harness/feedback',
  'get /api/harness/login',
  'get /api/harness/mcp/logins',
  'get /api/harness/me',
  'get /api/harness/memory',
  'get /api/harness/memory/{agent}',
  'get /api/harness/memory/{agent}/file',
  'put /api/harness/memory/{agent}/file',
  'get /api/harness/webhooks',
  'get /api/harness/schedules',
  'post /api/harness/mcp/logins',
  'post /api/harness/mcp/logins/callback',
  'post /api/harness/webhooks',
  'get /api/settings/agent-config',
  'get /api/settings/effective',
  'get /api/settings/models',
  'get /health',
  'get /health/agent',
  'get /metrics',
  'get /live',
  'get /ready',
  'post /agent/{name}/chat',
  'post /agent/{name}/chat/multipart',
  'post /agent/{name}/chat/stream',
  'post /agent/{name}/chat/stream/multipart',
  'post /api/admin/keys',
  'post /api/harness/attachments',
  'post /api/harness/tokens',
  'delete /api/harness/tokens/{principal}',
  'post /api/harness/session/create',
  'post /api/settings/agent-config/reset',
  'post /api/settings/models/reset',
  'put /api/harness/schedules/{key}',
  'put /api/settings/agent-config',
  'put /api/settings/models',
];

const unknown = (): Things => ({
  sessionId: newId('sess'),
  turnId: newId('turn'),
  oracleId: newId('sess'),
  agentSession: toUlid(newId('sess')),
  agentMessage: toUlid(newId('turn')),
  approvalId: newId('appr'),
  awaitedId: newId('appr'),
  attachmentId: `${newId('file')}_1`,
  webhookId: newId('hook'),
  responseId: newId('resp'),
  scheduleKey: newId('key'),
  mcpLoginId: newId('mcpl'),
});

/** What vouches for people; with tokens, log-ins and extensions, the server has had no key. */
describe.each(['keys', 'tokens', 'page tokens', 'log-ins', 'extensions', 'approver roles'])(
  'what somebody else has, where people have %s',
  (kind) => {
    let things: Things;
    let routes: string[];
    const { issuer, environment } = useTokenIssuer();
    const { provider, environment: ofConsole } = useLoginProvider();
    const extensions = path.join(newFolder(), 'who.mjs');
    const server = useServer(async () => {
      if (kind === 'log-ins') return { environment: await ofConsole() };
      if (kind === 'extensions') {
        await writeFile(extensions, authenticator);
        return { environment: { TURNPIKE_EXTENSIONS: extensions } };
      }
      return kind === 'tokens' ? { environment } : {};
    });
    /** Somebody with a key that makes page tokens for itself. */
    const keyOf = (name: string): Promise<KeyedClient> =>
      keyedClient(server, { principal: name, scopes: ['turns', 'approvals', 'tokens'] });
    const loggedIn = async (sub: string): Promise<KeyedClient> => {
      provider.serve([server.url]);
      provider.person = { sub, name: sub, groups: [] };
      const browser = new CookieBrowser();
      await browser.logIn(server.url);
      const cookie = `turnpike=${browser.cookie('turnpike')}`;
      return new KeyedClient(server.url, undefined, { cookie, origin: server.url });
    };
    const clientOf = async (name: string): Promise<KeyedClient> => {
      if (kind === 'tokens') return new KeyedClient(server.url, await issuer.sign({ sub: name }));
      if (kind === 'log-ins') return loggedIn(name);
      if (kind === 'extensions') return new KeyedClient(server.url, `who-${name}`);
      if (kind === 'approver roles') {
        return keyedClient(server, { principal: name, approves: ['release'] });
      }
      return kind === 'keys' ? keyedClient(server, { principal: name }) : pageOf(await keyOf(name));
    };
    const owner = useShared(() => clientOf('owner'));
    const other = useShared(() => clientOf('other'));
    beforeAll(async () => {
      // What goes on without its maker, as a webhook does, is not made with a page token.
      things = await makeThings(kind === 'page tokens' ? await keyOf('owner') : owner, server);
      routes = await routesOf(owner);
    });

    it('is declared here for every route that takes an id', () => {
      const undeclared = routes.filter(
        (route) =>
          thingIn(route) === undefined && !(route in requests) && !withoutIds.includes(route),
      );
      expect(undeclared).toEqual([]);
      const unknownRoutes = Object.keys(requests).filter((route) => !routes.includes(route));
      expect(unknownRoutes).toEqual([]);
    });

    it('is not for somebody without a credential, on any route', async () => {
      const watched = [
        'get /health',
        'get /health/agent',
        'get /live',
        'get /ready',
        'get /metrics',
      ];
      const open = [...watched, 'get /api/harness/login'];
      const nobody = new KeyedClient(server.url);
      for (const route of routes) {
        if (open.includes(route)) continue;
        const [method = '', template = ''] = route.split(' ');
        const url = template.replaceAll(/\{\w+\}/g, 'x');
        const { status } = await nobody.send(method.toUpperCase(), url);
        expect([route, status]).toEqual([route, 401]);
      }
    });

    it('is not there, on any route', async () => {
      const isFine = [
        'post /api/oracle/cancel',
        'delete /sessions/{session_id}',
        'get /api/chat/{id}/stream',
        'post /mcp',
      ];
      const taking = routes.filter((route) => !withoutIds.includes(route));
      expect(taking.length).toBeGreaterThan(60);
      for (const route of taking) {
        if (kind === 'approver roles' && route.includes('/awaited-approvals/')) continue;
        const nothing = unknown();
        const [ofOther, ofNobody] = await Promise.all(
          [things, nothing].map((ids) => other.send(...callOf(route, ids))),
        );
        expect([route, anonymous(ofOther, things)]).toEqual([route, anonymous(ofNobody, nothing)]);
        const status = kind === 'page tokens' && neverForPages.includes(route) ? 403 : 404;
        if (!isFine.includes(route)) expect([route, ofOther?.status]).toEqual([route, status]);
      }
    });

    it('is shown to those whom its call awaits as that call, and as nothing else', async () => {
      const awaited = `/api/harness/awaited-approvals/${things.awaitedId}`;
      const { status, text } = await other.send('GET', awaited);
      expect(status).toBe(kind === 'approver roles' ? 200 : 404);
      const rest = Object.entries(things).filter(([what]) => what !== 'awaitedId');
      expect(rest.filter(([, id]) => text.includes(String(id)))).toEqual([]);
      const asOwn = await other.send('GET', `/api/harness/approvals/${things.awaitedId}`);
      expect(asOwn.status).toBe(404);
    });

    it('is not there for a body that is wrong otherwise, either', async () => {
      const nothing = unknown();
      const [ofOther, ofNobody] = await Promise.all(
        [things, nothing].map(({ sessionId }) =>
          other.send('POST', '/api/harness/turn', { sessionId: ` ${sessionId} `, message: 7 }),
        ),
      );
      expect(anonymous(ofOther, things)).toEqual(anonymous(ofNobody, nothing));
    });

    it('is in no list, no newest conversation and no session of an agent', async () => {
      const root = encodeURIComponent(server.projectRoot);
      const listed = await other.send('GET', `/api/harness/session/list?projectRoot=${root}`);
      expect(listed.body['sessions']).toEqual([]);
      const newest = await other.send('GET', '/api/oracle/history');
      expect(newest.body['session_id']).toBeNull();
      expect((await other.send('GET', '/api/harness/webhooks')).body).toEqual({ webhooks: [] });
      const chat = await other.send('POST', '/agent/WORKING_ITEMS/chat', {
        message: 'Hello',
        session_id: things.agentSession,
      });
      expect(chat.status).toBe(200);
      expect(chat.body['session_id']).not.toBe(things.agentSession);
    });

    it('is not compared with one’s own', async () => {
      const made = await other.send('POST', '/api/harness/session/create', {
        projectRoot: server.projectRoot,
      });
      const { sessionId } = made.body['session'] as { sessionId: string };
      const sent = await other.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
      const own = sent.headers.get('x-turn-id') ?? '';
      const compare = (turnId: string) =>
        other.send('GET', `/api/harness/turns/${own}/compare?with=${turnId}`);
      expect((await compare(own)).status).toBe(200);
      expect(await compare(things.turnId)).toMatchObject({
        status: 404,
        body: { error: { type: 'TURN_NOT_FOUND' } },
      });
    });

    it('cannot be attached to a turn', async () => {
      const form = new FormData();
      form.append('files', new Blob(['mine']), 'mine.txt');
      const sent = await fetch(`${server.url}/api/harness/attachments`, {
        method: 'POST',
        headers: owner.credential,
        body: form,
      });
      const { attachments } = (await sent.json()) as { attachments: { id: string }[] };
      const made = await other.send('POST', '/api/harness/session/create', {
        projectRoot: server.projectRoot,
      });
      const { sessionId } = made.body['session'] as { sessionId: string };
      const ids = attachments.map(({ id }) => id);
      const refused = await other.send('POST', '/api/harness/turn', {
        sessionId,
        message: '',
        attachments: ids,
      });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('not known')]);
      const own = await owner.send('POST', '/api/harness/turn', {
        sessionId: things.sessionId,
        message: 'Look',
        attachments: ids,
      });
      expect(own.status).toBe(200);
    });

    it('has preferences of its own', async () => {
      await owner.send('PUT', '/api/settings/agent-config', { max_iterations: 3 });
      const { body } = await other.send('GET', '/api/settings/agent-config');
      expect(body['max_iterations']).not.toBe(3);
    });

    it('is still there for its owner', async () => {
      // Who is known for one request alone makes no schedules.
      const schedules =
        kind === 'extensions' ? [] : [`/api/harness/schedules/${things.scheduleKey}`];
      for (const url of [
        ...schedules,
        `/api/harness/session/${things.sessionId}`,
        `/api/harness/turns/${things.turnId}`,
        `/api/harness/attachments/${things.attachmentId}`,
        `/v1/responses/${things.responseId}`,
        `/api/harness/webhooks/${things.webhookId}`,
        `/api/oracle/history?context_id=${things.oracleId}`,
        `/agent/WORKING_ITEMS/chat/stream/${things.agentMessage}`,
      ]) {
        expect([url, (await owner.send('GET', url)).status]).toEqual([url, 200]);
      }
    });
  },
);

const authenticator = `export default (turnpike) =>
  turnpike.addAuthenticator('sso', ({ headers }) => {
    const [, principal] = /^Bearer who-(\\w+)$/.exec(headers.authorization ?? '') ?? [];
    return principal && { principal, scopes: ['turns', 'approvals'] };
  });
`;

/** Routes that page tokens may not use, whoever's the id is: what they begin outlives a token. */
const neverForPages = [
  'delete /api/harness/mcp/logins/{id}',
  'patch /api/harness/schedules/{key}',
  'post /api/harness/schedules/{key}/resume',
  'patch /api/harness/webhooks/{id}',
  'post /api/harness/webhooks/{id}/rotate',
];

/** The answer without the ids that were asked for. */
function anonymous(answer: KeyedAnswer | undefined, ids: Things): [number | undefined, string] {
  let text = answer?.text ?? '';
  for (const [what, id] of Object.entries(ids)) {
    text = text.replaceAll(id, what);
  }
  return [answer?.status, text.replace(/("correlationId":")[^"]+/, '$1')];
}
