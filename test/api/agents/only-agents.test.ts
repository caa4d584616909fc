import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentClient } from '../../support/clients/agent-client.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';

describe('an instruction root that has agents and nothing else', () => {
  let server: TestServer;
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'turnpike-only-agents-'));
    await mkdir(path.join(root, 'agents'));
    await writeFile(path.join(root, 'agents', 'reader.md'), 'You read.');
    await writeFile(path.join(root, 'agents', 'my agent.md'), 'You read.');
    server = await startServer({ environment: { TURNPIKE_INSTRUCTION_ROOT: root } });
  });
  afterAll(async () => {
    await server.close();
    await rm(root, { recursive: true, force: true });
  });

  it('is enough for a chat with one of them, and the start says what it ignores', async () => {
    const answer = await new AgentClient(server.url, 'reader').chat({ message: 'Hello' });
    expect([answer.status, answer.body['content']]).toEqual([200, expect.anything()]);
    expect(server.logLines.join('')).toContain('agents/my agent.md');
    expect(server.logLines.join('')).toContain('my-agent.md');
  });

  it('is not enough for a turn of the harness, and says what is missing', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona: 'reader' });
    const refused = await client.post('/api/harness/turn', { sessionId, message: 'Hello' });
    expect([refused.status, refused.body['error']]).toMatchObject([
      500,
      { type: 'INSTRUCTION_ROOT_INVALID' },
    ]);
  });
});
