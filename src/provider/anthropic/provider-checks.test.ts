import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../platform/clock.js';
import type { ProviderConfig } from '../provider-config.js';
import { plainTracing } from '../../../test/support/tracing/plain-tracing.js';
import { AnthropicProvider } from './anthropic-provider.js';
import { type HttpServer, serveHttp } from '../../../test/support/serve-http.js';

const KEY = 'sk-ant-test-key-0001';
const never = new AbortController().signal;

let server: HttpServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Answers `GET /v1/models/:id` with the status that the id names. */
async function serveModels(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  server = await serveHttp((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const status = Number(request.url?.split('-').at(-1));
    response.writeHead(status, { 'content-type': 'application/json' });
    const type = status === 404 ? 'not_found_error' : 'some_error';
    const error = { type: 'error', error: { type, message: `no ${KEY}, model: m-${status}` } };
    response.end(JSON.stringify(status === 200 ? { id: 'm', type: 'model' } : error));
  });
  return { url: server.url, asked };
}

function provider(changes: Partial<ProviderConfig>): AnthropicProvider {
  const config: ProviderConfig = {
    mode: 'anthropic',
    apiKey: KEY,
    baseUrl: 'https://api.anthropic.com',
    egressAllow: [],
    stallTimeoutMs: 300_000,
    requestTimeoutMs: 300_000,
    maxRetries: 0,
    ...changes,
  };
  return new AnthropicProvider(config, systemClock, plainTracing);
}

function thrownBy(check: () => void): unknown {
  try {
    check();
    return 'nothing';
  } catch (error) {
    return error;
  }
}

describe('AnthropicProvider.assertReady', () => {
  it.each<[string, Partial<ProviderConfig>, object]>([
    [
      'no key',
      { apiKey: undefined },
      {
        type: 'MISSING_API_KEY',
        status: 503,
        message: expect.stringContaining('ANTHROPIC_API_KEY'),
        details: { provider: 'anthropic', category: 'MISSING_API_KEY' },
      },
    ],
    [
      'a gateway that is not allowed',
      { baseUrl: 'https://gateway.example' },
      {
        type: 'SDK_FAILURE',
        status: 400,
        details: { category: 'NETWORK_POLICY_VIOLATION', policy: 'REQ-NET-001' },
      },
    ],
    [
      'no URL',
      { baseUrl: 'gateway' },
      { type: 'SDK_FAILURE', status: 400, details: { category: 'INVALID_BASE_URL' } },
    ],
  ])('refuses %s, and so does a call', async (_what, changes, error) => {
    const model = provider(changes);
    const request = { model: 'm', system: '', messages: [], tools: [], maxTokens: 1 };
    const thrown = thrownBy(() => model.assertReady());
    expect(thrown).toMatchObject(error);
    // An error of its own each time: it has the stack of its caller.
    expect(thrownBy(() => model.assertReady())).not.toBe(thrown);
    await expect(model.stream(request, never).read(() => undefined)).rejects.toMatchObject(error);
  });

  it.each<[string, Partial<ProviderConfig>]>([
    ['the default address with a key', {}],
    [
      'a rehearsal without one',
      { mode: 'rehearsal', apiKey: undefined, baseUrl: 'http://[::1]:9' },
    ],
    ['an allowed gateway', { baseUrl: 'https://g.example/x', egressAllow: ['https://g.example'] }],
  ])('takes %s', (_what, changes) => {
    expect(thrownBy(() => provider(changes).assertReady())).toBe('nothing');
  });
});

describe('AnthropicProvider, with a target that it takes', () => {
  it('checks it once', () => {
    let checks = 0;
    const egressAllow = new Proxy(['https://g.example'], {
      get: (list, key): unknown => {
        if (key === 'flatMap') checks += 1;
        return Reflect.get(list, key);
      },
    });
    const model = provider({ baseUrl: 'https://g.example/x', egressAllow });
    for (let calls = 0; calls < 3; calls += 1) model.assertReady();
    expect(checks).toBe(1);
  });
});

describe('AnthropicProvider.modelLabel', () => {
  it('is the model, or rehearsal', () => {
    expect(provider({}).modelLabel('m')).toBe('m');
    expect(provider({ mode: 'rehearsal' }).modelLabel('m')).toBe('rehearsal');
  });
});

describe('AnthropicProvider.checkModel', () => {
  it.each<[ProviderConfig['mode']]>([['anthropic'], ['rehearsal']])(
    'asks for the model in %s',
    async (mode) => {
      const { url, asked } = await serveModels();
      await provider({ mode, baseUrl: url, egressAllow: [url] }).checkModel('m-200', never);
      expect(asked).toEqual(['GET /v1/models/m-200']);
    },
  );

  it.each([
    ['anthropic', 404, 'API_RESPONSE_ERROR'],
    ['rehearsal', 404, 'API_RESPONSE_ERROR'],
    ['anthropic', 401, 'INVALID_API_KEY'],
    ['anthropic', 429, 'RATE_LIMITED'],
    ['anthropic', 500, 'API_RESPONSE_ERROR'],
  ] as const)('in %s makes a 500 of %s', async (mode, upstreamStatus, category) => {
    const { url } = await serveModels();
    const model = provider({ mode, baseUrl: url, egressAllow: [url] });
    const refusal: unknown = await model.checkModel(`m-${upstreamStatus}`).catch((error) => error);
    expect(refusal).toMatchObject({
      type: 'SDK_FAILURE',
      status: 500,
      message: expect.stringContaining('no [REDACTED_API_KEY]'),
      details: { provider: 'anthropic', category, upstreamStatus },
    });
  });

  it('without a key is the boot error', async () => {
    await expect(provider({ apiKey: undefined }).checkModel('m')).rejects.toMatchObject({
      type: 'SDK_FAILURE',
      status: 503,
      details: { provider: 'anthropic', category: 'MISSING_API_KEY' },
    });
  });

  it('throws the reason of its signal', async () => {
    const { url, asked } = await serveModels();
    const reason = new Error('shutting down');
    const model = provider({ baseUrl: url, egressAllow: [url] });
    await expect(model.checkModel('m-200', AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });
});
