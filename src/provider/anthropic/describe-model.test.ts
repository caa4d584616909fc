import { type ServerResponse } from 'node:http';
import type { ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { expect, it, describe } from '@jest/globals';
import { systemClock } from '../../platform/clock.js';
import { plainTracing } from '../../../test/support/tracing/plain-tracing.js';
import { describeModel } from './describe-model.js';
import { AnthropicProvider } from './anthropic-provider.js';
import { serveHttp } from '../../../test/support/serve-http.js';
import { useShared } from '../../../test/support/suite.js';

const yes = { supported: true };
const no = { supported: false };

const info: ModelInfo = {
  type: 'model',
  id: 'claude-new-6',
  display_name: 'Claude New 6',
  created_at: '2026-11-09T00:00:00Z',
  lifecycle: 'deprecated',
  deprecated_at: '2026-11-10T00:00:00Z',
  retires_at: '2027-01-31T00:00:00Z',
  line: 'opus',
  max_input_tokens: 1_000_000,
  max_tokens: 128_000,
  capabilities: {
    batch: yes,
    citations: yes,
    code_execution: no,
    structured_outputs: yes,
    image_input: yes,
    pdf_input: no,
    server_tools: { supported: true, web_search: yes, code_execution: no },
    effort: { supported: true, low: yes, medium: yes, high: yes, xhigh: null, max: no },
    thinking: {
      supported: true,
      types: { adaptive: yes, between_tools: yes, enabled: no, disabled: no },
    },
    context_management: {
      supported: true,
      clear_thinking_20251015: yes,
      clear_tool_uses_20250919: yes,
      compact_20260112: null,
    },
  },
};

it('parses an entry of the API', () => {
  expect(describeModel(info)).toEqual({
    id: 'claude-new-6',
    name: 'Claude New 6',
    lifecycle: 'deprecated',
    retiresAt: '2027-01-31',
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    thinking: ['adaptive', 'between_tools'],
    efforts: ['low', 'medium', 'high'],
    seesImages: true,
    readsPdfs: false,
    structuredOutputs: true,
    serverTools: { webSearch: true, codeExecution: false },
  });
});

it('has no thinking and no effort of a model without them, though turning it off is taken', () => {
  const capabilities = {
    ...info.capabilities,
    thinking: { supported: false, types: { disabled: yes } },
    effort: { supported: false, low: yes },
  };
  expect(describeModel({ ...info, capabilities })).toMatchObject({ thinking: [], efforts: [] });
});

it.each([
  { id: 'llama-3' },
  { id: 'llama-3', object: 'model', created: 1, owned_by: 'us' },
  { id: 'llama-3', capabilities: null, max_tokens: null, retires_at: null, lifecycle: 'unknown' },
  { id: 'llama-3', capabilities: { thinking: null, effort: 'high' }, max_input_tokens: -1 },
])('leaves out what an entry lacks: %j', (given) => {
  expect(describeModel(given)).toEqual({ id: 'llama-3' });
});

it.each([
  undefined,
  'claude',
  {},
  { id: '' },
  { id: 'a b' },
  { id: 'a\0' },
  { id: 'a'.repeat(201) },
])('takes %j for no model', (given) => expect(describeModel(given)).toBeUndefined());

/** A server with the Models API that a test gives it. */
describe('the Models API', () => {
  let answer: (path: string, response: ServerResponse) => void;
  const asked: string[] = [];
  const server = useShared(() =>
    serveHttp((request, response) => {
      asked.push(request.url ?? '');
      answer(request.url ?? '', response);
    }),
  );

  const provider = () =>
    new AnthropicProvider(
      {
        mode: 'anthropic',
        apiKey: 'sk-ant-test-key',
        baseUrl: server.url,
        egressAllow: [server.url],
        stallTimeoutMs: 1_000,
        requestTimeoutMs: 5_000,
        maxRetries: 0,
      },
      systemClock,
      plainTracing,
    );
  const signal = () => AbortSignal.timeout(5_000);
  const json = (status: number, body: unknown) => (_path: string, response: ServerResponse) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body));
  const notFound = (message: string) =>
    json(404, { type: 'error', error: { type: 'not_found_error', message } });

  it('is read page by page, retired models too', async () => {
    answer = (path, response) => {
      const isFirst = !path.includes('after_id');
      const id = isFirst ? 'claude-a' : 'claude-b';
      const page = { data: [{ type: 'model', id }], has_more: isFirst, first_id: id, last_id: id };
      json(200, page)(path, response);
    };
    expect(await provider().listModels(signal())).toEqual([
      { id: 'claude-a', isListed: true },
      { id: 'claude-b', isListed: true },
    ]);
    expect(decodeURIComponent(asked[0] ?? '')).toContain('lifecycle');
    expect(decodeURIComponent(asked[0] ?? '')).toContain('retired');
  });

  it.each([
    ['a 404 for the route', notFound('Not found: GET /v1/models/claude-x')],
    [
      'a page',
      (_path: string, response: ServerResponse) => void response.writeHead(404).end('<p>'),
    ],
    ['a 405', json(405, {})],
  ])('is not there where %s answers', async (_what, given) => {
    answer = given;
    expect(await provider().listModels(signal())).toBeUndefined();
    expect(await provider().describeModel('claude-x', signal())).toBe('no-route');
    await expect(provider().checkModel('claude-x')).resolves.toBeUndefined();
  });

  it('says that there is no such model', async () => {
    answer = notFound('model: claude-x');
    expect(await provider().describeModel('claude-x', signal())).toBe('missing');
    await expect(provider().checkModel('claude-x')).rejects.toMatchObject({ status: 500 });
  });

  it('describes one model', async () => {
    answer = json(200, { type: 'model', id: 'claude-x', max_tokens: 10 });
    const described = await provider().describeModel('claude-x', signal());
    expect(described).toEqual({ id: 'claude-x', maxOutput: 10 });
  });

  it('throws what is no answer', async () => {
    answer = json(401, { type: 'error', error: { type: 'authentication_error', message: 'no' } });
    const failed = { details: { category: 'INVALID_API_KEY' } };
    await expect(provider().listModels(signal())).rejects.toMatchObject(failed);
    await expect(provider().describeModel('claude-x', signal())).rejects.toMatchObject(failed);
  });
});
