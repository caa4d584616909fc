import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, type TestServer, useServer } from '../../support/processes/start-server.js';

const someId = 'sess_00000000-0000-4000-8000-000000000000';
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('sessions', () => {
  const server = useServer();
  beforeAll(async () => {
    await writeFile(path.join(server.projectRoot, 'file.txt'), 'a file');
  });

  const fingerprintOf = (persona: string, mode: string): string =>
    createHash('sha256').update(`${persona}::${mode}`).digest('hex').slice(0, 32);
  const create = (body: unknown) => server.client.post('/api/harness/session/create', body);
  const boot = (body: unknown) => server.client.post('/api/harness/session/boot', body);

  it('are created with 200, defaults and a sess_ id', async () => {
    const { projectRoot } = server;
    const { status, body } = await create({
      projectRoot: `${projectRoot}/`,
      persona: ' ',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      session: {
        sessionId: expect.stringMatching(/^sess_[0-9a-f-]{36}$/),
        projectRoot,
        persona: 'WORKING_ITEMS',
        mode: 'direct',
        createdAt: expect.stringMatching(instant),
        updatedAt: expect.stringMatching(instant),
      },
    });
  });

  it('name fields that have no effect, in a notice', async () => {
    const { projectRoot } = server;
    const { status, body } = await create({ projectRoot, agent_confg: {}, model: 'x', more: null });
    expect(status).toBe(200);
    const { problems } = (body['notices'] as { metadata: { problems: object[] } }[])[0]
      ?.metadata ?? { problems: [] };
    expect(body['notices']).toMatchObject([
      {
        kind: 'options-ignored',
        text: expect.stringMatching(
          /^agent_confg had no effect: this route takes projectRoot, .*\nmodel had/,
        ),
      },
    ]);
    expect(problems).toHaveLength(2);
  });

  it.each(['permisions', 'permission', 'Permissions', 'permission_rules', 'premissions'])(
    'are refused with rules under another name: %s',
    async (name) => {
      const { projectRoot } = server;
      const { status, body } = await create({ projectRoot, [name]: { deny: ['bash'] } });
      expect([status, body['error']]).toEqual([
        400,
        expect.objectContaining({
          type: 'INVALID_REQUEST',
          message: `The request has no field "${name}", and without its rules more would be allowed than it says. Did you mean 'permissions'?`,
        }),
      ]);
      const turn = { sessionId: someId, message: 'Hello', [name]: { deny: ['bash'] } };
      const answer = await server.client.post('/api/harness/turn', turn);
      expect([answer.status, answer.body['error']]).toEqual([
        400,
        expect.objectContaining({ message: expect.stringContaining("Rules are a session's") }),
      ]);
    },
  );

  it('keep persona and mode, trimmed', async () => {
    const { projectRoot } = server;
    const { body } = await create({ projectRoot, persona: ' EDITOR ', mode: ' plan ' });
    expect(body['session']).toMatchObject({ persona: 'EDITOR', mode: 'plan' });
  });

  it('keep rules for their tools, and show them', async () => {
    const { projectRoot } = server;
    const permissions = { allow: ['bash(git status*)', 'mcp__any__*'], deny: ['write(docs/**)'] };
    const { body } = await create({ projectRoot, permissions });
    expect(body['session']).toMatchObject({ permissions });
    const { sessionId } = body['session'] as { sessionId: string };
    const again = await server.client.get(`/api/harness/session/${sessionId}`);
    expect(again.body).toEqual(body);
  });

  it.each([
    [['read'], "'permissions' must be a map of allow, ask and deny"],
    [{ allow: 'read' }, "'permissions.allow' must be a list of rules"],
    [{ denied: [] }, "'permissions.denied' is not a field; use allow, ask, deny"],
    [{ ask: ['read', 'bash('] }, "'permissions.ask.1' must be a tool, or a tool and a pattern"],
    [{ deny: ['read(../x)'] }, "'permissions.deny.0' has .. in its path"],
    [{ deny: Array.from({ length: 101 }, () => 'read') }, "'permissions' has 101 rules"],
  ])('refuse wrong rules: %j', async (permissions, message) => {
    const { status, body } = await create({ projectRoot: server.projectRoot, permissions });
    expect(status).toBe(400);
    expect(body['error']).toMatchObject({
      type: 'INVALID_REQUEST',
      message: expect.stringContaining(message),
    });
  });

  const missing = (field: string) => ({
    type: 'INVALID_REQUEST',
    message: `Missing or invalid '${field}'`,
  });
  const [inaccessible, conflict] = [
    { type: 'WORKING_ROOT_INACCESSIBLE' },
    { type: 'WORKING_ROOT_CONFLICT' },
  ];

  async function expectRefused(body: unknown, status: number, error: object): Promise<void> {
    const answer = await create(body);
    expect([answer.status, answer.body]).toEqual([
      status,
      { error: expect.objectContaining(error) },
    ]);
    expect(answer.headers.get('content-type')).toContain('application/json');
  }

  it.each<[string, unknown, object]>([
    ['a root that is null', { projectRoot: null }, missing('projectRoot')],
    ['a blank root', { projectRoot: '  ' }, missing('projectRoot')],
    ['a root that is no text', { projectRoot: 5 }, missing('projectRoot')],
    [
      'a relative root',
      { projectRoot: 'x' },
      { type: 'INVALID_REQUEST', details: { projectRoot: 'x' } },
    ],
    [
      'malformed JSON',
      '{"projectRoot":',
      { type: 'INVALID_REQUEST', message: 'Request body must be valid JSON' },
    ],
    ['a JSON null', 'null', { type: 'INVALID_REQUEST' }],
    ['a JSON list', '[]', { type: 'INVALID_REQUEST' }],
    ['a JSON text', '"x"', { type: 'INVALID_REQUEST' }],
  ])('are refused for %s', (_what, body, error) => expectRefused(body, 400, error));

  it.each<[string, 'project' | 'instructions', string, number, object]>([
    ['a missing root', 'project', '/none', 404, inaccessible],
    ['a root that is a file', 'project', '/file.txt', 404, inaccessible],
    ['a root with a NUL', 'project', '/\0', 400, missing('projectRoot')],
    ['the instruction root', 'instructions', '', 409, conflict],
    ['a folder inside of it, there or not', 'instructions', '/none', 409, conflict],
    ['a way round into it', 'instructions', '/../instructions/agents', 409, conflict],
  ])('are refused for %s', (_what, root, rest, status, error) => {
    const above = { project: server.projectRoot, instructions: server.config.instructionRoot };
    return expectRefused({ projectRoot: above[root] + rest }, status, error);
  });

  it.each<[string, object, object]>([
    ['a mode that is no text', { mode: ['plan'] }, missing('mode')],
    ['a persona with a path', { persona: '../x' }, { type: 'INVALID_REQUEST' }],
    ['a persona that is no text', { persona: {} }, missing('persona')],
  ])('are refused for %s', (_what, more, error) =>
    expectRefused({ projectRoot: server.projectRoot, ...more }, 400, error),
  );

  it('are listed by project, oldest first', async () => {
    const { client, projectRoot } = server;
    const mine = path.join(projectRoot, 'mine');
    await mkdir(mine);
    const ids = [await client.createSession(mine), await client.createSession(mine)];
    await client.createSession(projectRoot);
    const { body } = await client.get(
      `/api/harness/session/list?projectRoot=${encodeURIComponent(mine)}`,
    );
    const listed = body['sessions'] as { sessionId: string }[];
    expect(listed.map((session) => session.sessionId)).toEqual(ids);
  });

  it.each<[string, string, number, object]>([
    ['no root', '', 400, { message: "Missing or invalid 'projectRoot'" }],
    ['a blank root', '?projectRoot=%20', 400, { message: "Missing or invalid 'projectRoot'" }],
    ['two roots', '?projectRoot=/a&projectRoot=/b', 400, { type: 'INVALID_REQUEST' }],
    ['a relative root', '?projectRoot=a', 400, { details: { projectRoot: 'a' } }],
    ['a root with a NUL', '?projectRoot=/a%00', 400, { type: 'INVALID_REQUEST' }],
    ['a missing root', '?projectRoot=/none/such', 404, { type: 'WORKING_ROOT_INACCESSIBLE' }],
  ])('are not listed for %s', async (_what, query, status, error) => {
    const answer = await server.client.get(`/api/harness/session/list${query}`);
    expect([answer.status, answer.body['error']]).toEqual([status, expect.objectContaining(error)]);
  });

  it.each([1, 2, 3, 7])(
    'are all in a list that is read while they are used: %i at a time',
    async (limit) => {
      const made: string[] = [];
      for (let count = 0; count < 7; count += 1) {
        made.unshift(await server.client.createSession(server.projectRoot));
      }
      const used = [made[5], made[6], made[0]];
      const seen: string[] = [];
      let cursor = '';
      do {
        const url = `/api/harness/sessions?limit=${limit}&cursor=${cursor}`;
        const { body } = await server.client.get(cursor === '' ? url.replace('&cursor=', '') : url);
        const page = body['sessions'] as { sessionId: string }[];
        expect(page.length).toBeLessThanOrEqual(limit);
        seen.push(...page.map(({ sessionId }) => sessionId));
        const sessionId = used.shift();
        if (sessionId !== undefined) await boot({ sessionId });
        // A session that is made meanwhile is on the first page of the next list.
        if (used.length === 0) await server.client.createSession(server.projectRoot);
        cursor = (body['nextCursor'] as string | undefined) ?? '';
      } while (cursor !== '' && seen.length < 1_000);
      expect(cursor).toBe('');
      for (const id of made) expect(seen).toContain(id);
    },
  );

  it('are read and deleted by id; an id is never a path', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const one = `/api/harness/session/${sessionId}`;
    expect((await client.get(one)).body['session']).toMatchObject({ sessionId });
    expect((await client.request('DELETE', one)).body).toEqual({ ok: true });
    for (const id of [sessionId, someId, '..%2F..%2Fetc%2Fpasswd', 'x'.repeat(500), '%00']) {
      const answers = [
        await client.get(`/api/harness/session/${id}`),
        await client.request('DELETE', `/api/harness/session/${id}`),
        await client.get(`/api/harness/sessions/${id}/messages`),
      ];
      for (const { status, body } of answers) {
        expect([status, body['error']]).toEqual([
          404,
          expect.objectContaining({ type: 'SESSION_NOT_FOUND', details: expect.anything() }),
        ]);
      }
    }
  });

  it('are booted: fingerprint, stable claudeSessionId, no model call', async () => {
    const { client, projectRoot, modelRequests } = server;
    const sessionId = await client.createSession(projectRoot);
    const calls = modelRequests.length;
    const first = await boot({ sessionId });
    expect(first.status).toBe(200);
    expect(first.body['boot']).toEqual({
      claudeSessionId: expect.stringMatching(/^claude_[0-9a-f-]{36}$/),
      bootFingerprint: fingerprintOf('WORKING_ITEMS', 'direct'),
      bootedAt: expect.stringMatching(instant),
    });
    expect(first.body['session']).toMatchObject({
      sessionId,
      ...(first.body['boot'] as object),
      model: 'claude-sonnet-5-5',
    });
    const second = await boot({ sessionId });
    expect(second.body['boot']).toMatchObject({
      claudeSessionId: (first.body['boot'] as { claudeSessionId: string }).claudeSessionId,
    });
    expect(modelRequests).toHaveLength(calls);
    const turn = await client.turn(sessionId, 'Hello');
    expect((await turn.until('session:init')).data['claudeSessionId']).toBe(
      (first.body['boot'] as { claudeSessionId: string }).claudeSessionId,
    );
    await turn.all();
  });

  it('are booted with the options given: what is not usable in them is ignored', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const booted = await boot({ sessionId, opts: { persona: 'EDITOR', mode: 'plan' } });
    expect(booted.body).toMatchObject({
      boot: { bootFingerprint: fingerprintOf('EDITOR', 'plan') },
      session: { persona: 'WORKING_ITEMS', mode: 'direct' },
    });
    for (const opts of [null, 5, [], { model: 'claude-\0' }, { model: 'claude-\ud800', mode: 5 }]) {
      const { status, body } = await boot({ sessionId, opts });
      expect([status, body['session']]).toEqual([
        200,
        expect.objectContaining({
          model: 'claude-sonnet-5-5',
          bootFingerprint: fingerprintOf('WORKING_ITEMS', 'direct'),
        }),
      ]);
    }
  });

  it('need no boot to take a turn, which is no boot either', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const turn = await client.turn(sessionId, 'Hello');
    const { claudeSessionId } = (await turn.until('session:init')).data;
    expect((await turn.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    const { body } = await client.get(`/api/harness/session/${sessionId}`);
    expect(body['session']).toMatchObject({ claudeSessionId, model: 'claude-sonnet-5-5' });
    expect(body['session']).not.toHaveProperty('bootedAt');
    const booted = await boot({ sessionId });
    expect(booted.body['boot']).toMatchObject({ claudeSessionId });
  });

  it.each<[string, (s: TestServer, id: string) => unknown, number, object]>([
    ['no session', () => ({}), 400, { type: 'INVALID_REQUEST' }],
    ['an unknown session', () => ({ sessionId: someId }), 404, { type: 'SESSION_NOT_FOUND' }],
    [
      'an unknown persona',
      (_s, sessionId) => ({ sessionId, opts: { persona: 'NOBODY' } }),
      404,
      { type: 'PERSONA_NOT_FOUND' },
    ],
    [
      'a persona that is a path',
      (_s, sessionId) => ({ sessionId, opts: { persona: '../../etc/passwd' } }),
      404,
      { type: 'PERSONA_NOT_FOUND' },
    ],
    [
      'an unknown model',
      (_s, sessionId) => ({ sessionId, opts: { model: 'gpt-x' } }),
      500,
      {
        type: 'SDK_FAILURE',
        details: expect.objectContaining({ exitCode: 1, upstreamStatus: 404 }),
      },
    ],
  ])('are not booted for %s, and nothing is stored', async (_what, body, status, error) => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const answer = await boot(body(server, sessionId));
    expect([answer.status, answer.body['error']]).toEqual([status, expect.objectContaining(error)]);
    const { body: stored } = await server.client.get(`/api/harness/session/${sessionId}`);
    expect(stored['session']).not.toHaveProperty('bootedAt');
  });

  it('are not booted, and take no turn, when their root is gone', async () => {
    const { client, projectRoot } = server;
    const gone = path.join(projectRoot, 'gone');
    await mkdir(gone);
    const sessionId = await client.createSession(gone);
    await rm(gone, { recursive: true });
    const error = { type: 'WORKING_ROOT_INACCESSIBLE', details: { projectRoot: gone } };
    for (const answer of [
      await boot({ sessionId }),
      await client.post('/api/harness/turn', { sessionId, message: 'Hello' }),
    ]) {
      expect([answer.status, answer.body['error']]).toEqual([404, expect.objectContaining(error)]);
    }
  });

  it('survive a restart, with their boot and their messages', async () => {
    const first = await startServer();
    const sessionId = await first.client.createSession(first.projectRoot, { mode: 'plan' });
    await first.client.post('/api/harness/session/boot', { sessionId });
    await (await first.client.turn(sessionId, 'Hello')).all();
    const before = await first.client.get(`/api/harness/session/${sessionId}`);
    expect(before.body['session']).toHaveProperty(
      'bootFingerprint',
      fingerprintOf('WORKING_ITEMS', 'plan'),
    );
    const history = await first.client.get(`/api/harness/sessions/${sessionId}/messages`);
    await first.stop();
    const second = await startServer({ store: first.store });
    expect((await second.client.get(`/api/harness/session/${sessionId}`)).body).toEqual(
      before.body,
    );
    const { body } = await second.client.get(`/api/harness/sessions/${sessionId}/messages`);
    expect(body).toEqual(history.body);
    expect((body['messages'] as unknown[]).length).toBe(2);
    await second.close();
    await first.close();
  });

  it('need a key to boot, and an instruction root that is whole', async () => {
    const broken = path.join(server.projectRoot, 'instructions');
    await mkdir(path.join(broken, 'agents'), { recursive: true });
    await writeFile(path.join(broken, 'docs'), 'a file');
    const other = await startServer({
      environment: {
        ANTHROPIC_API_KEY: '',
        TURNPIKE_PROVIDER: 'anthropic',
        TURNPIKE_INSTRUCTION_ROOT: broken,
      },
    });
    const sessionId = await other.client.createSession(other.projectRoot);
    const root = await other.client.post('/api/harness/session/boot', { sessionId });
    expect([root.status, root.body['error']]).toEqual([
      500,
      expect.objectContaining({
        type: 'INSTRUCTION_ROOT_INVALID',
        details: {
          instructionRoot: broken,
          missingEntries: expect.arrayContaining(['AGENTS.md', 'README.md']),
          invalidEntries: expect.arrayContaining(['docs']),
        },
      }),
    ]);
    await other.close();
    const keyless = await startServer({
      environment: { ANTHROPIC_API_KEY: '', TURNPIKE_PROVIDER: 'anthropic' },
    });
    const id = await keyless.client.createSession(keyless.projectRoot);
    const answer = await keyless.client.post('/api/harness/session/boot', { sessionId: id });
    expect([answer.status, answer.body['error']]).toEqual([
      503,
      expect.objectContaining({
        type: 'SDK_FAILURE',
        details: { provider: 'anthropic', category: 'MISSING_API_KEY' },
      }),
    ]);
    await keyless.close();
  });
});
