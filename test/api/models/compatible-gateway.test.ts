import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { startStrictGateway, type Manner } from '../../support/model/strict-gateway.js';
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
      expect(gateway.refused.at(-1)).toBe('invalid x-api-key');
    } finally {
      await plain.close();
    }
  });
});

describe('a server of one’s own, by its profile', () => {
  const window = {
    text: 'a very long message',
    error: { code: 400, message: 'over the window', type: 'exceed_context_size_error' },
  };
  const servers: readonly (readonly [profile: string, manner: Manner])[] = [
    ['ollama', { thinks: true, omitsReason: true }],
    ['llama.cpp', { omitsStart: true, omitsInput: true, window }],
    ['vllm', { omitsReason: true }],
    ['lm-studio', {}],
    ['litellm', {}],
  ];

  async function open(profile: string, manner: Manner, more: Record<string, string> = {}) {
    const place = await startStrictGateway(more['TURNPIKE_PROVIDER_KEY'], manner);
    const environment = {
      // A key of Anthropic's is no other server's.
      ANTHROPIC_API_KEY: key,
      TURNPIKE_PROVIDER: 'auto',
      TURNPIKE_PROVIDER_PROFILE: profile,
      TURNPIKE_PROVIDER_BASE_URL: place.url,
      TURNPIKE_EGRESS_ALLOW: '',
      TURNPIKE_MODEL: 'qwen3:8b',
      ...more,
    };
    const server = await startServer({ environment });
    const close = async (): Promise<void> => {
      await server.close();
      await place.close();
    };
    return { place, server, close };
  }

  it.each(servers)('%s runs a turn with a tool and a document', async (profile, manner) => {
    const { place, server, close } = await open(profile, manner);
    try {
      const { client } = server;
      const { body } = await client.get('/api/harness/models');
      const free = profile === 'litellm' ? {} : { price: { input: 0, output: 0 } };
      expect(body['models']).toMatchObject([{ id: 'qwen3:8b', ...free }]);
      const form = new FormData();
      form.append('files', new File(['Buy milk.'], 'notes.txt', { type: 'text/plain' }));
      const sent = await fetch(`${server.url}/api/harness/attachments`, {
        method: 'POST',
        body: form,
      });
      const { attachments } = (await sent.json()) as { attachments: { id: string }[] };
      const sessionId = await client.createSession(server.projectRoot);
      const stream = await client.turn(sessionId, 'Please use glob.', {
        attachments: attachments.map(({ id }) => id),
      });
      const frames = await stream.all();
      expect(place.refused).toEqual([]);
      expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
      expect(stream.text()).toBe('Well said.');
      expect(JSON.stringify(place.taken[0])).toContain('notes.txt\\n\\nBuy milk.');
      const isOff = JSON.stringify(place.taken[0]?.['thinking']) === '{"type":"disabled"}';
      expect(isOff).toBe(manner.thinks === true);
      const more = await client.turn(sessionId, 'And a very long message.');
      const { event, data = {} } =
        (await more.all()).find((one) => one.event === 'turn:error') ?? {};
      const details = data['details'] as Record<string, unknown> | undefined;
      const isOver = manner.window !== undefined;
      expect([event, details?.['reason']]).toEqual(
        isOver ? ['turn:error', 'PROMPT_TOO_LONG'] : [undefined, undefined],
      );
    } finally {
      await close();
    }
  });

  it('is sent the key that is its own', async () => {
    const { place, server, close } = await open('vllm', {}, { TURNPIKE_PROVIDER_KEY: 'own-key-1' });
    try {
      const sessionId = await server.client.createSession(server.projectRoot);
      await (await server.client.turn(sessionId, 'Hello')).all();
      expect([place.refused, place.taken.length]).toEqual([[], 1]);
    } finally {
      await close();
    }
  });
});
