import type { AgentConfig } from '../../../src/storage/shapes/stored-options.js';
import type { EffectivePreference } from '../../../src/options/effective-preferences.js';
import { userPreferences } from '../../../src/storage/schema.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { beforeEach, describe, expect, it } from '@jest/globals';

const limits = {
  max_iterations: 15,
  soft_warning_percent: 70,
  token_budget: 50_000,
  token_warning_percent: 80,
  timeout_seconds: 120,
  max_tool_calls_per_turn: 5,
  max_parallel_tools: 3,
};
const settings = {
  oracle_model: 'claude-sonnet-5-5',
  subagent_model: 'claude-sonnet-5-5',
  thinking_enabled: true,
  librarian_timeout: 1_200,
  max_context_nodes: 30,
  ...limits,
};

type Route = 'agent-config' | 'models';

interface Operation {
  responses: object;
  requestBody: { content: { 'application/json': { schema: object } } };
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties: object }> };
}

/** The id of the request, in each error. */
const correlationId: unknown = expect.any(String);

describe('settings', () => {
  const server = useServer();
  beforeEach(async () => {
    await server.db.delete(userPreferences);
  });

  const get = async (route: Route) => (await server.client.get(`/api/settings/${route}`)).body;
  const put = (route: Route, body: unknown) =>
    server.client.request('PUT', `/api/settings/${route}`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const reset = () => server.client.post('/api/settings/agent-config/reset', '');

  it('are the defaults until something is set', async () => {
    expect(await get('agent-config')).toEqual(limits);
    expect(await get('models')).toEqual(settings);
  });

  it('take any subset, and answer with the whole', async () => {
    const first = await put('agent-config', { max_iterations: 1, timeout_seconds: 600 });
    const after = { max_iterations: 1, timeout_seconds: 600 };
    expect([first.status, first.body]).toEqual([200, { ...limits, ...after }]);
    const second = await put('models', { oracle_model: 'claude-x', max_iterations: 2 });
    const whole = { ...settings, ...after, oracle_model: 'claude-x', max_iterations: 2 };
    expect([second.status, second.body]).toEqual([200, whole]);
    const third = await put('models', {});
    expect([third.status, third.body]).toEqual([200, whole]);
    expect(await get('agent-config')).toEqual({ ...limits, ...after, max_iterations: 2 });
    expect(await get('models')).toEqual(whole);
  });

  it('go back to the defaults at a reset, the limits alone', async () => {
    await put('models', { thinking_enabled: false, max_iterations: 2, token_budget: 1_000 });
    const { status, body } = await reset();
    expect([status, body]).toEqual([200, limits]);
    expect(await get('models')).toEqual({ ...settings, thinking_enabled: false });
  });

  it('go back to the defaults one by one', async () => {
    await put('models', { thinking_enabled: false, max_iterations: 2, token_budget: 1_000 });
    const forget = (route: Route, fields: unknown) =>
      server.client.post(`/api/settings/${route}/reset`, { fields });
    const one = await forget('agent-config', ['max_iterations']);
    expect([one.status, one.body]).toEqual([200, { ...limits, token_budget: 1_000 }]);
    const other = await forget('models', ['thinking_enabled']);
    expect([other.status, other.body]).toEqual([200, { ...settings, token_budget: 1_000 }]);
    expect((await forget('models', [])).body).toEqual({ ...settings, token_budget: 1_000 });
    for (const [route, fields, type] of [
      ['agent-config', ['thinking_enabled'], 'enum'],
      ['models', 'all', 'list_type'],
    ] as const) {
      const { status, body } = await forget(route, fields);
      const detail = [
        { loc: ['body', 'fields'], msg: expect.stringContaining('fields must'), type },
      ];
      expect([status, body]).toEqual([422, { detail, correlationId }]);
    }
    expect((await server.client.post('/api/settings/models/reset', '')).body).toEqual(settings);
  });

  it('say what turns run with, wire by wire, as turns do', async () => {
    await put('models', { max_parallel_tools: 2, oracle_model: 'claude-haiku-4-5-20251001' });
    const { body } = await server.client.get('/api/settings/effective');
    const all = body['settings'] as EffectivePreference[];
    const inForce = (name: string, wire: 'harness' | 'oracle') =>
      all.find((setting) => setting.name === name)?.effective[wire].value;

    const sessionId = await server.client.createSession(server.projectRoot);
    const turn = await server.client.turn(sessionId, 'Hello');
    await turn.all();
    const question = { question: 'Hello' };
    const asked = await server.client.post('/api/oracle', question);
    const { turns } = (
      await server.client.get(`/api/harness/sessions/${String(asked.body['context_id'])}/turns`)
    ).body as { turns: { turnId: string }[] };
    for (const [wire, turnId] of [
      ['harness', turn.header('x-turn-id')],
      ['oracle', turns[0]?.turnId],
    ] as const) {
      const stored = (await server.client.get(`/api/harness/turns/${turnId}`)).body;
      const { options } = stored['turn'] as {
        options: { model: string; agentConfig: AgentConfig };
      };
      const { maxIterations, timeoutSeconds, maxParallelTools } = options.agentConfig;
      expect([wire, maxIterations, timeoutSeconds, maxParallelTools, options.model]).toEqual([
        wire,
        inForce('max_iterations', wire),
        inForce('timeout_seconds', wire),
        2,
        inForce('oracle_model', wire),
      ]);
    }
  });

  it('keep nothing of a body in which one field is wrong', async () => {
    const { status, body } = await put('agent-config', { token_budget: 2_000, max_iterations: 51 });
    expect([status, body]).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body', 'max_iterations'],
            msg: 'max_iterations must be a whole number from 1 to 50, not 51',
            type: 'less_than_equal',
          },
        ],
        correlationId,
      },
    ]);
    expect(await get('agent-config')).toEqual(limits);
  });

  it.each<[Route, unknown, (string | number)[], string]>([
    ['agent-config', { thinking_enabled: true }, ['body', 'thinking_enabled'], 'extra_forbidden'],
    ['agent-config', { maxIterations: 3 }, ['body', 'maxIterations'], 'extra_forbidden'],
    ['agent-config', [], ['body'], 'dict_type'],
    ['models', { max_iterations: '3' }, ['body', 'max_iterations'], 'int_type'],
    ['models', { oracle_model: 'a\0b' }, ['body', 'oracle_model'], 'value_error'],
    ['models', { librarian_timeout: 10 }, ['body', 'librarian_timeout'], 'greater_than_equal'],
    ['models', [1], ['body'], 'dict_type'],
  ])('refuse on %s %j', async (route, sent, loc, type) => {
    const { status, body } = await put(route, sent);
    const detail = [{ loc, msg: expect.any(String), type }];
    expect([status, body]).toEqual([422, { detail, correlationId }]);
    expect(await get('models')).toEqual(settings);
  });

  it('leave other errors in their own form', async () => {
    const { status, body } = await server.client.request('PUT', '/api/settings/models', {
      body: '{"a"',
    });
    expect([status, body['error']]).toEqual([
      400,
      {
        type: 'INVALID_REQUEST',
        message: 'Request body must be valid JSON',
        retryable: false,
        correlationId,
      },
    ]);
  });

  it('stay as they are when the body is empty', async () => {
    const { status, body } = await server.client.request('PUT', '/api/settings/models');
    expect([status, body]).toEqual([200, settings]);
  });

  it('are described with their bounds, and so is what is wrong with them', async () => {
    const { paths, components } = (await server.client.get('/docs-json'))
      .body as unknown as OpenApi;
    const { put: change } = paths['/api/settings/agent-config'] ?? {};
    expect(Object.keys(change?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '413', '422', '503']),
    );
    expect(change?.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/AgentConfigDto',
    });
    expect(components.schemas['AgentConfigDto']?.properties).toMatchObject({
      max_iterations: { type: 'integer', minimum: 1, maximum: 50 },
    });
  });

  it('keep every change of many that are made at once', async () => {
    const changes: [Route, object][] = [
      ['agent-config', { max_iterations: 2 }],
      ['agent-config', { soft_warning_percent: 50 }],
      ['agent-config', { token_budget: 1_000 }],
      ['models', { token_warning_percent: 50 }],
      ['models', { oracle_model: 'claude-x' }],
      ['models', { thinking_enabled: false }],
      ['models', { max_context_nodes: 5 }],
    ];
    const answers = await Promise.all(changes.map(([route, body]) => put(route, body)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const all = Object.assign({}, ...changes.map(([, body]) => body)) as object;
    expect(await get('models')).toEqual({ ...settings, ...all });
  });

  it('survive a restart, and have the default model of the server', async () => {
    const first = await startServer();
    await first.client.request('PUT', '/api/settings/models', { body: '{"oracle_model":"a"}' });
    await first.stop();
    const second = await startServer({
      store: first.store,
      environment: { TURNPIKE_MODEL: 'claude-opus-5-5' },
    });
    const { body } = await second.client.get('/api/settings/models');
    expect(body).toEqual({
      ...settings,
      oracle_model: 'a',
      subagent_model: 'claude-opus-5-5',
    });
    await second.close();
    await first.close();
  });
});
