import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AgentClient } from '../../support/clients/agent-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

describe('an instruction root that has agents and nothing else', () => {
  const root = newFolder();
  const server = useServer(async () => {
    await mkdir(path.join(root, 'agents'));
    await writeFile(path.join(root, 'agents', 'reader.md'), 'You read.');
    await writeFile(path.join(root, 'agents', 'my agent.md'), 'You read.');
    return { environment: { TURNPIKE_INSTRUCTION_ROOT: root } };
  });

  it('is enough for a chat with one of them, and the start says what it ignores', async () => {
    const answer = await new AgentClient(server.url, 'reader').chat({ message: 'Hello' });
    expect([answer.status, answer.body['content']]).toEqual([200, expect.anything()]);
    expect(server.logLines.join('')).toContain('agents/my agent.md');
    expect(server.logLines.join('')).toContain('my-agent.md');
  });

  it('is enough for a turn of the harness, with the agent or without a name', async () => {
    const { client, projectRoot } = server;
    for (const persona of ['reader', undefined]) {
      const sessionId = await client.createSession(projectRoot, { persona });
      const frames = await (await client.turn(sessionId, 'Hello')).all();
      expect(frames[0]?.data).toMatchObject({ agent: 'reader' });
      expect(frames.at(-1)?.data).toMatchObject({ exitCode: 0 });
    }
    expect((await client.get('/health/agent')).body).toMatchObject({ status: 'healthy' });
  });

  const hello = { id: 'm1', role: 'user' };
  const aiSdk = {
    id: 'chat-1',
    messages: [{ ...hello, parts: [{ type: 'text', text: 'Hello' }] }],
  };
  const agUi = { threadId: 't', runId: 'r', messages: [{ ...hello, content: 'Hello' }] };
  it.each([
    ['/awp', { ...agUi, state: {}, tools: [], context: [], forwardedProps: {} }],
    ['/api/chat', aiSdk],
    ['/v1/responses', { input: 'Hello' }],
    ['/v1/responses', { input: 'Hello', model: 'reader' }],
    ['/api/oracle/stream', { question: 'Hello' }],
  ])('is enough for a turn over %s', async (route, body) => {
    const response = await fetch(`${server.url}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.stringContaining('rehearsal model')]);
  });

  it('has other files for personas of the harness alone, which say what they lack', async () => {
    const { client, projectRoot } = server;
    await writeFile(path.join(root, 'agents', 'AGENT_LEAD.md'), 'You lead.');
    const sessionId = await client.createSession(projectRoot, { persona: 'LEAD' });
    await expectSoon(async () => {
      const refused = await client.post('/api/harness/turn', { sessionId, message: 'Hello' });
      const message = expect.stringContaining('rename the file to agents/LEAD.md');
      const error = { type: 'INSTRUCTION_ROOT_INVALID', message };
      expect([refused.status, refused.body['error']]).toMatchObject([500, error]);
    });
  });
});
