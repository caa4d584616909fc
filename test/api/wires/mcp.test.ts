import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import { expectSoon } from '../../support/expect-soon.js';
import { decide } from '../../support/access/approvers.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { callTool as call, connectMcp, type Era } from '../../support/clients/mcp-client.js';
import { startServer, useServer, type TestServer } from '../../support/processes/start-server.js';

const open: Client[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

async function connect(...given: Parameters<typeof connectMcp>): Promise<Client> {
  const client = await connectMcp(...given);
  open.push(client);
  return client;
}

const write = (file: string): string => `[[tool=write {"file_path":"${file}","content":"x"}]]`;

describe('agents as an MCP server', () => {
  const server = useServer();
  const inFolder = async () => server.client.createSession(server.projectRoot);

  describe.each<Era>(['legacy', 'auto'])('for a client of the era %s', (era) => {
    it('lists its tools, and the agents', async () => {
      const client = await connect(server.url, { era });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        'list_agents',
        'start_turn',
        'read_turn',
        'answer_turn',
        'cancel_turn',
      ]);
      const { structured } = await call(client, 'list_agents', {});
      expect(structured['agents']).toContainEqual(
        expect.objectContaining({ name: 'WORKING_ITEMS' }),
      );
    });

    it('runs a turn to its end, and goes on in its session', async () => {
      const client = await connect(server.url, { era });
      const first = await call(client, 'start_turn', { message: 'Hello [[tokens=3]]' });
      expect(first).toMatchObject({ isError: false, structured: { status: 'completed' } });
      expect(first.said).not.toBe('');
      const { sessionId } = first.structured;
      const second = await call(client, 'start_turn', { message: 'And now?', sessionId });
      expect(second.structured).toMatchObject({ status: 'completed', sessionId });
      expect(second.structured['turnId']).not.toBe(first.structured['turnId']);
    });
  });

  it('joins the first turn where a call is made again with its key', async () => {
    const client = await connect(server.url);
    const input = { message: 'Once', idempotencyKey: 'k-1' };
    const [one, two] = await Promise.all([
      call(client, 'start_turn', input),
      call(client, 'start_turn', input),
    ]);
    expect(two.structured['turnId']).toBe(one.structured['turnId']);
    const other = await call(client, 'start_turn', { ...input, message: 'Something else' });
    expect(other).toMatchObject({
      isError: true,
      said: expect.stringMatching(/^IDEMPOTENCY_KEY_REUSED: /),
    });
  });

  it('comes back for a turn that takes long, and cancels it', async () => {
    const client = await connect(server.url);
    const message = 'Slowly [[tokens=4000 gap=20]]';
    const { structured, said } = await call(client, 'start_turn', { message, waitSeconds: 0 });
    expect(structured).toMatchObject({ status: 'running' });
    const { turnId } = structured;
    expect(said).toContain(`read_turn with turnId ${String(turnId)}`);
    await call(client, 'cancel_turn', { turnId });
    const end = await call(client, 'read_turn', { turnId });
    expect(end).toMatchObject({ isError: true, structured: { status: 'interrupted' } });
  });

  it('says that a turn waits for a person, and takes the answer', async () => {
    const client = await connect(server.url);
    const sessionId = await inFolder();
    const { structured } = await call(client, 'start_turn', { message: write('a.txt'), sessionId });
    expect(structured).toMatchObject({
      status: 'input_required',
      questions: [
        {
          tool: 'write',
          input: { file_path: 'a.txt', content: 'x' },
          whoDecides: 'the person who started the turn',
          isAwaitingMe: true,
        },
      ],
    });
    const again = await call(client, 'read_turn', { turnId: structured['turnId'] });
    expect(again.structured).toEqual(structured);
    const [question] = structured['questions'] as { approvalId: string }[];
    const end = await call(client, 'answer_turn', {
      turnId: structured['turnId'],
      approvalId: question?.approvalId,
      decision: 'approve',
    });
    expect(end.structured).toMatchObject({ status: 'completed' });
    expect(existsSync(path.join(server.projectRoot, 'a.txt'))).toBe(true);
  });

  it.each([
    ['runs what the person of the client approves', 'approve', true],
    ['does not run what the person denies', 'deny', false],
  ])('%s, asked in the middle of the call', async (_does, decision, runs) => {
    const asked: string[] = [];
    const decide = (message: string) => {
      asked.push(message);
      return { content: { decision } };
    };
    const client = await connect(server.url, { era: 'auto', decide });
    const file = `${decision}.txt`;
    const sessionId = await inFolder();
    const { structured } = await call(client, 'start_turn', { message: write(file), sessionId });
    expect(structured).toMatchObject({ status: 'completed', sessionId });
    expect(asked).toEqual([expect.stringContaining('May the agent call write?')]);
    expect(existsSync(path.join(server.projectRoot, file))).toBe(runs);
  });

  it('leaves a question open that the person of the client closes', async () => {
    const client = await connect(server.url, { era: 'auto', decide: () => ({ action: 'cancel' }) });
    const sessionId = await inFolder();
    const { structured } = await call(client, 'start_turn', { message: write('c.txt'), sessionId });
    expect(structured).toMatchObject({ status: 'input_required' });
    expect(existsSync(path.join(server.projectRoot, 'c.txt'))).toBe(false);
  });

  it('starts no other turn for a call that comes back with its state', async () => {
    const client = await connect(server.url);
    const sessionId = await inFolder();
    const { structured } = await call(client, 'start_turn', { message: write('s.txt'), sessionId });
    const [question] = structured['questions'] as { approvalId: string }[];
    const requestState = String(structured['turnId']);
    expect(await repeatCall(server.url, { requestState })).toMatchObject({
      structuredContent: { turnId: requestState, status: 'input_required' },
    });
    const inputResponses = { [String(question?.approvalId)]: approved };
    expect(await repeatCall(server.url, { requestState, inputResponses })).toMatchObject({
      structuredContent: { turnId: requestState, status: 'completed' },
    });
    expect(existsSync(path.join(server.projectRoot, 's.txt'))).toBe(true);
  });

  it.each<Era>(['legacy', 'auto'])(
    'goes on with a turn whose client of the era %s leaves',
    async (era) => {
      const message = `Slowly, for ${era} [[tokens=60 gap=20]]`;
      const input = { message, idempotencyKey: `left-${era}` };
      const asked = () =>
        server.modelRequests.filter(({ body }) => JSON.stringify(body.messages).includes(message));
      const leaver = await connect(server.url, { era });
      const left = expect(call(leaver, 'start_turn', input)).rejects.toThrow();
      await expectSoon(() => expect(asked()).toHaveLength(1));
      await leaver.close();
      await left;
      const { structured } = await call(await connect(server.url), 'start_turn', input);
      expect(structured).toMatchObject({ status: 'completed' });
      expect(asked()).toHaveLength(1);
    },
  );

  it('ends a turn once that two clients cancel', async () => {
    const clients = [
      await connect(server.url),
      await connect(server.url, { era: 'auto' }),
    ] as const;
    const message = 'Slowly [[tokens=4000 gap=20]]';
    const { structured } = await call(clients[0], 'start_turn', { message, waitSeconds: 0 });
    const { turnId } = structured;
    const cancelled = await Promise.all(
      clients.map((client) => call(client, 'cancel_turn', { turnId })),
    );
    expect(cancelled.map(({ isError }) => isError)).toEqual([false, false]);
    for (const client of clients) {
      const end = await call(client, 'read_turn', { turnId });
      expect(end.structured).toMatchObject({ status: 'interrupted' });
    }
  });

  it.each<[string, string, object, string]>([
    ['no message', 'start_turn', {}, "'message'"],
    ['an unknown field', 'start_turn', { message: 'Hi', model: 'x' }, "'model'"],
    ['a long wait', 'read_turn', { turnId: 't', waitSeconds: 51 }, "'waitSeconds'"],
    ['an unknown tool', 'start', {}, 'There is no tool start. The tools are list_agents'],
  ])('refuses %s by name', async (_what, name, input, message) => {
    const client = await connect(server.url);
    await expect(client.callTool({ name, arguments: { ...input } })).rejects.toThrow(message);
  });

  it('answers with the typed error of a refused turn, as a result that a model can read', async () => {
    const client = await connect(server.url);
    expect(await call(client, 'start_turn', { message: 'Hi', agent: 'NOBODY' })).toMatchObject({
      isError: true,
      said: expect.stringMatching(/^PERSONA_NOT_FOUND: /),
      structured: { error: { type: 'PERSONA_NOT_FOUND', retryable: false } },
    });
  });

  it('takes no other method than POST, and says so', async () => {
    const response = await fetch(`${server.url}/mcp`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('POST');
  });
});

/** Makes a call again as a client of 2026-07-28 does after its person answered, with a state and answers of its own. */
async function repeatCall(
  url: string,
  { key, ...retried }: { key?: string; requestState: string; inputResponses?: object },
) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const called = { name: 'start_turn', arguments: { message: 'Start another [[tokens=3]]' } };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': called.name,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...called, ...retried, _meta },
    }),
  });
  const { result } = (await response.json()) as { result: Record<string, unknown> };
  return result;
}

const approved = { action: 'accept', content: { decision: 'approve' } };

describe('agents as an MCP server with keys', () => {
  const server = useServer();
  const started: TestServer[] = [];
  afterEach(() => Promise.all(started.splice(0).map((one) => one.close())));

  it('shows nobody the sessions, turns and questions of others', async () => {
    const key = async (principal: string, scopes = ['turns', 'approvals']) =>
      (await makeKey(server, { principal, scopes })).secret;
    const [mine, theirs] = [await key('mine'), await key('theirs')];
    const keyed = await startServer({ store: server.store });
    started.push(keyed);
    const owner = await connect(keyed.url, { key: mine });
    const { structured } = await call(owner, 'start_turn', { message: write('k.txt') });
    const { turnId, sessionId } = structured;
    const [question] = structured['questions'] as { approvalId: string }[];
    const other = await connect(keyed.url, { key: theirs });
    const answer = { turnId, approvalId: question?.approvalId, decision: 'approve' };
    for (const [name, input, type] of [
      ['start_turn', { message: 'Hi', sessionId }, 'SESSION_NOT_FOUND'],
      ['read_turn', { turnId }, 'TURN_NOT_FOUND'],
      ['answer_turn', answer, 'TURN_NOT_FOUND'],
      ['cancel_turn', { turnId }, 'TURN_NOT_FOUND'],
    ] as const) {
      const { isError, said } = await call(other, name, input);
      expect([name, isError, said.split(':')[0]]).toEqual([name, true, type]);
    }
    const own = await call(other, 'start_turn', { message: 'Hi' });
    const crossed = { ...answer, turnId: own.structured['turnId'] };
    expect((await call(other, 'answer_turn', crossed)).said).toMatch(/^APPROVAL_NOT_FOUND: /);
    const cannotAnswer = await key('mine', ['turns']);
    const reader = await connect(keyed.url, { key: cannotAnswer });
    expect((await call(reader, 'answer_turn', answer)).said).toMatch(/^FORBIDDEN_SCOPE: /);
    const inputResponses = { [String(question?.approvalId)]: approved };
    for (const [user, state, type] of [
      [theirs, turnId, 'TURN_NOT_FOUND'],
      [theirs, own.structured['turnId'], 'APPROVAL_NOT_FOUND'],
      [cannotAnswer, turnId, 'FORBIDDEN_SCOPE'],
    ] as const) {
      const retried = { key: user, requestState: String(state), inputResponses };
      expect(await repeatCall(keyed.url, retried)).toMatchObject({
        isError: true,
        structuredContent: { error: { type } },
      });
    }
    expect(await call(owner, 'read_turn', { turnId })).toMatchObject({
      structured: { status: 'input_required', questions: [{ approvalId: question?.approvalId }] },
    });
    await expect(connect(keyed.url, { key: 'tpk_none' })).rejects.toThrow();
  });

  it('awaits no answer of a key that may not give one', async () => {
    const { secret: key } = await makeKey(server, { principal: 'asker', scopes: ['turns'] });
    const keyed = await startServer({ store: server.store });
    started.push(keyed);
    const client = await connect(keyed.url, { key });
    const { structured } = await call(client, 'start_turn', { message: write('not-mine.txt') });
    expect(structured).toMatchObject({
      status: 'input_required',
      questions: [{ whoDecides: 'the person who started the turn', isAwaitingMe: false }],
    });
  });

  describe('where a call awaits two people', () => {
    const two = { by: ['release'], count: 2 };
    const people = async () => {
      const keyOf = async (principal: string) => {
        const scopes = ['turns', 'approvals'];
        return (await makeKey(server, { principal, scopes, approves: ['release'] })).secret;
      };
      const [asker, second] = [await keyOf('asker'), await keyOf('second')];
      const keyed = await startServer({ store: server.store });
      started.push(keyed);
      const ask = async (file: string, rule: object, decide?: (asked: string) => object) => {
        const { body } = await new KeyedClient(keyed.url, asker).send(
          'POST',
          '/api/harness/session/create',
          { permissions: { ask: [{ rule: 'write', ...rule }] } },
        );
        const { sessionId, projectRoot } = body['session'] as Record<string, string>;
        const more = decide === undefined ? {} : { era: 'auto' as const, decide };
        const client = await connect(keyed.url, { key: asker, ...more });
        const asked = await call(client, 'start_turn', { message: write(file), sessionId });
        const { questions, turnId } = asked.structured;
        const [question] = questions as [{ approvalId: string }];
        const wasWritten = () => existsSync(path.join(projectRoot ?? '', file));
        return { client, asked, turnId, approvalId: question.approvalId, wasWritten };
      };
      return { ask, second: new KeyedClient(keyed.url, second) };
    };

    it('says who decides and who is missing, until the second has answered', async () => {
      const { ask, second } = await people();
      const { client, asked, turnId, approvalId, wasWritten } = await ask('two.txt', two);
      const who = '2 people with the role release';
      expect(asked).toMatchObject({
        said: expect.stringContaining(`${who}: 0 approved, 2 missing`),
        structured: {
          status: 'input_required',
          questions: [{ isAwaitingMe: true, awaits: [{ ...two, approved: 0 }], answers: [] }],
        },
      });
      const answer = { turnId, approvalId, decision: 'approve' };
      for (let time = 0; time < 2; time += 1) {
        expect(await call(client, 'answer_turn', answer)).toMatchObject({
          said: expect.stringMatching(/waits for others.+read_turn[^]+1 approved, 1 missing/),
          structured: {
            status: 'input_required',
            questions: [
              {
                whoDecides: `${who}: 1 approved, 1 missing`,
                isAwaitingMe: false,
                awaits: [{ approved: 1 }],
                answers: [{ by: 'asker', decision: 'approve' }],
              },
            ],
          },
        });
      }
      expect(await call(client, 'read_turn', { turnId, waitSeconds: 0 })).toMatchObject({
        structured: { status: 'input_required', questions: [{ isAwaitingMe: false }] },
      });
      const end = call(client, 'read_turn', { turnId, waitSeconds: 50 });
      expect((await decide(second, approvalId, 'approve')).status).toBe(200);
      expect(await end).toMatchObject({ structured: { status: 'completed' } });
      expect(wasWritten()).toBe(true);
    });

    it('asks the person of the client once, and for no call that others decide', async () => {
      const { ask, second } = await people();
      const asked: string[] = [];
      const approve = (message: string) => {
        asked.push(message);
        return { content: { decision: 'approve' } };
      };
      const own = await ask('once.txt', two, approve);
      expect(asked).toEqual([expect.stringContaining('0 approved, 2 missing')]);
      expect(own.asked.structured).toMatchObject({
        status: 'input_required',
        questions: [{ isAwaitingMe: false, awaits: [{ approved: 1 }] }],
      });
      const { client, turnId, ...others } = await ask(
        'others.txt',
        { by: ['release'], notRequester: true },
        approve,
      );
      expect(asked).toHaveLength(1);
      expect(others.asked.said).toContain('a person with the role release, other than who asks');
      const answer = { turnId, approvalId: others.approvalId, decision: 'approve' };
      expect((await call(client, 'answer_turn', answer)).said).toMatch(
        /^FORBIDDEN_APPROVER: .+other than who asks/,
      );
      expect((await decide(second, others.approvalId, 'deny')).status).toBe(200);
      expect(await call(client, 'read_turn', { turnId })).toMatchObject({
        structured: { status: 'completed' },
      });
      expect(others.wasWritten()).toBe(false);
    });
  });
});
