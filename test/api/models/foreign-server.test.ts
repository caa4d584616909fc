import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { runCommand } from '../../../src/cli/program.js';
import { startServer } from '../../support/processes/start-server.js';

/** A server of the Messages API that somebody else wrote: it answers by patterns, without a model. */
describe('a foreign server of the Messages API', () => {
  const place = new LLMock({ port: 0 });
  const environment = (): Record<string, string> => ({
    TURNPIKE_PROVIDER: 'auto',
    TURNPIKE_PROVIDER_PROFILE: 'compatible',
    TURNPIKE_PROVIDER_BASE_URL: place.url,
    TURNPIKE_PROVIDER_KEY: 'a-key-of-its-own',
    TURNPIKE_EGRESS_ALLOW: '',
    TURNPIKE_MODEL: 'some-model',
  });
  const usage = { input_tokens: 20, output_tokens: 15 };
  beforeAll(async () => {
    place.onMessage(/Count from one/, {
      content: 'one, two, three, four, five, six, seven, eight',
      usage,
    });
    const call = { name: 'report_number', arguments: '{"number":7391}' };
    const asked = { userMessage: /Call the tool report_number/, hasToolResult: false };
    place.addFixture({ match: asked, response: { toolCalls: [call] } });
    place.addFixture({
      match: { hasToolResult: true, toolResultContains: 'marmalade' },
      response: { content: 'Marmalade.' },
    });
    place.onMessage(/What colour/, { content: 'Green.' });
    place.onMessage(/Look around/, { toolCalls: [{ name: 'glob', arguments: '{"pattern":"*"}' }] });
    place.addFixture({ match: { hasToolResult: true }, response: { content: 'I have looked.' } });
    await place.start();
  });
  afterAll(() => place.stop());

  it('runs turns with tools', async () => {
    const server = await startServer({ environment: environment() });
    try {
      const sessionId = await server.client.createSession(server.projectRoot);
      const stream = await server.client.turn(sessionId, 'Look around.', {
        opts: { tools: ['glob'] },
      });
      const frames = await stream.all();
      expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
      expect(stream.text()).toBe('I have looked.');
      expect(frames.map(({ event }) => event)).toContain('tool:result');
    } finally {
      await server.close();
    }
  });

  it('is tried by `models check`, finding by finding', async () => {
    const { code, out, err } = await command('models', 'check');
    expect(err).toBe(`some-model at ${place.url} (compatible)\n`);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual([
      'text ok',
      'stream ok',
      'usage ok',
      'tool ok',
      'result ok',
      'picture no',
      expect.stringMatching(/^count (ok|no)$/),
    ]);
    expect(lines[5]).toContain('it was not seen: the model answered "Green."');
    expect(code).toBe(0);
  });

  it('prints each finding as JSON, and fails where the place answers nothing', async () => {
    const { code, out } = await command('models', 'check', 'other-model', '--json');
    const found = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(found.find(({ name }) => name === 'tool')).toMatchObject({ outcome: 'ok' });
    place.reset();
    const after = await command('models', 'check', '--json');
    expect(after.out).toContain('"outcome":"failed"');
    expect([code, after.code]).toEqual([0, 1]);
  });

  it('is one line where nothing listens, with what to do', async () => {
    const nowhere = {
      TURNPIKE_PROVIDER_BASE_URL: 'http://127.0.0.1:1',
      TURNPIKE_PROVIDER_RETRIES: '0',
    };
    const { code, out } = await commandWith(nowhere, 'models', 'check');
    expect(out).toMatch(
      /^text {5}failed {2}Nothing listens at the provider's address\. Start .*\n$/,
    );
    expect(code).toBe(1);
  });

  const command = (...args: string[]) => commandWith({}, ...args);

  async function commandWith(more: Record<string, string>, ...args: string[]) {
    let [out, err] = ['', ''];
    const code = await runCommand(args, {
      environment: { ...environment(), ...more },
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      exitCode: 0,
    });
    return { code, out, err };
  }
});
