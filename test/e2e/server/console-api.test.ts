import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { KeyedClient, makeKey, sendRaw, keyedClient } from '../../support/clients/keyed-client.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

/** The back end this run is about. */
declare const BACK_END: 'embedded' | 'distributed';

interface Listed {
  sessionId: string;
  activeTurnId?: string;
}

interface LoggedEvent {
  type: string;
  attempt: number;
  seq: number;
  at: string;
}

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };
const endless = '[[tokens=100000 gap=50]]';
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('what the console asks for', () => {
  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1', 'tools: [read]'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'description: Does tasks.'],
  });
  const server = useServer({
    environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' },
  });

  const page = async <T>(path: string) => {
    const { status, body } = await server.client.get(path);
    expect([path, status]).toEqual([path, 200]);
    return body as T & { nextCursor?: string };
  };
  const interrupt = (turnId: string) =>
    server.client.post(`/api/harness/turns/${turnId}/interrupt`, {});

  it('gets its page, under its addresses, and none of them from another site’s page', async () => {
    for (const path of ['/', '/settings', '/queue', '/agents', '/turns/turn_x']) {
      const { status, headers } = await server.client.request('GET', path, { headers: html });
      expect([path, status, headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-powered-by')).toBeNull();
    }
    const agents = await server.client.get('/agents');
    expect(agents.body['agents']).toEqual(expect.any(Array));
    const unknown = await server.client.get('/settings/x');
    expect([unknown.status, unknown.body['error']]).toEqual([
      404,
      expect.objectContaining({ type: 'ROUTE_NOT_FOUND' }),
    ]);
    const { host } = new URL(server.url);
    const ask = (origin: string) =>
      sendRaw(server.url, {
        path: '/api/harness/sessions',
        headers: ['Host', host, 'Origin', origin],
      });
    expect((await ask(`http://${host}`)).status).toBe(200);
    expect((await ask('https://evil.example')).status).toBe(403);
  });

  it('lists sessions of all folders, the one used last first, and no subagent’s', async () => {
    const { client, projectRoot } = server;
    const older = await client.createSession(projectRoot);
    const newer = await client.createSession(projectRoot, { persona: 'LEAD' });
    const work = `[[tool=task ${JSON.stringify({ agent: 'TASKER', prompt: 'Say hello' })}]]`;
    await (await client.turn(newer, `Please\n${work}`, { opts: { subagentGovernance } })).all();
    const running = await client.turn(older, `Go on ${endless}`);
    await running.until('chat:delta');
    const first = await page<{ sessions: Listed[] }>('/api/harness/sessions?limit=1');
    expect(first.sessions).toEqual([
      {
        sessionId: older,
        projectRoot,
        persona: 'WORKING_ITEMS',
        mode: 'direct',
        title: `Go on ${endless}`,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        activeTurnId: running.header('x-turn-id'),
      },
    ]);
    const cursor = encodeURIComponent(first.nextCursor ?? '');
    const rest = await page<{ sessions: Listed[] }>(`/api/harness/sessions?cursor=${cursor}`);
    expect(rest.sessions).toEqual([
      expect.objectContaining({ sessionId: newer, title: expect.stringMatching(/^Please /) }),
    ]);
    expect(rest.sessions[0]).not.toHaveProperty('activeTurnId');
    expect(rest.nextCursor).toBeUndefined();
    await interrupt(running.header('x-turn-id'));
    await running.all();
  });

  it('lists the turns of a session, the newest first', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const first = await client.turn(sessionId, 'Hello');
    await first.all();
    const second = await client.turn(sessionId, endless);
    await second.until('chat:delta');
    await interrupt(second.header('x-turn-id'));
    await second.all();
    const path = `/api/harness/sessions/${sessionId}/turns`;
    const newest = await page<{ turns: object[] }>(`${path}?limit=1`);
    expect(newest.turns).toEqual([
      expect.objectContaining({
        turnId: second.header('x-turn-id'),
        status: 'interrupted',
        outcome: 'interrupted',
        reason: 'interrupt',
      }),
    ]);
    const rest = await page<{ turns: object[] }>(`${path}?cursor=${newest.nextCursor}`);
    expect(rest.turns).toEqual([
      {
        turnId: first.header('x-turn-id'),
        status: 'completed',
        attempt: 1,
        model: expect.any(String),
        persona: 'WORKING_ITEMS',
        createdAt: expect.any(String),
        startedAt: expect.any(String),
        endedAt: expect.any(String),
        usage: expect.objectContaining({ outputTokens: expect.any(Number) }),
        outcome: 'completed',
        reason: 'end_turn',
      },
    ]);
    expect(rest.nextCursor).toBeUndefined();
  });

  async function wholeLog(turnId: string, limit: number): Promise<LoggedEvent[]> {
    const all: LoggedEvent[] = [];
    for (let cursor = ''; ;) {
      const path = `/api/harness/turns/${turnId}/log?limit=${limit}${cursor}`;
      const { events, nextCursor } = await page<{ events: LoggedEvent[] }>(path);
      all.push(...events);
      if (nextCursor === undefined) return all;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
  }

  it('reads what a turn said, with the times, while it runs and after', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona: 'LEAD' });
    const work = `[[tool=task ${JSON.stringify({ agent: 'TASKER', prompt: 'Say hello' })}]]`;
    const stream = await client.turn(sessionId, `${work} [[tokens=60 gap=30]]`, {
      opts: { subagentGovernance },
    });
    const turnId = stream.header('x-turn-id');
    await stream.until('subagent:end');
    const live = await wholeLog(turnId, 7);
    expect(live.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['turn.started', 'subagent.started', 'subagent.ended', 'text.delta']),
    );
    await stream.all();
    const ended = await wholeLog(turnId, 1_000);
    expect(ended.at(-1)).toMatchObject({ type: 'turn.ended', outcome: 'completed' });
    expect(await wholeLog(turnId, 3)).toEqual(ended);
    const cursors = ended.map(({ attempt, seq }) => [attempt, seq]);
    expect(cursors).toEqual(cursors.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
    const begun = ended.find(({ type }) => type === 'subagent.started');
    const child = (begun as unknown as { childTurnId: string }).childTurnId;
    const childLog = await wholeLog(child, 5);
    expect(childLog.at(-1)).toMatchObject({ type: 'turn.ended', at: expect.any(String) });
  });

  it('lists the tools', async () => {
    const { tools } = await page<{ tools: { name: string }[] }>('/api/harness/tools');
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(tools.find(({ name }) => name === 'read')).toEqual({
      name: 'read',
      description: expect.any(String),
      effect: 'read',
      retry: 'safe',
      inputSchema: expect.objectContaining({ type: 'object' }),
      source: 'builtin',
    });
  });

  it.each([
    ['/api/harness/sessions?limit=0', 400, 'INVALID_REQUEST'],
    ['/api/harness/sessions?limit=1&limit=2', 400, 'INVALID_REQUEST'],
    ['/api/harness/sessions?cursor=x', 400, 'INVALID_REQUEST'],
    ['/api/harness/tools?limit=x', 400, 'INVALID_REQUEST'],
    ['/api/harness/tools?cursor=', 400, 'INVALID_REQUEST'],
    ['/api/harness/sessions/x/turns', 404, 'SESSION_NOT_FOUND'],
    ['/api/harness/turns/x/log', 404, 'TURN_NOT_FOUND'],
  ])('answers %s with %i', async (path, status, type) => {
    const answer = await server.client.get(path);
    expect([answer.status, answer.body['error']]).toEqual([
      status,
      expect.objectContaining({ type, message: expect.any(String) }),
    ]);
  });

  it('refuses cursors of other lists', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, 'Hello');
    await stream.all();
    const turnId = stream.header('x-turn-id');
    const other = await client.createSession(projectRoot);
    for (const path of [
      `/api/harness/sessions/${other}/turns?cursor=${turnId}`,
      `/api/harness/turns/${turnId}/log?cursor=${turnId}`,
      `/api/harness/turns/${turnId}/log?limit=1001`,
    ]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 400]);
    }
  });

  it('shows queued and held turns, and the slots of workers', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const running = await client.turn(sessionId, endless);
    await running.until('chat:delta');
    const held = await client.turn(sessionId, 'Later', { opts: { onBusy: 'enqueue' } });
    const queue = await page<Record<string, unknown>>('/api/admin/queue');
    const shown = (stream: { header(name: string): string }) =>
      expect.objectContaining({
        turnId: stream.header('x-turn-id'),
        sessionId,
        principal: 'local',
      });
    const { depth: _depth, ...none } = { depth: 0, oldest: [], newest: [] };
    expect(queue).toEqual({
      backEnd: BACK_END,
      statuses: {
        held: { depth: 1, oldest: [shown(held)], newest: [] },
        queued: { depth: 0, ...none },
        running: { depth: 1, oldest: [shown(running)], newest: [] },
        waiting: { depth: 0, ...none },
      },
      wakeUps: expect.any(Number),
      places: { workers: 1, each: 32, used: 1 },
    });
    await interrupt(held.header('x-turn-id'));
    await interrupt(running.header('x-turn-id'));
    await running.all();
  });
});

describe('what the console asks for, where there are keys', () => {
  const open = () => new KeyedClient(server.url);
  const server = useServer();
  const client = (principal: string, scopes: string[]) =>
    useShared(() => keyedClient(server, { principal, scopes }));
  const admin = client('boss', ['admin']);
  const alice = client('alice', ['turns']);

  it('is one’s own', async () => {
    const create = { projectRoot: server.projectRoot };
    const made = await alice.send('POST', '/api/harness/session/create', create);
    const { sessionId } = made.body['session'] as { sessionId: string };
    const { secret } = await makeKey(server, { principal: 'bob' });
    const bob = new KeyedClient(server.url, secret);
    const listed = async (client: KeyedClient) =>
      (await client.send('GET', '/api/harness/sessions')).body['sessions'];
    expect(await listed(alice)).toEqual([expect.objectContaining({ sessionId })]);
    expect(await listed(bob)).toEqual([]);
    const turns = `/api/harness/sessions/${sessionId}/turns`;
    expect((await alice.send('GET', turns)).status).toBe(200);
    expect((await bob.send('GET', turns)).status).toBe(404);
    const posted = await fetch(`${server.url}/api/harness/turn`, {
      method: 'POST',
      body: JSON.stringify({ sessionId, message: 'Hello' }),
      headers: { authorization: `Bearer ${alice.key}` },
    });
    await posted.text();
    const log = `/api/harness/turns/${posted.headers.get('x-turn-id')}/log`;
    expect((await alice.send('GET', log)).status).toBe(200);
    expect((await bob.send('GET', log)).status).toBe(404);
  });

  it('is the page for everybody, and nothing else without a key', async () => {
    expect((await open().send('GET', '/', undefined, html)).status).toBe(200);
    for (const path of ['sessions', 'tools'].map((name) => `/api/harness/${name}`)) {
      expect([path, (await open().send('GET', path)).status]).toEqual([path, 401]);
    }
    const look = async (client: KeyedClient) =>
      (await client.send('GET', '/api/admin/queue')).status;
    expect([await look(open()), await look(alice), await look(admin)]).toEqual([401, 403, 200]);
  });

  it('is no page where it is switched off', async () => {
    const environment = { TURNPIKE_CONSOLE: 'false' };
    const other = await startServer({ environment });
    const { status, body } = await other.client.request('GET', '/', { headers: html });
    expect([status, body['error']]).toEqual([
      404,
      expect.objectContaining({ type: 'ROUTE_NOT_FOUND' }),
    ]);
    await other.close();
  });
});
