import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';

describe('an interrupt', () => {
  const root = instructionRootWith({ SHELL: ['auto_approve_tools: [bash]'] });
  const server = useServer({ environment: { TURNPIKE_INSTRUCTION_ROOT: root } });

  const interrupt = (sessionId: string) =>
    server.client.post('/api/harness/interrupt', { sessionId });

  it('ends a streaming turn with exit 130, and the session is free at once', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=5000 gap=10]]');
    await stream.until('chat:delta');
    const answer = await interrupt(sessionId);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ok: true, state: 'running', turnId: stream.header('x-turn-id') },
    ]);
    const frames = await stream.all();
    expect(frames.at(-1)?.event).toBe('process:exit');
    expect(frames.at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    for (const absent of ['chat:complete', 'session:complete', 'turn:error']) {
      expect(stream.names()).not.toContain(absent);
    }
    const next = await client.turn(sessionId, 'Hello again');
    expect((await next.all()).at(-1)?.data).toEqual({ exitCode: 0 });
  });

  it('keeps the partial text in the history, marked', async () => {
    const { client, projectRoot, modelRequests } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=5000 gap=10]]');
    await stream.until('chat:delta');
    await interrupt(sessionId);
    await stream.all();
    await (await client.turn(sessionId, 'What did you say?')).all();
    const sent = JSON.stringify(modelRequests.at(-1)?.body.messages);
    expect(sent).toContain('word1');
    expect(sent).toContain('[This reply was interrupted before it was complete.]');
    const { body } = await client.get(`/api/harness/sessions/${sessionId}/messages`);
    const messages = body['messages'] as { role: string; status: string }[];
    expect(messages.map((message) => `${message.role} ${message.status}`)).toEqual([
      'user complete',
      'assistant cut',
      'user complete',
      'assistant complete',
    ]);
  });

  it('reaches a turn that has said nothing yet', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=5 first=60000]]');
    await stream.until('step:start');
    await interrupt(sessionId);
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
  });

  it('stops a running command, and says that its outcome is not known', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona: 'SHELL' });
    const command = 'touch started; sleep 30; touch finished';
    const stream = await client.turn(sessionId, `[[tool=bash {"command":"${command}"}]]`, {
      opts: { tools: ['bash'] },
    });
    const called = await stream.until('tool:start');
    await interrupt(sessionId);
    const result = (await stream.all()).find((frame) => frame.event === 'tool:result');
    expect(result?.data).toMatchObject({
      toolUseId: called.data['toolUseId'],
      status: 'unknown',
      ok: false,
    });
    expect(stream.frames.at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    expect(existsSync(path.join(projectRoot, 'finished'))).toBe(false);
    const next = await client.turn(sessionId, 'Go on');
    expect((await next.all()).at(-1)?.data).toEqual({ exitCode: 0 });
  });

  it('is idempotent while the turn ends, and distinguishes no session from no turn', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const idle = await interrupt(sessionId);
    expect([idle.status, idle.body['error']]).toEqual([
      404,
      expect.objectContaining({
        type: 'SESSION_NOT_FOUND',
        details: { sessionId, reason: 'NO_ACTIVE_TURN' },
      }),
    ]);
    const unknown = await interrupt('sess_00000000-0000-4000-8000-000000000000');
    expect(unknown.body['error']).toMatchObject({ details: { reason: 'NO_SUCH_SESSION' } });
    const blank = await interrupt('  ');
    expect([blank.status, blank.body['error']]).toEqual([
      400,
      {
        type: 'INVALID_REQUEST',
        message: "Missing or invalid 'sessionId'",
        retryable: false,
        correlationId: expect.any(String),
      },
    ]);
    const stream = await client.turn(sessionId, '[[tokens=5000 gap=10]]');
    await stream.until('chat:delta');
    const answers = await Promise.all([interrupt(sessionId), interrupt(sessionId)]);
    // The second interrupt may come after the end; it never fails in another way.
    expect([
      [200, 200],
      [200, 404],
      [404, 200],
    ]).toContainEqual(answers.map((answer) => answer.status));
    const exits = (await stream.all()).filter((frame) => frame.event === 'process:exit');
    expect(exits).toHaveLength(1);
  });

  it('leaves one turn of many racing ones', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const body = { sessionId, message: '[[tokens=5000 gap=10]]' };
    const racing = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${server.url}/api/harness/turn`, { method: 'POST', body: JSON.stringify(body) }),
      ),
    );
    const statuses = racing.map((response) => response.status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    await interrupt(sessionId);
    await Promise.all(racing.map((response) => response.text()));
  });

  it('comes before the delete of a session whose turn runs', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, '[[tokens=5000 gap=10]]');
    await stream.until('chat:delta');
    const answer = await client.request('DELETE', `/api/harness/session/${sessionId}`);
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    expect((await client.get(`/api/harness/session/${sessionId}`)).status).toBe(404);
    const turn = await client.get(`/api/harness/turns/${stream.header('x-turn-id')}`);
    expect(turn.status).toBe(404);
  });
});
