import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids.js';
import { sessions } from '../../../src/storage/schema.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';
import { FLOOD, startTellingMcp } from '../../support/mcp/start-telling-mcp.js';
import { newFolder, useShared } from '../../support/suite.js';

const MIB = 1024 * 1024;
const OUTPUT = 20_000;
/** Bytes above one copy of anything that is sent here, and far below all of them together. */
const MAX_GROWTH_BYTES = 200 * MIB;

const call = (name: string, input: object = {}): string =>
  `[[tool=${name} ${JSON.stringify(input)}]]`;
const long = (length: number): string => 'a'.repeat(length);

describe('what is too large', () => {
  let sessionId: string;
  const mcp = useShared(startTellingMcp);
  const server = useServer(async () => {
    const file = path.join(newFolder(), 'mcp.json');
    await writeFile(file, JSON.stringify({ mcpServers: { docs: { url: mcp.url } } }));
    return {
      environment: {
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_TOOL_OUTPUT_LIMIT: String(OUTPUT),
        TURNPIKE_SESSION_QUEUE: '3',
      },
    };
  });
  beforeAll(async () => {
    sessionId = await newSession();
  });

  const newSession = (more: Record<string, unknown> = {}) =>
    server.client.createSession(server.projectRoot, more);
  const post = (url: string, body: object) => server.client.post(url, body);
  const resultOf = async (stream: StreamReader) => {
    const frames = await stream.all();
    return frames.find(({ event }) => event === 'tool:result')?.data;
  };

  it.each<[string, string, (messages: object[]) => object]>([
    ['AI SDK', '/api/chat', (messages) => ({ id: 'long', messages })],
    [
      'AG-UI',
      '/agent/WORKING_ITEMS/ag-ui',
      (messages) => ({ threadId: 'long', runId: 'r', messages, tools: [], context: [] }),
    ],
  ])('is not a conversation of 3 MiB and 98,000 values: %s', async (_wire, url, body) => {
    const text = [{ type: 'text', text: 'a'.repeat(150) }];
    const message = (id: number) => ({
      id: `m${id}`,
      role: id % 2 === 0 ? 'user' : 'assistant',
      ...(url === '/api/chat' ? { parts: text } : { content: text[0]?.text }),
    });
    const messages = Array.from({ length: 14_001 }, (_, id) => message(id));
    expect((await post(url, body(messages))).status).toBe(200);
    const more = Array.from({ length: 120_000 }, (_, id) => message(id));
    const refused = await post(url, body(more));
    // The harness wire has a form of its own, the agents API has problem details.
    const { type } = (refused.body['error'] ?? refused.body) as { type: string };
    expect([refused.status, type]).toEqual([413, expect.stringMatching(/body.too.large$/i)]);
  });

  it('is not what stands beside the messages of a conversation: its options', async () => {
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    const opts = { agentConfig: Object.fromEntries([[long(2 * MIB), 1]]) };
    const refused = await post('/api/chat', { id: 'options', messages, opts });
    expect([refused.status, refused.body['error']]).toMatchObject([
      413,
      { type: 'BODY_TOO_LARGE', message: expect.stringContaining('TURNPIKE_MAX_BODY_BYTES') },
    ]);
  });

  it.each<[string, string, () => object]>([
    ['a turn', '/api/harness/turn', () => ({ sessionId, message: long(MIB) })],
    ['a session', '/api/harness/session/create', () => ({ projectRoot: `/${long(MIB)}` })],
    ['an interrupt', '/api/harness/interrupt', () => ({ sessionId: long(MIB) })],
    ['an answer', '/api/harness/approvals/appr_x', () => ({ input: { x: long(MIB) } })],
  ])('is refused with 413, before it is read: the body of %s', async (_what, url, body) => {
    const { status, body: refused } = await post(url, body());
    expect([status, refused['error']]).toMatchObject([413, { type: 'BODY_TOO_LARGE' }]);
  });

  it('is refused in the words of the oracle where it is a question', async () => {
    const refused = await post('/api/oracle', { question: long(MIB) });
    expect(refused).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining('TURNPIKE_MAX_BODY_BYTES') },
    });
  });

  const project = (more: object) => ({ projectRoot: server.projectRoot, ...more });

  it.each<[string, string, () => object, string]>([
    ['a message', 'turn', () => ({ sessionId, message: long(400_001) }), 'the limit is 400000'],
    ['a persona', 'session/create', () => project({ persona: long(65) }), 'at most 64'],
    ['a mode', 'session/create', () => project({ mode: long(65) }), "invalid 'mode'"],
    [
      'a rule',
      'session/create',
      () => project({ permissions: { deny: [`read(${long(500)})`] } }),
      'at most 500 characters',
    ],
    [
      'a list of rules',
      'session/create',
      () => project({ permissions: { deny: Array.from({ length: 10_000 }, () => 'read') } }),
      'at most 100',
    ],
    [
      'a map of MCP servers',
      'session/create',
      () =>
        project({
          mcpServers: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`s${n}`, {}])),
        }),
      'at most 32',
    ],
    [
      'the name of an MCP server',
      'session/create',
      () => project({ mcpServers: { [long(10_000)]: {} } }),
      '1 to 32',
    ],
    [
      'a field that there is not',
      'session/create',
      () => project({ agentConfig: { [long(10_000)]: 1 } }),
      'has no field',
    ],
  ])('is refused by name, in short: %s', async (_what, route, body, message) => {
    const { status, body: refused } = await post(`/api/harness/${route}`, body());
    expect([status, refused['error']]).toMatchObject([
      400,
      { type: 'INVALID_REQUEST', message: expect.stringContaining(message) },
    ]);
    expect(JSON.stringify(refused).length).toBeLessThan(1_000);
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=1e9',
    'limit=201',
    'limit=1&limit=2',
    `cursor=${long(4_000)}`,
  ])('is refused in a query: %s', async (query) => {
    const url = `/api/harness/sessions/${sessionId}/messages?${query}`;
    const { status, body } = await server.client.get(url);
    expect([status, body['error']]).toMatchObject([400, { type: 'INVALID_REQUEST' }]);
  });

  it.each(['turns', 'session', 'approvals'])(
    'is cut where it is repeated: an id of %s',
    async (of) => {
      const { status, body } = await server.client.get(`/api/harness/${of}/${long(9_000)}`);
      expect(status).toBe(404);
      expect(JSON.stringify(body).length).toBeLessThan(1_000);
    },
  );

  it('is refused in an answer to an approval: its message and its rule', async () => {
    const stream = await server.client.turn(
      await newSession(),
      call('write', { file_path: 'a.txt', content: 'x' }),
    );
    const { approvalId } = (await stream.until('approval:request')).data;
    for (const answer of [
      { decision: 'deny', message: long(4_001) },
      { decision: 'approve-session', rule: `write(${long(500)})` },
    ]) {
      const refused = await post(`/api/harness/approvals/${String(approvalId)}`, answer);
      expect([refused.status, refused.body['error']]).toMatchObject([
        400,
        { type: 'INVALID_REQUEST', message: expect.stringContaining('must have at most') },
      ]);
    }
    await post(`/api/harness/approvals/${String(approvalId)}`, { decision: 'deny' });
    await stream.all();
  });

  it('is refused beyond what may still be sent into a turn', async () => {
    const session = await newSession();
    const stream = await server.client.turn(session, '[[tokens=5000 gap=10]]');
    await stream.until('chat:delta');
    const statuses: number[] = [];
    const readers: StreamReader[] = [];
    for (let sent = 0; sent < 3; sent += 1) {
      const steered = { opts: { onBusy: 'steer' } };
      readers.push(await server.client.turn(session, 'And?', steered));
    }
    for (let sent = 0; sent < 3; sent += 1) {
      const body = { sessionId: session, message: 'And?', opts: { onBusy: 'steer' } };
      const refused = await post('/api/harness/turn', body);
      expect(refused.body['error']).toMatchObject({ type: 'SESSION_QUEUE_FULL' });
      statuses.push(refused.status);
    }
    expect(statuses).toEqual([429, 429, 429]);
    await post('/api/harness/interrupt', { sessionId: session });
    await Promise.all([stream, ...readers].map((reader) => reader.all()));
  });

  it('is cut and marked: what a command and an MCP server say', async () => {
    const session = await newSession({ permissions: { allow: ['bash', 'mcp__*'] } });
    const command = `head -c ${100 * MIB} /dev/zero | tr '\\0' a`;
    const before = process.memoryUsage().heapUsed;
    for (const [message, all, tools] of [
      [call('bash', { command }), 100 * MIB, ['bash']],
      [call('mcp__docs__flood'), FLOOD, ['mcp__docs']],
    ] as const) {
      const stream = await server.client.turn(session, message, { opts: { tools } });
      const output = String((await resultOf(stream))?.['output']);
      expect(output.length).toBeLessThan(OUTPUT + 200);
      expect(output).toMatch(new RegExp(String.raw`\[output cut: \d+ of ${all} `));
    }
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it.each<[string, string, object, RegExp]>([
    [
      'a list of todos',
      'todo_write',
      {
        todos: Array.from({ length: 101 }, (_, n) => ({
          id: `${n}`,
          content: 'x',
          status: 'pending',
        })),
      },
      /at most 100 todos/,
    ],
    [
      'a todo',
      'todo_write',
      { todos: [{ id: 'a', content: long(501), status: 'pending' }] },
      /more than 500 characters/,
    ],
    ['a file', 'read', { file_path: 'large.txt' }, /exceeds 262144-byte limit/],
    ['a path', 'read', { file_path: long(5_000) }, /too long/],
  ])('is an error of a tool: %s', async (_what, tool, input, why) => {
    await writeFile(path.join(server.projectRoot, 'large.txt'), long(300_000));
    const session = await newSession();
    const stream = await server.client.turn(session, call(tool, input), {
      opts: { tools: [tool] },
    });
    expect(await resultOf(stream)).toMatchObject({ ok: false, output: expect.stringMatching(why) });
    const { body } = await server.client.get(`/api/harness/sessions/${session}/todos`);
    expect(body['todos']).toEqual([]);
  });

  it('is no more than the twentieth file of a turn', async () => {
    const files = Array.from({ length: 25 }, (_, n) => path.join(server.projectRoot, `f${n}.txt`));
    await Promise.all(files.map((file) => writeFile(file, file)));
    const stream = await server.client.turn(await newSession(), 'Look', { attachments: files });
    const warnings = (await stream.all()).filter(({ event }) => event === 'attachment:warning');
    expect(warnings.map(({ data }) => data['reason'])).toEqual(
      Array.from({ length: 5 }, () => 'Attachment exceeds per-turn limit of 20 files'),
    );
  });

  // This list has no pages by contract: TURNPIKE_MAX_SESSIONS bounds it.
  it('is a few hundred bytes for each of a thousand sessions in a list', async () => {
    const { db } = server;
    const projectRoot = newFolder();
    const at = new Date();
    const rest = { projectRoot, persona: 'WORKING_ITEMS', mode: 'direct' };
    await db.insert(sessions).values(
      Array.from({ length: 1_000 }, () => ({
        id: newId('sess'),
        ...rest,
        createdAt: at,
        updatedAt: at,
      })),
    );
    const query = `projectRoot=${encodeURIComponent(projectRoot)}`;
    const { status, body } = await server.client.get(`/api/harness/session/list?${query}`);
    expect([status, (body['sessions'] as unknown[]).length]).toEqual([200, 1_000]);
    expect(JSON.stringify(body).length).toBeLessThan(500_000);
  });

  it('takes a list of many names in a moment', async () => {
    const tools = Array.from({ length: 9_900 }, (_, n) => `t${n}`);
    const before = process.cpuUsage();
    const { status } = await post('/api/harness/session/boot', { sessionId, opts: { tools } });
    expect(status).toBe(200);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(15);
  });
});
