import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newSecret } from '../../../src/access/keys/key-secret.js';
import { expectSoon } from '../../support/expect-soon.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { rawRequest } from '../../support/clients/send-bytes.js';
import { useServer } from '../../support/processes/start-server.js';

type Line = Record<string, unknown>;

describe('what every answer has', () => {
  let key: string;
  const server = useServer();
  beforeAll(async () => {
    ({ secret: key } = await makeKey(server, {
      principal: 'ann',
      scopes: ['turns', 'approvals', 'admin'],
    }));
  });

  const call = async (method: string, path: string, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...more };
    const response = await fetch(server.url + path, { method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const lines = (requestId: string): Line[] =>
    server.logLines
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line['requestId'] === requestId);
  const requestLine = async (requestId: string): Promise<Line> => {
    const found = () => lines(requestId).filter(({ msg }) => msg === 'request');
    await expectSoon(() => expect(found()).toHaveLength(1));
    return found()[0] ?? {};
  };

  it.each([
    ['PUT', '/api/harness/turn', 'OPTIONS, POST'],
    ['GET', '/api/harness/interrupt', 'OPTIONS, POST'],
    ['POST', '/health', 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/admin/keys/k1', 'DELETE, OPTIONS, PATCH'],
    ['DELETE', '/agent/WORKING_ITEMS/chat', 'OPTIONS, POST'],
    ['GET', '/api/oracle', 'OPTIONS, POST'],
  ])('says what a route takes that does not take %s: %s', async (method, path, allow) => {
    const { status, headers, text } = await call(method, path);
    expect([status, headers.get('allow')]).toEqual([405, allow]);
    expect(text).toContain(`does not take ${method}`);
  });

  it.each([
    ['/api/harness/turn', 'OPTIONS, POST'],
    ['/api/admin/keys', 'GET, HEAD, OPTIONS, POST'],
    ['/agent/WORKING_ITEMS/chat/stream', 'OPTIONS, POST'],
  ])('answers OPTIONS of %s', async (path, allow) => {
    const { status, headers, text } = await call('OPTIONS', path);
    expect([status, headers.get('allow'), text]).toEqual([204, allow, '']);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('leaves the console its pages, also where a route has their address', async () => {
    const { status, headers } = await call('GET', '/sessions/sess_x');
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });

  it('is 404 for any method of a path that there is not, without the key that is in it', async () => {
    for (const method of ['GET', 'OPTIONS', 'DELETE']) {
      const { text: secret } = newSecret();
      for (const path of [`/none/${secret}`, `/agent/${secret}`, `/api/oracle/${secret}`]) {
        const { status, text } = await call(method, path);
        expect(status).toBe(404);
        expect(text).not.toContain(secret.slice(0, 30));
        expect(text).toContain('[REDACTED_API_KEY]');
      }
      expect(server.logLines.join('')).not.toContain(secret.slice(0, 30));
    }
  });

  it.each(['/health', '/agents', '/api/harness/models', '/none', '/docs-json'])(
    'is what it says it is, and has an id: %s',
    async (path) => {
      const { headers } = await call('GET', path, { 'x-request-id': 'req-1_A' });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-request-id')).toBe('req-1_A');
      for (const given of ['', 'a b', 'a'.repeat(129), '"}', '<x>']) {
        const other = await call('GET', path, { 'x-request-id': given });
        expect(other.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
      }
    },
  );

  it('is one line of the log: of a request that was answered, and of one that was refused', async () => {
    await call('GET', '/api/harness/turns/turn_x?after=private', { 'x-request-id': 'line-1' });
    expect(await requestLine('line-1')).toMatchObject({
      level: 'info',
      method: 'GET',
      route: '/api/harness/turns/:id',
      status: 404,
      ms: expect.any(Number),
      principal: 'ann',
      error: { type: 'TURN_NOT_FOUND' },
    });
    await call('GET', '/agents', { 'x-request-id': 'line-2', authorization: '' });
    const refused = await requestLine('line-2');
    expect(refused).toMatchObject({ route: '/agents', status: 401, level: 'info' });
    expect(refused['principal']).toBeUndefined();
    await call('GET', '/nowhere/at/all', { 'x-request-id': 'line-3' });
    expect(await requestLine('line-3')).toMatchObject({ path: '/nowhere/at/all', status: 404 });
    const infos = ['line-1', 'line-2', 'line-3'].map(
      (id) => lines(id).filter(({ level }) => level === 'info').length,
    );
    expect(infos).toEqual([1, 1, 1]);
    expect(server.logLines.join('')).not.toContain('private');
  });

  it('has its id on the lines of the turn that it began', async () => {
    const create = await fetch(`${server.url}/api/harness/session/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ projectRoot: server.projectRoot }),
    });
    const { session } = (await create.json()) as { session: { sessionId: string } };
    const response = await fetch(`${server.url}/api/harness/turn`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'x-request-id': 'turn-1' },
      body: JSON.stringify({ sessionId: session.sessionId, message: 'Hello' }),
    });
    await response.text();
    await expectSoon(() =>
      expect(lines('turn-1').map(({ msg }) => msg)).toEqual(
        expect.arrayContaining(['turn accepted', 'turn started', 'turn ended', 'request']),
      ),
    );
    const route = '/api/harness/turn';
    expect(await requestLine('turn-1')).toMatchObject({ route, status: 200 });
    const { body } = await new KeyedClient(server.url, key).send(
      'GET',
      `/api/harness/turns/${response.headers.get('x-turn-id')}`,
    );
    expect(JSON.stringify(body)).not.toContain('turn-1');
  });

  it('says of a client that left before its answer that it did', async () => {
    const head = rawRequest(['X-Request-Id: gone-1', `Authorization: Bearer ${key}`], {
      target: '/api/harness/session/create',
      method: 'POST',
    }).replace('\r\n\r\n', '\r\nContent-Length: 100\r\n\r\n{');
    // The client ends its side after the first bytes: the end of the sending is the end of the
    // request.
    connect(Number(new URL(server.url).port), '127.0.0.1').end(head);
    expect(await requestLine('gone-1')).toMatchObject({ status: 499, closedBy: 'client' });
  });

  it('is 400 for what is no id and no form', async () => {
    const revoke = await call('DELETE', '/api/admin/keys/a%00b');
    expect([revoke.status, revoke.text]).toEqual([400, expect.stringContaining("invalid 'id'")]);
    const upload = await fetch(`${server.url}/api/harness/attachments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${'b'.repeat(257)}`,
      },
      body: `--${'b'.repeat(257)}--\r\n`,
    });
    expect([upload.status, await upload.text()]).toEqual([
      400,
      expect.stringContaining('boundary'),
    ]);
  });
});
