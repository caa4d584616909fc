import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseConfig } from '../../../src/config/config.js';
import { serve } from '../../../src/app/serve.js';
import { silentLogger } from '../../support/silent-logger.js';
import { ModelCatalogue } from '../../../src/provider/model-catalogue.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { expectSoon } from '../../support/expect-soon.js';
import { startModelsApi } from '../../support/model/start-models-api.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const known = [
  { type: 'model', id: 'claude-sonnet-5-5', display_name: 'Sonnet', max_input_tokens: 900_000 },
  { type: 'model', id: 'claude-haiku-5-5', display_name: 'Haiku', max_input_tokens: 1_000_000 },
  {
    type: 'model',
    id: 'claude-opus-5',
    display_name: 'Opus',
    lifecycle: 'deprecated',
    retires_at: '2027-07-24T00:00:00Z',
  },
  { type: 'model', id: 'claude-opus-4-8', display_name: 'Old Opus', lifecycle: 'retired' },
  // Newer than the list.
  { type: 'model', id: 'claude-haiku-4-5-20251001', isUnlisted: true },
  { type: 'model', id: 'claude-new-6', display_name: 'New', max_tokens: 4_000, isUnlisted: true },
];

describe('models', () => {
  const api = useShared(() => startModelsApi(known));
  const folder = newFolder();
  const instructions = instructionRootWith({ OLD: ['model: claude-opus-4-1'] });
  const server = useServer(async () => {
    const file = path.join(folder, 'models.json');
    await writeFile(file, JSON.stringify({ 'claude-haiku-5-5': { maxOutput: 1_234 } }));
    return {
      environment: {
        TURNPIKE_PROVIDER_BASE_URL: api.url,
        TURNPIKE_EGRESS_ALLOW: api.url,
        TURNPIKE_MODELS: file,
        TURNPIKE_INSTRUCTION_ROOT: instructions,
        TURNPIKE_PRICES: 'claude-sonnet=1/2,rehearsal=3/15',
      },
    };
  });
  beforeAll(async () => {
    await expectSoon(() => expect(server.get(ModelCatalogue).list()).toHaveLength(3));
  });

  it('tells the operator of a price that no model has', async () => {
    const warned = (): string[] =>
      server.logLines.filter((line) => line.includes('TURNPIKE_PRICES has a price for no model'));
    await expectSoon(() => expect(warned()).toHaveLength(1));
    expect(warned()[0]).toContain('"model":"rehearsal"');
  });

  const turn = async (opts: unknown) => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const frames = await (await server.client.turn(sessionId, 'Hello', { opts })).all();
    const notices = frames.filter(({ event }) => event === 'system:notice');
    return {
      model: frames.find(({ event }) => event === 'session:init')?.data['model'],
      exitCode: frames.at(-1)?.data['exitCode'],
      notices: notices.map(({ data }) => data['kind']),
      texts: notices.map(({ data }) => String(data['text'])).join('\n'),
    };
  };
  const refusal = async (opts: unknown) => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const sent = { sessionId, message: 'Hello', opts };
    const { status, body } = await server.client.post('/api/harness/turn', sent);
    return { status, ...(body['error'] as { type: string; message: string; details: object }) };
  };

  it('are listed as the provider, the table and the operator describe them', async () => {
    const { defaultModel, provider, models } = await new TurnpikeClient({
      url: server.url,
    }).models();
    expect([defaultModel, provider]).toEqual(['claude-sonnet-5-5', 'anthropic']);
    const listed = Object.fromEntries(models.map((model) => [model.id, model]));
    expect(listed['claude-sonnet-5-5']).toEqual({
      id: 'claude-sonnet-5-5',
      name: 'Sonnet',
      lifecycle: 'active',
      contextWindow: 900_000,
      maxOutput: 128_000,
      thinking: { kinds: ['adaptive', 'between_tools'], byDefault: 'on' },
      effort: { levels: ['low', 'medium', 'high', 'xhigh', 'max'], default: 'high' },
      seesImages: true,
      readsPdfs: true,
      price: { input: 1, output: 2 },
    });
    expect(listed['claude-haiku-5-5']).toMatchObject({
      maxOutput: 1_234,
      price: { input: 0.1, longPrompt: { above: 100_000, input: 0.5 } },
    });
    expect(listed['claude-opus-5']).toMatchObject({
      lifecycle: 'deprecated',
      retiresAt: '2027-07-24',
    });
    expect(listed).not.toHaveProperty('claude-opus-4-8');
    expect(listed).not.toHaveProperty('claude-mythos-5');
  });

  it.each([
    [undefined, 'claude-sonnet-5-5', []],
    [{ model: 'claude-haiku-5-5' }, 'claude-haiku-5-5', []],
    [{ model: 'claude-haiku-5-5[1m]' }, 'claude-haiku-5-5', ['model-changed']],
    [{ model: 'claude-sonnet-4-20250514' }, 'claude-sonnet-5-5', ['model-changed']],
    [{ model: 'claude-opus-5' }, 'claude-opus-5', ['model-deprecated']],
    [{ model: 'claude-haiku-4-5' }, 'claude-haiku-4-5', []],
  ])('run a turn with %j as %s, and say %j', async (opts, model, notices) => {
    expect(await turn(opts)).toMatchObject({ model, notices, exitCode: 0 });
  });

  it('name the day on which one is retired', async () => {
    expect((await turn({ model: 'claude-opus-5' })).texts).toContain('2027-07-24');
  });

  it('are asked for once where nobody has described them', async () => {
    const count = () => api.asked.filter((one) => one === '/v1/models/claude-new-6').length;
    for (let round = 0; round < 2; round += 1) {
      expect(await turn({ model: 'claude-new-6' })).toMatchObject({
        model: 'claude-new-6',
        notices: [],
      });
    }
    expect(count()).toBe(1);
    expect(server.get(ModelCatalogue).find('claude-new-6')?.maxOutput).toBe(4_000);
  });

  it.each([
    ['claude-opus-4-8', 'MODEL_RETIRED', 'claude-sonnet-5-5'],
    ['claude-opus-4-1-20250805', 'MODEL_RETIRED', 'claude-opus-5-5'],
    ['claude-none-1', 'MODEL_NOT_FOUND', 'claude-sonnet-5-5'],
  ])('are refused before the stream: %s is %s', async (model, category, useInstead) => {
    const { status, type, message, details } = await refusal({ model });
    expect([status, type]).toEqual([400, 'SDK_FAILURE']);
    expect(details).toMatchObject({ provider: 'anthropic', category, model, useInstead });
    expect(message).toContain(useInstead);
  });

  it('that a turn may go on with are checked alike', async () => {
    expect(await turn({ fallbackModel: 'claude-opus-5' })).toMatchObject({
      notices: ['model-deprecated'],
      exitCode: 0,
    });
    expect(await refusal({ fallbackModel: 'claude-opus-4-8' })).toMatchObject({
      status: 400,
      details: { category: 'MODEL_RETIRED', model: 'claude-opus-4-8' },
    });
  });

  it('of a persona count when it is called as an agent, on every wire in its own words', async () => {
    expect(await refusal({ persona: 'OLD', model: 'claude-haiku-5-5' })).toMatchObject({
      status: 200,
    });
    const agent = await server.client.post('/agent/OLD/chat', { message: 'Hello' });
    expect([agent.status, agent.headers.get('content-type')]).toEqual([
      400,
      expect.stringContaining('application/problem+json'),
    ]);
    expect(agent.body['detail']).toContain('claude-opus-5-5');
    const question = { question: 'Hello', model: 'claude-opus-4-1' };
    const oracle = await server.client.post('/api/oracle', question);
    expect([oracle.status, oracle.body]).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringContaining('claude-opus-5-5') }),
    ]);
  });

  it('are refused at boot as the contract has it', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const { status, body } = await server.client.post('/api/harness/session/boot', {
      sessionId,
      opts: { model: 'claude-opus-4-8' },
    });
    expect([status, body['error']]).toEqual([
      500,
      expect.objectContaining({
        type: 'SDK_FAILURE',
        details: expect.objectContaining({ category: 'MODEL_RETIRED', exitCode: 1 }),
      }),
    ]);
  });
});

describe('a provider without a Models API', () => {
  const api = useShared(() => startModelsApi(undefined));
  const server = useServer(() => ({
    environment: { TURNPIKE_PROVIDER_BASE_URL: api.url, TURNPIKE_EGRESS_ALLOW: api.url },
  }));

  it('is served with what this build knows', async () => {
    const { models } = await new TurnpikeClient({ url: server.url }).models();
    expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(['claude-sonnet-5-5']));
    await expectSoon(() => {
      expect(server.logLines.filter((line) => line.includes('no list of models'))).toHaveLength(1);
    });
  });

  it('gets a turn with a model that nobody knows, and its sender gets a notice', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const opts = { model: 'claude-fable-9' };
    const frames = await (await server.client.turn(sessionId, 'Hello', { opts })).all();
    const notice = frames.find(({ event }) => event === 'system:notice');
    expect(notice?.data).toMatchObject({ kind: 'model-not-described' });
    const booted = await server.client.post('/api/harness/session/boot', { sessionId });
    expect(booted.status).toBe(200);
  });
});

it('a file of models with a fault stops the start, and names the field', async () => {
  const folder = newFolder();
  const file = path.join(folder, 'models.json');
  await writeFile(file, '{"llama":{"window":8}}');
  const config = parseConfig({ TURNPIKE_MODELS: file, TURNPIKE_DATA_DIR: folder });
  await expect(serve({ config, environment: {}, logger: silentLogger })).rejects.toThrow(
    'llama.window is not a field',
  );
  // The database that was opening beside is closed once it is open, and until then writes files.
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});
