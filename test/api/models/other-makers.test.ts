import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { pixel } from '../../support/files/made-files.js';
import { serverProgram } from '../../support/processes/built-programs.js';
import { startProcess, type ServerProcess } from '../../support/processes/start-process.js';
import { runProgram } from '../../support/processes/run-program.js';
import { newFolder } from '../../support/suite.js';

const KEY = 'sk-own-key-of-the-operator';
const PRICE = { input: 1, output: 2, cacheRead: 0.1 };
const ENTRY = { contextWindow: 100_000, maxOutput: 4_000, price: PRICE };

/** A folder in which the operator has installed a maker's package, as npm does it. */
function folderWith(installed: Record<string, string>, models: object): string {
  const folder = newFolder();
  writeFileSync(path.join(folder, 'package.json'), '{}');
  writeFileSync(path.join(folder, 'models.json'), JSON.stringify(models));
  mkdirSync(path.join(folder, 'node_modules/@ai-sdk'), { recursive: true });
  for (const [name, from] of Object.entries(installed)) {
    symlinkSync(
      path.join(packageRoot, 'node_modules', from),
      path.join(folder, 'node_modules', name),
    );
  }
  return folder;
}

const inFolder = (folder: string): [string, ...string[]] => ['env', '-C', folder, ...serverProgram];

describe('a model of another maker', () => {
  const place = new LLMock({ port: 0 });
  let server: ServerProcess;
  const folder = folderWith(
    { '@ai-sdk/openai': 'ai-sdk-openai-4' },
    {
      'openai/gpt-6-sol': ENTRY,
      'local/thinker': ENTRY,
      'openai/gpt-4o': { ...ENTRY, thinking: ['adaptive'] },
      'local/blind': { ...ENTRY, seesImages: false },
    },
  );
  const environment = (): Record<string, string> => ({
    TURNPIKE_MAKERS: `openai=${place.url}/v1,local=${place.url}/v1`,
    OPENAI_API_KEY: KEY,
    TURNPIKE_MODEL: 'openai/gpt-6-sol',
    TURNPIKE_MODELS: path.join(folder, 'models.json'),
    TURNPIKE_DATA_DIR: path.join(folder, 'data'),
    TURNPIKE_PROJECTS_DIR: path.join(folder, 'projects'),
  });
  beforeAll(async () => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    const call = { name: 'glob', arguments: '{"pattern":"*"}' };
    const first = { userMessage: /Look around/, hasToolResult: false };
    place.addFixture({ match: first, response: { toolCalls: [call], usage } });
    const thinking = { content: 'Done.', reasoning: 'Thought by the other.', usage };
    place.onMessage(/Think first/, thinking);
    place.onMessage(/Fail/, { error: { message: 'insufficient_quota' }, status: 429 });
    place.addFixture({
      match: { hasToolResult: true },
      response: { content: 'I have looked.', usage },
    });
    place.onMessage(/.*/, { content: 'Hello from another maker.', usage });
    await place.start();
    server = await startProcess(environment(), inFolder(folder));
  });
  afterAll(async () => {
    await server.kill('SIGTERM');
    await place.stop();
  });

  const asked = (): Record<string, unknown>[] =>
    place.getRequests().map(({ body }) => body as unknown as Record<string, unknown>);

  it('runs a turn with a tool, counted and priced', async () => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    const stream = await client.turn(sessionId, 'Look around.', { opts: { tools: ['glob'] } });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(stream.text()).toBe('I have looked.');
    const { data } = await stream.until('turn:end');
    const cost = (2 * (1_000 * PRICE.input + 100 * PRICE.output)) / 1e6;
    expect(data['usage']).toMatchObject({ inputTokens: 2_000, outputTokens: 200, costUsd: cost });
    expect(asked()).toHaveLength(2);
  });

  it('goes on in a conversation, and is the name that readers see', async () => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    await (await client.turn(sessionId, 'First.')).all();
    const stream = await client.turn(sessionId, 'Second.');
    const started = await stream.until('session:init');
    expect(started.data).toMatchObject({ model: 'openai/gpt-6-sol' });
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    expect(JSON.stringify(asked().at(-1))).toContain('Hello from another maker.');
  });

  it('takes a conversation over from another maker, and says what is left out', async () => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    const other = { opts: { model: 'local/thinker' } };
    await (await client.turn(sessionId, 'Think first.', other)).all();
    const frames = await (await client.turn(sessionId, 'And you?')).all();
    const notices = frames.filter(({ event }) => event === 'system:notice').map(({ data }) => data);
    expect(notices).toContainEqual(
      expect.objectContaining({
        kind: 'maker-changed',
        text: 'The conversation goes on with openai. What earlier replies thought is for local alone, and is left out; texts, calls and results stay.',
        metadata: { from: 'local', to: 'openai' },
      }),
    );
    expect(JSON.stringify(asked().at(-1))).not.toContain('Thought by the other.');
    const again = await (await client.turn(sessionId, 'And again?')).all();
    expect(JSON.stringify(again)).not.toContain('maker-changed');
  });

  it('says once what its maker does not honour', async () => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    const opts = { model: 'openai/gpt-4o', thinking: { display: 'summarized' }, tools: ['glob'] };
    const frames = await (await client.turn(sessionId, 'Look around.', { opts })).all();
    const notices = frames.filter(({ data }) => data['kind'] === 'not-honoured');
    expect(notices.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        text: expect.stringMatching(
          /^The maker of the model does not honour all that the turn asks for: reasoningSummary: .+\.$/,
        ),
      }),
    ]);
  });

  it('gets no picture where it sees none, and the words in it where they are asked for', async () => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    const picture = path.join(folder, 'dot.png');
    writeFileSync(picture, Buffer.from(pixel, 'base64'));
    const ask = (model: string, attachmentsAs?: string) =>
      client.post('/api/harness/turn', {
        sessionId,
        message: 'What is this?',
        opts: { model, ...(attachmentsAs && { attachmentsAs }) },
        attachments: [picture],
      });
    const { status, body } = await ask('local/blind');
    expect([status, body['error']]).toMatchObject([
      400,
      {
        type: 'INVALID_REQUEST',
        message: expect.stringContaining(
          'The model local/blind sees no pictures, and dot.png is one.',
        ),
      },
    ]);
    expect((await ask('local/blind', 'text')).status).toBe(200);
    expect((await ask('local/thinker')).status).toBe(200);
  });

  it('fails with what its maker says, and with what to do', async () => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    const frames = await (await client.turn(sessionId, 'Fail, please.')).all();
    const failed = frames.find(({ event }) => event === 'turn:error')?.data;
    expect(failed).toMatchObject({
      errorType: 'SDK_FAILURE',
      details: { provider: 'openai', reason: 'SPEND_LIMIT' },
      retryable: false,
    });
    expect(String(failed?.['message'])).toContain('openai answered 429: insufficient_quota.');
    expect(server.stdout() + server.stderr()).not.toContain(KEY);
  });

  it('needs an entry that says its window and price', async () => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    const { status, body } = await client.post('/api/harness/turn', {
      sessionId,
      message: 'Hello',
      opts: { model: 'openai/gpt-unknown' },
    });
    expect([status, body['error']]).toMatchObject([
      400,
      { message: expect.stringContaining('has no entry in the file of TURNPIKE_MODELS') },
    ]);
  });

  it('starts no server where it is not ready, and is named', async () => {
    const own = folderWith({}, {});
    const { TURNPIKE_MODELS: _models, ...rest } = environment();
    const more = { TURNPIKE_MAKERS: 'acme', TURNPIKE_DATA_DIR: path.join(own, 'data') };
    const { code, stderr } = await runProgram(inFolder(own), [], { ...rest, ...more });
    expect(stderr).toContain('has acme, which is none of openai,');
    expect(code).toBe(1);
  });
});

describe('a rehearsal of other makers', () => {
  const folder = folderWith(
    { '@ai-sdk/openai': 'ai-sdk-openai-4', '@ai-sdk/groq': '@ai-sdk/groq' },
    { 'openai/gpt-6-sol': ENTRY, 'groq/m': ENTRY },
  );
  let server: ServerProcess;
  beforeAll(async () => {
    const environment = {
      TURNPIKE_PROVIDER: 'rehearsal',
      TURNPIKE_MODEL: 'openai/gpt-6-sol',
      TURNPIKE_MAKERS: 'openai,groq',
      TURNPIKE_MODELS: path.join(folder, 'models.json'),
      TURNPIKE_DATA_DIR: path.join(folder, 'data'),
      TURNPIKE_PROJECTS_DIR: path.join(folder, 'projects'),
    };
    server = await startProcess(environment, inFolder(folder));
  });
  afterAll(() => server.kill('SIGTERM'));

  const turn = async (model: string, message: string) => {
    const { client } = server;
    const sessionId = await client.createSession(folder);
    const opts = { model, tools: ['glob'] };
    return (await client.turn(sessionId, message, { opts })).all();
  };

  it.each(['openai/gpt-6-sol', 'groq/m'])('plays a turn with a tool of %s', async (model) => {
    const frames = await turn(model, 'Look. [[tool=glob {"pattern":"*"}]]');
    const text = frames.flatMap(({ event, data }) => (event === 'chat:delta' ? data['text'] : []));
    expect(text.join('')).toContain('The tools answered:\n- glob: models.json');
    expect(frames.find(({ event }) => event === 'turn:end')?.data).toMatchObject({
      outcome: 'completed',
    });
  });

  it.each([
    ['openai/gpt-6-sol', 'openai'],
    ['groq/m', 'groq'],
    ['claude-opus-5-5', 'anthropic'],
  ])('plays %s on the wire of %s', async (model, provider) => {
    const frames = await turn(model, '[[fail=401]]');
    const failed = frames.find(({ event }) => event === 'turn:error')?.data;
    expect(failed).toMatchObject({ details: { provider, category: 'INVALID_API_KEY' } });
  });
});
