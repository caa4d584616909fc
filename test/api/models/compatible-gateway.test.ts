import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { startStrictGateway } from '../../support/model/strict-gateway.js';
import { useShared } from '../../support/suite.js';

const key = 'gateway-key-that-is-secret';
/** The model's profile has system messages, effort, bound thinking and provider tools. */
const opts = { model: 'claude-opus-5-5', tools: ['glob', 'web_search'] };

describe('a gateway that speaks plain Messages', () => {
  const gateway = useShared(() => startStrictGateway(key));
  const server = useShared(() => open({ TURNPIKE_PROVIDER_PROFILE: 'compatible' }));

  async function open(environment: Record<string, string>): Promise<TestServer> {
    const opened = await startServer({
      environment: {
        ANTHROPIC_API_KEY: key,
        TURNPIKE_PROVIDER_BASE_URL: gateway.url,
        TURNPIKE_EGRESS_ALLOW: gateway.url,
        TURNPIKE_SERVER_TOOLS: 'web_search',
        ...environment,
      },
    });
    // Project instructions reach the model as a notice of the server.
    await writeFile(path.join(opened.projectRoot, 'AGENTS.md'), 'Write in verse.');
    return opened;
  }

  async function run(on: TestServer, sessionId: string, message: string, more: object = {}) {
    const stream = await on.client.turn(sessionId, message, { opts: { ...opts, ...more } });
    const frames = await stream.all();
    return { text: stream.text(), end: frames.find(({ event }) => event === 'turn:end')?.data };
  }

  it('takes every request of a conversation with tools, thinking and notices', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const first = await run(server, sessionId, 'Please use glob.');
    const second = await run(server, sessionId, 'And now?', { thinking: true });
    expect(gateway.refused).toEqual([]);
    for (const { text, end } of [first, second]) {
      expect(text).toBe('Well said.');
      expect(end).toMatchObject({ outcome: 'completed' });
    }
    expect(JSON.stringify(gateway.taken[0])).toContain('<system_message type=');
    expect(gateway.taken.at(-1)?.['thinking']).toEqual({
      type: 'enabled',
      budget_tokens: expect.any(Number),
    });
  });

  it('boots a session without a question about the model', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const { status } = await server.client.post('/api/harness/session/boot', { sessionId });
    expect([status, gateway.refused]).toEqual([200, []]);
  });

  it('refuses what the API itself is sent: the profile is what makes the difference', async () => {
    const plain = await open({ TURNPIKE_PROVIDER_PROFILE: 'anthropic' });
    try {
      const sessionId = await plain.client.createSession(plain.projectRoot);
      const { end } = await run(plain, sessionId, 'Hello');
      expect(end).toMatchObject({ outcome: 'failed' });
      expect(gateway.refused.at(-1)).toBe('the header authorization is not known');
    } finally {
      await plain.close();
    }
  });
});
