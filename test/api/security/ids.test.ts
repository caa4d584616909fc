import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids.js';
import { Client } from '../../support/clients/client.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { KeyedClient, type KeyedAnswer, keyedClient } from '../../support/clients/keyed-client.js';
import { asDocument, operationsOf } from '../../support/document/api-document.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const governed = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };
const write = '[[tool=write {"file_path":"theirs.txt","content":"x"}]]';

/** Ids of one turn that waits for a person, and of its subagent's. */
interface Waiting {
  sessionId: string;
  turnId: string;
  childSession: string;
  childTurn: string;
  approvalId: string;
}

/** `access-ownership.test.ts` has every route; this suite has more than a single id in a path. */
describe('what somebody else has', () => {
  let theirs: Waiting;
  let stream: StreamReader;
  const root = instructionRootWith({
    LEAD: ['subagents: [WRITER]', 'AGENT_TYPE: 1', 'tools: [read, write]'],
    WRITER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'tools: [read, write]'],
  });
  const server = useServer({
    environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' },
  });
  const owner = useShared(() => keyedClient(server, { principal: 'owner' }));
  const other = useShared(() => keyedClient(server, { principal: 'other' }));
  beforeAll(async () => {
    await waitForPeople();
  });

  async function newSession(client: KeyedClient, persona = 'LEAD'): Promise<string> {
    const body = { projectRoot: server.projectRoot, persona };
    const made = await client.send('POST', '/api/harness/session/create', body);
    return (made.body['session'] as { sessionId: string }).sessionId;
  }

  /** The owner's turn, whose subagent asks for an approval. */
  async function waitForPeople(): Promise<void> {
    const sessionId = await newSession(owner);
    const message = `[[tool=task ${JSON.stringify({ agent: 'WRITER', prompt: write })}]]`;
    const opts = { subagentGovernance: governed, onDisconnect: 'continue' };
    const headers = { authorization: `Bearer ${owner.key}` };
    stream = await new Client(server.url).turn(sessionId, message, { opts }, headers);
    const { data } = await stream.until('subagent:approval:request');
    const childTurn = String(data['childTurnId']);
    const approvalId = String(data['approvalId']);
    const { body } = await owner.send('GET', `/api/harness/approvals/${approvalId}`);
    const { sessionId: childSession } = body['approval'] as { sessionId: string };
    theirs = { sessionId, turnId: stream.header('x-turn-id'), childSession, childTurn, approvalId };
  }

  const errorOf = ({ status, body }: KeyedAnswer) => [
    status,
    (body['error'] as { type: string } | undefined)?.type,
  ];

  it('is not there: a subagent’s turn, its session, and what it asks', async () => {
    const { childTurn, childSession, approvalId } = theirs;
    const calls: [string, string, object?][] = [
      ['GET', `/api/harness/turns/${childTurn}`],
      ['GET', `/api/harness/turns/${childTurn}/events`],
      ['GET', `/api/harness/turns/${childTurn}/steps`],
      ['GET', `/api/harness/turns/${childTurn}/tools`],
      ['POST', `/api/harness/turns/${childTurn}/interrupt`],
      ['GET', `/api/harness/session/${childSession}`],
      ['GET', `/api/harness/sessions/${childSession}/messages`],
      ['POST', '/api/harness/interrupt', { sessionId: childSession }],
      ['POST', '/api/harness/turn', { sessionId: childSession, message: 'Hello' }],
      ['DELETE', `/api/harness/session/${childSession}`],
      ['GET', `/api/harness/approvals/${approvalId}`],
      ['POST', `/api/harness/approvals/${approvalId}`, { decision: 'approve' }],
    ];
    for (const [method, path, body] of calls) {
      const answer = await other.send(method, path, body);
      expect([method, path, ...errorOf(answer)]).toEqual([
        method,
        path,
        404,
        expect.stringMatching(/^(TURN|SESSION|APPROVAL)_NOT_FOUND$/),
      ]);
      expect(answer.text).not.toContain('theirs.txt');
    }
    const { body } = await owner.send('GET', `/api/harness/approvals/${approvalId}`);
    expect(body['approval']).toMatchObject({ status: 'pending' });
  });

  it('is not in a list that asks for it', async () => {
    const { sessionId, childSession, turnId, childTurn, approvalId } = theirs;
    for (const query of [
      `sessionId=${sessionId}`,
      `sessionId=${childSession}`,
      `turnId=${turnId}`,
      `turnId=${childTurn}`,
      `cursor=${approvalId}`,
      'status=all&limit=200',
    ]) {
      const { status, body } = await other.send('GET', `/api/harness/approvals?${query}`);
      expect([query, status, body]).toEqual([query, 200, { approvals: [] }]);
    }
    const foreign = await other.send('GET', '/api/harness/approvals?principalId=owner');
    expect(foreign.status).toBe(400);
  });

  it.each<[string, (id: string) => unknown]>([
    ['a list', (id) => [id]],
    ['a list in a list', (id) => [[id]]],
    ['an object', (id) => ({ id, toString: id, valueOf: id })],
    ['an object with a length', (id) => ({ 0: id, length: 1 })],
    ['a number', () => 7],
    ['true', () => true],
    ['null', () => null],
    ['nothing', () => undefined],
  ])('is not reached by an id that is %s', async (_what, form) => {
    for (const [path, rest] of [
      ['/api/harness/turn', { message: 'Hello' }],
      ['/api/harness/interrupt', {}],
      ['/api/harness/session/boot', {}],
    ] as const) {
      const sessionId = form(theirs.sessionId);
      const answer = await other.send('POST', path, { sessionId, ...rest });
      expect([path, ...errorOf(answer)]).toEqual([path, 400, 'INVALID_REQUEST']);
      expect(answer.body['error']).toMatchObject({ message: "Missing or invalid 'sessionId'" });
    }
  });

  it('is not reached by an id in a prototype, or beside one of the caller’s own', async () => {
    const mine = await newSession(other);
    const { sessionId } = theirs;
    const sent = (body: string, query = '') =>
      fetch(`${server.url}/api/harness/interrupt${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' },
        body,
      });
    for (const [body, status] of [
      [`{"__proto__":{"sessionId":"${sessionId}"}}`, 400],
      [`{"constructor":{"prototype":{"sessionId":"${sessionId}"}}}`, 400],
      [`{"sessionId":"${mine}","__proto__":{"sessionId":"${sessionId}"}}`, 404],
      [`{"sessionId":"${sessionId}","sessionId":"${mine}"}`, 404],
      [`{"sessionId":"${mine}","sessionId":"${sessionId}"}`, 404],
      [`{"sessionId":"\\u0020${sessionId}\\u00a0"}`, 404],
      [`{"sessionId":"${sessionId.toUpperCase()}"}`, 404],
      [`{"sessionId":"${sessionId}\\u0000"}`, 404],
    ] as const) {
      const answer = await sent(body, `?sessionId=${sessionId}`);
      expect([body, answer.status]).toEqual([body, status]);
    }
    expect(({} as Record<string, unknown>)['sessionId']).toBeUndefined();
    const { body } = await owner.send('GET', `/api/harness/turns/${theirs.turnId}`);
    expect(body['turn']).not.toMatchObject({ status: 'interrupted' });
  });

  it('is not reached by an id twice, or written in another way', async () => {
    const { turnId, sessionId } = theirs;
    const encoded = turnId.replace('t', '%74');
    for (const path of [
      `/api/harness/turns/${encoded}`,
      `/api/harness/turns/${turnId}/`,
      `/API/harness/TURNS/${turnId}`,
      `/api/harness/turns/${turnId}%00`,
      `/api/harness/turns/${newId('turn')}/../${turnId}`,
      `/api/harness/session/${sessionId}?id=${newId('sess')}`,
      `/api/oracle/history?context_id=${sessionId}`,
    ]) {
      expect([path, (await other.send('GET', path)).status]).toEqual([path, 404]);
    }
    const twice = `/api/oracle/history?context_id=${newId('sess')}&context_id=${sessionId}`;
    expect((await other.send('GET', twice)).status).toBe(422);
  });

  it('is not found by its Idempotency-Key', async () => {
    const mine = await newSession(other);
    const key = { 'idempotency-key': 'one-for-both' };
    const message = 'Hello';
    const sessionId = await newSession(owner);
    const first = await owner.send('POST', '/api/harness/turn', { sessionId, message }, key);
    const own = { sessionId: mine, message };
    const second = await other.send('POST', '/api/harness/turn', own, key);
    expect(second.headers.get('x-turn-id')).not.toBe(first.headers.get('x-turn-id'));
    const foreign = await other.send('POST', '/api/harness/turn', { sessionId, message }, key);
    expect(errorOf(foreign)).toEqual([404, 'SESSION_NOT_FOUND']);
  });

  it('ends as its owner says', async () => {
    const path = `/api/harness/approvals/${theirs.approvalId}`;
    expect((await owner.send('POST', path, { decision: 'deny' })).status).toBe(200);
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 0 });
  });
});

describe('a text that the database does not take', () => {
  const server = useServer();

  it('is the id or the name of nothing, in each path and each query', async () => {
    const { body } = await server.client.get('/docs-json');
    const operations = operationsOf(asDocument(body));
    const calls = operations.flatMap(({ route, operation: { parameters = [] } }) => {
      const [method = '', template = ''] = route.split(' ');
      return parameters.map(({ name }) => {
        const inPath = template.includes(`{${name}}`);
        const filled = template.replace(`{${name}}`, 'a%00b').replaceAll(/\{\w+\}/g, newId('sess'));
        return { method: method.toUpperCase(), url: inPath ? filled : `${filled}?${name}=a%00b` };
      });
    });
    expect(calls.length).toBeGreaterThan(100);
    const none = new KeyedClient(server.url);
    for (const { method, url } of calls) {
      const sent = method === 'GET' || method === 'DELETE' ? undefined : {};
      const { status } = await none.send(method, url, sent);
      expect([method, url, status < 500]).toEqual([method, url, true]);
    }
    expect(server.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it.each([
    ['PATCH', '/api/harness/session/a%00b', { title: 'x' }, 404],
    ['GET', '/api/harness/awaited-approvals/appr%00', undefined, 404],
    ['POST', '/api/harness/approvals/%00/authorize', {}, 404],
    ['DELETE', '/api/harness/webhooks/hook%00', undefined, 404],
    ['DELETE', '/api/harness/mcp/logins/%00', undefined, 404],
    ['POST', '/api/oracle/cancel?context_id=a%00b', {}, 200],
  ])('is answered as any other that there is not: %s %s', async (method, url, body, status) => {
    const none = new KeyedClient(server.url);
    const odd = await none.send(method, url, body);
    const other = await none.send(method, url.replaceAll('%00', 'x'), body);
    expect([odd.status, other.status]).toEqual([status, status]);
  });
});
