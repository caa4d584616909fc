import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AgentClient, expectProblem } from '../../support/clients/agent-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('an agent that is removed while it answers', () => {
  const instructions = instructionRootWith({ LEAVING: [] });
  const server = useServer({ environment: { TURNPIKE_INSTRUCTION_ROOT: instructions } });
  const client = useShared(() => new AgentClient(server.url, 'LEAVING'));

  it('leaves its readers their streams, and begins nothing new', async () => {
    const message = '[[tokens=5000 gap=20]]';
    const chat = await client.stream({ message });
    const run = {
      threadId: 'leaving',
      runId: 'run-1',
      messages: [{ id: 'u1', role: 'user', content: message }],
      forwardedProps: { turnpike: { projectRoot: server.projectRoot } },
    };
    const post = async (body: object): Promise<StreamReader> => {
      const connection = new AbortController();
      const answer = await fetch(`${server.url}/agent/LEAVING/ag-ui`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
        signal: connection.signal,
      });
      return new StreamReader(answer, connection);
    };
    const running = await post(run);
    await chat.until('message_delta');
    await running.until(({ data }) => data['type'] === 'TEXT_MESSAGE_CONTENT');
    await rm(path.join(instructions, 'agents', 'AGENT_LEAVING.md'));
    await expectSoon(async () => {
      expectProblem(await client.chat({ message: '[[tokens=1]]' }), 'persona-not-found', 404);
    });
    const [, second] = chat.frames;
    const back = await client.follow(chat.header('x-message-id'), second?.id);
    expect((await back.until('message_delta')).id).toBe(chat.frames[2]?.id);
    const address = server.url + running.header('location');
    const connection = new AbortController();
    const followed = await fetch(address, { signal: connection.signal });
    expect(followed.status).toBe(200);
    connection.abort();
    const again = await post(run);
    expect([again.response.status, again.header('x-turn-id')]).toEqual([
      200,
      running.header('x-turn-id'),
    ]);
    // Another agent’s name is no way to it.
    const others = await fetch(address.replace('/agent/LEAVING/', '/agent/WORKING_ITEMS/'));
    expect(others.status).toBe(404);
    for (const reader of [back, running]) {
      const turnId = reader.header('x-turn-id');
      await server.client.post(`/api/harness/turns/${turnId}/interrupt`, {});
    }
    expect((await back.all()).at(-1)?.event).toBe('error');
    expect((await again.all()).at(-1)?.data['type']).toBe('RUN_FINISHED');
    const next = await post({ ...run, runId: 'run-2' });
    expect(next.response.status).toBe(404);
  });
});
