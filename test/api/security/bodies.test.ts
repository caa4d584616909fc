import { beforeAll, describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

const many = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
const long = (length: number): string => 'a'.repeat(length);
const paths = (count: number): string[] => Array.from({ length: count }, () => '/none/a.txt');

describe('a body that hurts', () => {
  let sessionId: string;
  const server = useServer();
  beforeAll(async () => {
    sessionId = await server.client.createSession(server.projectRoot);
  });

  it.each<[string, string, () => object, string]>([
    ['itself', '/api/harness/interrupt', () => many(90_000), 'too many keys'],
    [
      'its options',
      '/api/harness/session/boot',
      () => ({ sessionId, opts: many(90_000) }),
      'too many keys',
    ],
    [
      'its input',
      '/api/harness/approvals/appr_x',
      () => ({ decision: 'deny', input: many(90_000) }),
      'too many keys',
    ],
    [
      'a list',
      '/api/harness/turn',
      () => ({ sessionId, message: '', attachments: paths(20_000) }),
      'too many values',
    ],
  ])('is refused before it is walked: %s', async (_what, url, body, message) => {
    const asked = server.client.post(url, body());
    // CPU of this process, which is the server's too: other processes may keep it waiting. A walk takes 5 s.
    const before = process.cpuUsage();
    await server.client.get('/health');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
    const refused = await asked;
    expect([refused.status, refused.body['error']]).toMatchObject([
      400,
      { type: 'INVALID_REQUEST', message: expect.stringContaining(message) },
    ]);
  });

  it('is refused in the words of the oracle where it is a question', async () => {
    const { client } = server;
    expect(await client.post('/api/oracle', many(90_000))).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('too many keys') },
    });
  });

  it.each<[object, string]>([
    [{ mode: 'a\0b' }, 'mode'],
    [{ mode: '\ud800' }, 'mode'],
    [{ tools: ['a\0b'] }, 'tools'],
    [{ 'a\0b': 1 }, 'a\uFFFDb'],
    [{ agentConfig: { '\ud800': 1 } }, 'agentConfig.\uFFFD'],
  ])('does not break a turn with what no column can store: %j', async (opts, key) => {
    const stream = await server.client.turn(sessionId, 'Hello', { opts });
    const frames = await stream.all();
    const notice = frames.find(({ event }) => event === 'system:notice');
    expect(notice?.data['metadata']).toMatchObject({ problems: [{ key }] });
    expect(frames.map(({ event }) => event)).toContain('session:complete');
  });

  it('does not break a turn with its governance', async () => {
    const opts = { subagentGovernance: { approvalRef: '\0', '\ud800': 1 } };
    const stream = await server.client.turn(sessionId, 'Hello', { opts });
    await stream.all();
    const { body } = await server.client.get(`/api/harness/turns/${stream.header('x-turn-id')}`);
    expect(body['turn']).toMatchObject({
      options: { subagentGovernance: { approvalRef: '\uFFFD', '\uFFFD': 1 } },
    });
  });

  it.each(['%00', 'a%00', '%F0%9F', 'turn_x'])('is no cursor: %s', async (cursor) => {
    const url = `/api/harness/sessions/${sessionId}/messages?cursor=${cursor}`;
    expect((await server.client.get(url)).status).toBe(400);
  });

  it.each<[string, string, () => object]>([
    ['a root', 'session/create', () => ({ projectRoot: `/${long(900_000)}` })],
    ['a persona', 'turn', () => ({ sessionId, message: 'x', opts: { persona: long(900_000) } })],
    ['a path', 'turn', () => ({ sessionId, message: '', attachments: [`/${long(900_000)}.txt`] })],
    [
      'an extension',
      'turn',
      () => ({ sessionId, message: '', attachments: [`/a.${long(900_000)}`] }),
    ],
    ['paths', 'turn', () => ({ sessionId, message: '', attachments: paths(9_000) })],
  ])('is not repeated whole by an error: %s', async (_what, route, body) => {
    const { status, body: refused } = await server.client.post(`/api/harness/${route}`, body());
    expect([400, 404]).toContain(status);
    expect(JSON.stringify(refused).length).toBeLessThan(20_000);
  });

  it.each<[string, Record<string, unknown>]>([
    ['keys', { opts: many(1_000) }],
    ['a key', { opts: { [long(400_000)]: 1 } }],
    ['a model', { opts: { model: long(400_000) } }],
    ['a mode', { opts: { mode: long(400_000) } }],
    ['files', { attachments: paths(5_000) }],
  ])('is not repeated whole by a stream and a turn: %s', async (_what, more) => {
    const stream = await server.client.turn(sessionId, 'Hello', more);
    const frames = JSON.stringify(await stream.all());
    const { body } = await server.client.get(`/api/harness/turns/${stream.header('x-turn-id')}`);
    expect([frames.length < 50_000, JSON.stringify(body).length < 50_000]).toEqual([true, true]);
  });
});
