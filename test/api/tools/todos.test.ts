import { describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

const someId = 'sess_00000000-0000-4000-8000-000000000000';
const todos = [
  { id: 'a', content: 'Read it', status: 'completed' },
  { id: 'b', content: 'Write it', status: 'in_progress' },
];

describe('todos', () => {
  const server = useServer();

  const list = (sessionId: string) => server.client.get(`/api/harness/sessions/${sessionId}/todos`);

  async function write(sessionId: string, items: object[]): Promise<Record<string, unknown>[]> {
    const message = `[[tool=todo_write ${JSON.stringify({ todos: items })}]]`;
    const opts = { tools: ['todo_write'] };
    const stream = await server.client.turn(sessionId, message, { opts });
    const frames = await stream.all();
    return frames.filter(({ event }) => event === 'tool:result').map(({ data }) => data);
  }

  it('are none before a turn writes some', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const { status, body } = await list(sessionId);
    expect([status, body]).toEqual([200, { todos: [] }]);
  });

  it('are what the last turn wrote, in any mode, and stay when it writes nonsense', async () => {
    const sessionId = await server.client.createSession(server.projectRoot, { mode: 'plan' });
    expect(await write(sessionId, todos)).toMatchObject([{ name: 'todo_write', ok: true }]);
    expect((await list(sessionId)).body).toEqual({ todos });
    const twice = [...todos, ...todos];
    expect(await write(sessionId, twice)).toMatchObject([{ name: 'todo_write', ok: false }]);
    expect((await list(sessionId)).body).toEqual({ todos });
    const other = await server.client.createSession(server.projectRoot);
    expect((await list(other)).body).toEqual({ todos: [] });
  });

  it.each([someId, 'nonsense'])('of session %s: there is no such session', async (sessionId) => {
    const { status, body } = await list(sessionId);
    expect([status, body['error']]).toEqual([
      404,
      expect.objectContaining({ type: 'SESSION_NOT_FOUND' }),
    ]);
  });
});
