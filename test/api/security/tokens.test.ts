import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { KeyedClient } from '../../support/clients/keyed-client.js';
import { useTokenIssuer, type TokenClaims } from '../../support/access/token-issuer.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const shared = newFolder();
const closed = path.join(shared, 'closed');

describe('a server that takes tokens and has had no key', () => {
  const { issuer, environment } = useTokenIssuer([
    { group: 'staff', agents: ['WORKING_ITEMS'] },
    { group: 'admins', scopes: ['turns', 'admin'], project_roots: [closed] },
    { group: 'slow', limits: { requests_per_minute: 2 } },
  ]);
  const server = useServer({
    environment: { ...environment, TURNPIKE_PROJECT_ROOTS: path.join(shared, 'open') },
  });
  const as = async (claims: TokenClaims): Promise<KeyedClient> =>
    new KeyedClient(server.url, await issuer.sign(claims));
  const newSession = async (client: KeyedClient, body: object = {}) => {
    const { status, body: made } = await client.send('POST', '/api/harness/session/create', body);
    expect(status).toBe(200);
    return (made['session'] as { sessionId: string }).sessionId;
  };
  const errorOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
    const { type, details } = body['error'] as { type: string; details?: object };
    return [status, type, details];
  };

  it('runs turns of a person, which another person does not see', async () => {
    const ann = await as({ sub: 'ann', groups: ['staff'] });
    const sessionId = await newSession(ann);
    const turn = await ann.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
    expect([turn.status, turn.text]).toEqual([200, expect.stringContaining('chat:complete')]);
    const bob = await as({ sub: 'bob', groups: ['staff'] });
    expect(errorOf(await bob.send('GET', `/api/harness/session/${sessionId}`))).toEqual([
      404,
      'SESSION_NOT_FOUND',
      expect.anything(),
    ]);
    const { body } = await ann.send('GET', '/api/harness/session/defaults');
    expect(body).toMatchObject({ principal: 'idp:ann', isKeyed: true });
  });

  it('says which groups it saw where none has a role', async () => {
    const refused = await (await as({ groups: ['sales'] })).send('GET', '/agents');
    expect([refused.status, refused.body['type']]).toEqual([
      403,
      expect.stringContaining('/errors/forbidden-role'),
    ]);
    expect(refused.text).toContain('sales');
  });

  it('says of a token that is no JWT what to ask the provider for', async () => {
    const opaque = new KeyedClient(server.url, 'V1StGXR8_Z5jdHi6B-myT');
    const refused = await opaque.send('GET', '/api/harness/sessions');
    expect(errorOf(refused)).toEqual([401, 'UNAUTHENTICATED', { reason: 'OPAQUE' }]);
    expect(refused.text).toContain('until they are asked for an audience');
  });

  it('lets nobody use an agent that no role of theirs has', async () => {
    const ann = await as({ groups: ['staff'] });
    const sessionId = await newSession(ann, { persona: 'OTHER' });
    const turn = await ann.send('POST', '/api/harness/turn', {
      sessionId,
      message: 'Hello',
      opts: { persona: 'READER' },
    });
    expect(errorOf(turn).slice(0, 2)).toEqual([403, 'FORBIDDEN_AGENT']);
  });

  it('shows nobody an agent that no role of theirs has, and stores nothing for it', async () => {
    const ann = await as({ sub: 'ann', groups: ['staff'] });
    const models = await ann.send('GET', '/v1/models');
    const named = (models.body['data'] as { id: string; owned_by: string }[]).filter(
      (one) => one.owned_by === 'agent',
    );
    expect(named.map(({ id }) => id)).toEqual(['WORKING_ITEMS']);
    const others = (await (await as({ groups: ['admins'] })).send('GET', '/v1/models')).text;
    expect(others).toContain('"EDITOR"');
    const unknown = await ann.send('GET', '/v1/models/editor');
    expect([unknown.status, unknown.text]).toEqual([404, expect.not.stringContaining('EDITOR')]);
    const wrong = await ann.send('POST', '/v1/responses', { model: 'none', input: 'Hello' });
    expect([wrong.status, wrong.text]).toEqual([404, expect.not.stringContaining('EDITOR')]);
    const sessionId = await newSession(ann);
    const yearly = { cron: '0 0 1 1 *', tz: 'UTC', message: 'Hello' };
    const isRefused = [
      ['POST', '/api/harness/session/create', { persona: 'READER' }],
      ['POST', '/api/harness/session/create', { persona: ' reader ' }],
      ['POST', '/api/harness/session/boot', { sessionId, opts: { persona: 'READER' } }],
      ['PUT', '/api/harness/schedules/a', { ...yearly, session: 'new', agent: 'reader' }],
      [
        'PUT',
        '/api/harness/schedules/b',
        { ...yearly, session: 'new', opts: { persona: 'READER' } },
      ],
      [
        'PUT',
        '/api/harness/schedules/c',
        { ...yearly, session: sessionId, opts: { persona: 'READER' } },
      ],
    ] as const;
    for (const [method, url, body] of isRefused) {
      const answer = await ann.send(method, url, body);
      expect([url, body, ...errorOf(answer).slice(0, 2)]).toEqual([
        url,
        body,
        403,
        'FORBIDDEN_AGENT',
      ]);
    }
    const { body } = await ann.send('GET', '/api/harness/schedules');
    expect(body['schedules']).toEqual([]);
    const own = { ...yearly, session: sessionId, opts: { persona: 'WORKING_ITEMS' } };
    expect((await ann.send('PUT', '/api/harness/schedules/own', own)).status).toBe(200);
  });

  it('opens the folders of a role to those that have it, and keeps others out', async () => {
    await mkdir(closed, { recursive: true });
    const admin = await as({ sub: 'root', groups: ['admins'] });
    const sessionId = await newSession(admin, { projectRoot: closed });
    const read = '[[tool=glob {"pattern":"*"}]]';
    const turn = await admin.send('POST', '/api/harness/turn', { sessionId, message: read });
    expect(turn.text).toContain('chat:complete');
    const ann = await as({ groups: ['staff'] });
    const made = await ann.send('POST', '/api/harness/session/create', { projectRoot: closed });
    expect(errorOf(made)).toEqual([409, 'WORKING_ROOT_CONFLICT', expect.anything()]);
  });

  it('notes its issuers in the audit log', async () => {
    const admin = await as({ groups: ['admins'] });
    const { body } = await admin.send('GET', '/api/admin/audit?limit=200');
    expect(body['entries']).toContainEqual(
      expect.objectContaining({
        action: 'auth.configured',
        details: { issuers: ['idp'], digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      }),
    );
  });

  it('gives the scope admin to the group that has it alone', async () => {
    const list = '/api/admin/keys';
    expect((await (await as({ groups: ['admins'] })).send('GET', list)).status).toBe(200);
    expect(errorOf(await (await as({ groups: ['staff'] })).send('GET', list))).toEqual([
      403,
      'FORBIDDEN_SCOPE',
      { needed: 'admin', scopes: ['turns', 'approvals'] },
    ]);
  });

  it('exports what a person has, and forgets it', async () => {
    const person = await as({ sub: 'auth0|leaver', groups: ['staff'] });
    const sessionId = await newSession(person);
    const admin = await as({ groups: ['admins'] });
    const id = encodeURIComponent('idp:auth0|leaver');
    const exported = await admin.send('GET', `/api/admin/export?principal=${id}`);
    expect([exported.status, exported.text]).toEqual([200, expect.stringContaining(sessionId)]);
    expect(await admin.send('DELETE', `/api/admin/principals/${id}`)).toMatchObject({
      status: 200,
    });
    // The token that the person still has is of somebody who is forgotten.
    expect(await person.send('GET', `/api/harness/session/${sessionId}`)).toMatchObject({
      status: 401,
      body: { error: { details: { reason: 'ENDED' } } },
    });
    const after = await admin.send('GET', `/api/admin/export?principal=${id}`);
    expect(after.text).not.toContain(sessionId);
  });

  it('keeps the limits of the role', async () => {
    const slow = await as({ sub: 'slow', groups: ['slow'] });
    const statuses: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      statuses.push((await slow.send('GET', '/api/harness/usage')).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('never writes a token to its log', async () => {
    const token = await issuer.sign({ groups: ['staff'] });
    const inUrl = await new KeyedClient(server.url).send('GET', `/agents?access_token=${token}`);
    expect([inUrl.status, inUrl.text]).toEqual([
      400,
      expect.stringContaining('URLs are kept in logs'),
    ]);
    expect(server.logLines.join('\n')).not.toContain(token.split('.')[1]);
  });

  it('refuses an address that guesses, and not the people who are at it', async () => {
    const ann = new KeyedClient(server.url, await issuer.sign({ groups: ['staff'] }));
    expect((await ann.send('GET', '/api/harness/usage')).status).toBe(200);
    const expired = await as({ exp: 1, groups: ['staff'] });
    for (let time = 0; time < 25; time += 1) await expired.send('GET', '/api/harness/usage');
    const [head, body] = (await issuer.sign({ groups: ['staff'] })).split('.');
    const statuses = new Set<number>();
    for (let time = 10; time < 35; time += 1) {
      const forged = new KeyedClient(server.url, `${head}.${body}.AA${time}`);
      statuses.add((await forged.send('GET', '/api/harness/usage')).status);
    }
    expect([...statuses]).toEqual([401, 429]);
    expect((await ann.send('GET', '/api/harness/usage')).status).toBe(200);
  });
});
