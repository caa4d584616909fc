import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { startServer, useServer } from '../../support/processes/start-server.js';

describe('an approval', () => {
  const server = useServer();

  const write = (file: string, content = 'x'): string =>
    `[[tool=write {"file_path":"${file}","content":"${content}"}]]`;
  const inProject = (file: string): string => path.join(server.projectRoot, file);

  async function ask(message: string, sessionId?: string, more = {}) {
    const { client, projectRoot } = server;
    const session = sessionId ?? (await client.createSession(projectRoot));
    const stream = await client.turn(session, message, more);
    const { data } = await stream.until('approval:request');
    return { session, stream, data, id: String(data['approvalId']) };
  }

  const answer = (id: string, body: object) =>
    server.client.post(`/api/harness/approvals/${id}`, body);
  const resultOf = async (stream: StreamReader) => (await stream.until('tool:result')).data;
  const exitOf = async (stream: StreamReader) => (await stream.all()).at(-1)?.data;

  it('lets the call run once a person says yes, and the turn waits with no worker', async () => {
    const { client } = server;
    const { stream, id, data, session } = await ask(write('yes.txt'));
    expect(data).toMatchObject({
      name: 'write',
      kind: 'tool',
      onTimeout: 'deny',
      input: { file_path: 'yes.txt', content: 'x' },
      reason: expect.stringContaining('needs an approval'),
    });
    const turnId = stream.header('x-turn-id');
    const { body } = await client.get(`/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({ status: 'waiting', attempt: 1 });
    expect(existsSync(inProject('yes.txt'))).toBe(false);
    const busy = await client.post('/api/harness/turn', { sessionId: session, message: 'Hello' });
    expect([busy.status, busy.body['error']]).toMatchObject([409, { type: 'TURN_IN_PROGRESS' }]);
    expect(await answer(id, { decision: 'approve' })).toMatchObject({
      status: 200,
      body: { approval: { approvalId: id, status: 'resolved', decision: 'approve', by: 'local' } },
    });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    expect(readFileSync(inProject('yes.txt'), 'utf8')).toBe('x');
    expect(stream.names()).not.toContain('turn:recovering');
    expect((await stream.until('approval:resolve')).data).toMatchObject({
      approvalId: id,
      decision: 'approve',
      by: 'local',
    });
  });

  it('is denied with a message that the model reads', async () => {
    const { stream, id } = await ask(write('no.txt'));
    await answer(id, { decision: 'deny', message: 'Not in the root.' });
    expect(await resultOf(stream)).toMatchObject({
      ok: false,
      status: 'denied',
      output: 'permission denied: a person declined the call: Not in the root.',
    });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    expect(existsSync(inProject('no.txt'))).toBe(false);
  });

  it('runs with what a person made of the input, and the model knows', async () => {
    const { stream, id } = await ask(write('asked.txt'));
    const refused = await answer(id, { decision: 'approve', input: { file_path: 1, content: '' } });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('file_path must be string') } },
    });
    await answer(id, { decision: 'approve', input: { file_path: 'edited.txt', content: 'y' } });
    expect((await stream.until('tool:start')).data['input']).toEqual({
      file_path: 'edited.txt',
      content: 'y',
    });
    expect((await resultOf(stream))['output']).toContain('A person changed the input');
    await stream.all();
    expect(existsSync(inProject('asked.txt'))).toBe(false);
    expect(readFileSync(inProject('edited.txt'), 'utf8')).toBe('y');
  });

  it('counts for the session, for that call or for a rule', async () => {
    const first = await ask(write('s1.txt'));
    await answer(first.id, { decision: 'approve-session' });
    await first.stream.all();
    const { client } = server;
    const again = await client.turn(first.session, write('s1.txt', 'z'));
    expect(await exitOf(again)).toEqual({ exitCode: 0 });
    expect(again.names()).not.toContain('approval:request');
    const other = await ask(write('s2.txt'), first.session);
    await answer(other.id, { decision: 'approve-session', rule: 'write(s*.txt)' });
    await other.stream.all();
    const third = await client.turn(first.session, write('s3.txt'));
    expect(await exitOf(third)).toEqual({ exitCode: 0 });
    const elsewhere = await ask(write('s3.txt'));
    await answer(elsewhere.id, { decision: 'deny' });
    await elsewhere.stream.all();
  });

  it('is answered once: the same answer again is fine, another is refused', async () => {
    const { stream, id } = await ask(write('once.txt'));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        answer(id, { decision: index % 2 === 0 ? 'approve' : 'deny' }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 409);
    expect([taken.length, refused.length]).toEqual([5, 5]);
    expect(refused[0]?.body['error']).toMatchObject({ type: 'APPROVAL_RESOLVED' });
    expect((await stream.all()).filter(({ event }) => event === 'approval:resolve')).toHaveLength(
      1,
    );
  });

  it('asks about several calls at once, and runs them when all are answered', async () => {
    const { stream, session } = await ask(`${write('a.txt')} ${write('b.txt')}`);
    const { client } = server;
    const list = await client.get(`/api/harness/approvals?sessionId=${session}`);
    const [a, b] = list.body['approvals'] as { approvalId: string; session: object }[];
    expect(a?.session).toEqual({
      title: expect.stringContaining('a.txt'),
      projectRoot: server.projectRoot,
      persona: 'WORKING_ITEMS',
    });
    await answer(b?.approvalId ?? '', { decision: 'approve' });
    await answer(a?.approvalId ?? '', { decision: 'deny' });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    expect([existsSync(inProject('a.txt')), existsSync(inProject('b.txt'))]).toEqual([false, true]);
    expect((await client.get(`/api/harness/approvals?sessionId=${session}`)).body).toEqual({
      approvals: [],
    });
    const all = await client.get(`/api/harness/approvals?sessionId=${session}&status=all`);
    expect(all.body['approvals']).toHaveLength(2);
  });

  it('is cancelled with its turn, at once, though no worker has it', async () => {
    const { stream, id, session } = await ask(write('never.txt'));
    const { body } = await server.client.post('/api/harness/interrupt', { sessionId: session });
    expect(body).toMatchObject({ ok: true, state: 'ended' });
    expect(await exitOf(stream)).toEqual({ exitCode: 130, interrupted: true });
    expect((await stream.until('approval:resolve')).data).toMatchObject({ decision: 'cancelled' });
    expect(await answer(id, { decision: 'approve' })).toMatchObject({
      status: 409,
      body: { error: { type: 'APPROVAL_RESOLVED' } },
    });
  });

  it.each([
    [{}, "Missing or invalid 'decision'"],
    [{ decision: 'maybe' }, 'one of approve, approve-session, deny'],
    [{ decision: 'deny', input: {} }, "'input' goes with an approval"],
    [{ decision: 'approve', rule: 'write' }, "'rule' goes with"],
    [{ decision: 'approve-session', rule: 'write(' }, "'rule'"],
    [{ decision: 'approve', input: [] }, "'input' must be an object"],
  ])('refuses the answer %j', async (body, message) => {
    const { stream, id } = await ask(write('refused.txt'));
    expect(await answer(id, body)).toMatchObject({
      status: 400,
      body: { error: { type: 'INVALID_REQUEST', message: expect.stringContaining(message) } },
    });
    await answer(id, { decision: 'deny' });
    await stream.all();
  });

  it('is unknown by an id that is none', async () => {
    for (const id of ['appr_x', 'appr_00000000-0000-4000-8000-000000000000']) {
      expect(await answer(id, { decision: 'deny' })).toMatchObject({
        status: 404,
        body: { error: { type: 'APPROVAL_NOT_FOUND' } },
      });
    }
  });
});

describe('an approval that nobody answers', () => {
  it.each(['deny', 'approve'] as const)('is decided at its deadline: %s', async (decision) => {
    const server = await startServer({
      environment: { TURNPIKE_APPROVAL_TIMEOUT_MS: '1000', TURNPIKE_APPROVAL_DEFAULT: decision },
    });
    try {
      const { client, projectRoot } = server;
      const sessionId = await client.createSession(projectRoot);
      const stream = await client.turn(sessionId, '[[tool=write {"file_path":"a","content":"x"}]]');
      expect((await stream.until('approval:resolve')).data).toMatchObject({
        decision,
        by: 'deadline',
      });
      expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 0 });
      expect(existsSync(path.join(projectRoot, 'a'))).toBe(decision === 'approve');
    } finally {
      await server.close();
    }
  });
});
