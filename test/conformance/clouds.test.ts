import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseConfig, type Config } from '../../src/config/config.js';
import { systemClock } from '../../src/platform/clock.js';
import type { AnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.js';
import { cloudNames, isCloud } from '../../src/config/variable-forms.js';
import { openCloud } from '../../src/provider/clouds/open-cloud.js';
import type { ModelEvent, ModelRequest } from '../../src/provider/model-types.js';
import { addressOf, openMessages, openProvider } from '../../src/provider/open-provider.js';
import {
  lendCredentials,
  startCloudPlace,
  type CloudPlace,
} from '../support/clouds/start-cloud-place.js';
import { plainTracing } from '../support/tracing/plain-tracing.js';

const EXACT = '2512292042121000001';
const request: ModelRequest = {
  model: 'claude-sonnet-5-5',
  system: 'Be brief.',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Grüße 👋' }] }],
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
  maxTokens: 500,
};

async function open(place: CloudPlace, more: Record<string, string> = {}) {
  const environment = { ...place.environment, TURNPIKE_PROVIDER_RETRIES: '0', ...more };
  lendCredentials(place);
  const config: Config = parseConfig({ TURNPIKE_PROVIDER: 'anthropic', ...environment });
  const where = { mode: 'anthropic', baseUrl: addressOf(config) } as const;
  return openMessages(config, where, { clock: systemClock, tracing: plainTracing });
}

async function ask(provider: AnthropicProvider, asked: Partial<ModelRequest> = {}) {
  const events: ModelEvent[] = [];
  const call = provider.stream({ ...request, ...asked }, new AbortController().signal);
  await call.read((batch) => void events.push(...batch));
  return events;
}

const textOf = (events: ModelEvent[]): string =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');

describe.each(cloudNames)('Claude in %s', (cloud) => {
  let place: CloudPlace;
  let provider: AnthropicProvider;
  const signal = new AbortController().signal;
  beforeAll(async () => {
    place = await startCloudPlace(cloud);
    provider = await open(place);
  });
  afterAll(() => place.close());
  beforeEach(() => {
    place.requests.length = 0;
    delete place.manner.answer;
    delete place.manner.cutAfter;
    delete place.manner.pieces;
    delete place.manner.isSpoilt;
  });
  const faults = (): unknown[] => place.requests.flatMap(({ fault }) => fault ?? []);

  it('takes a call, and gives its text and usage', async () => {
    const events = await ask(provider);
    expect(faults()).toEqual([]);
    expect(textOf(events).length).toBeGreaterThan(0);
    expect(events.at(-1)).toMatchObject({ type: 'ended', stopReason: 'end_turn' });
    expect(place.requests).toHaveLength(1);
  });

  // Models before 4.7 are not in mantle.
  const older = cloud === 'mantle' ? ['claude-opus-4-7'] : ['claude-haiku-4-5', 'claude-opus-4-6'];
  it.each(older)('takes the older model %s', async (model) => {
    await ask(provider, { model });
    expect(faults()).toEqual([]);
  });

  it('keeps the digits of numbers in what goes back', async () => {
    const input = { at: { '\uFDD0': EXACT } };
    const messages: ModelRequest['messages'] = [
      ...request.messages,
      { role: 'assistant', parts: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input }] },
      {
        role: 'user',
        parts: [{ type: 'tool_result', callId: 'toolu_1', output: 'Seen.', isError: false }],
      },
    ];
    let sent = '';
    place.manner.answer = (response) => {
      sent = place.requests.at(-1)?.text ?? '';
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"message":"enough"}');
      return true;
    };
    await expect(ask(provider, { messages })).rejects.toThrow('enough');
    expect(sent).toContain(`{"at":${EXACT}}`);
    expect(faults()).toEqual([]);
  });

  it('reads a reply that comes in pieces of three bytes', async () => {
    place.manner.pieces = 3;
    const events = await ask(provider);
    expect(events.at(-1)).toMatchObject({ type: 'ended' });
    expect(textOf(events)).not.toContain('�');
  });

  it('says who refuses, why, and what to do', async () => {
    place.manner.answer = (response) => {
      response.writeHead(403, { 'content-type': 'application/json', 'x-amzn-requestid': 'r-1' });
      response.end('{"message":"not authorized to perform: InvokeModel"}');
      return true;
    };
    await expect(ask(provider)).rejects.toMatchObject({
      message: `The provider answered 403: not authorized to perform: InvokeModel. Check the credentials of ${cloud}, then restart.`,
      details: { provider: cloud, category: 'INVALID_API_KEY', requestId: 'r-1' },
    });
  });

  it('is throttled for as long as it says', async () => {
    place.manner.answer = (response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end('{"message":"Too many tokens, please wait before trying again."}');
      return true;
    };
    await expect(ask(provider)).rejects.toMatchObject({
      retryable: true,
      details: { provider: cloud, category: 'RATE_LIMITED' },
      headers: { 'Retry-After': '7' },
    });
  });

  it('never goes where a redirect points', async () => {
    place.manner.answer = (response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' });
      response.end();
      return true;
    };
    await expect(ask(provider)).rejects.toMatchObject({
      details: { category: 'NETWORK_POLICY_VIOLATION' },
    });
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    place.manner.answer = () => {
      stop.abort(new Error('enough'));
      return true;
    };
    await expect(provider.stream(request, stop.signal).read(() => undefined)).rejects.toThrow(
      'enough',
    );
  });

  it('counts tokens, or says at once that it does not', async () => {
    const { hasCount } = provider.profile;
    const counted = provider.countTokens(request, signal);
    if (hasCount) expect(await counted).toBeGreaterThan(0);
    else await expect(counted).rejects.toThrow('counts no tokens');
    expect(place.requests).toHaveLength(hasCount ? 1 : 0);
    expect(faults()).toEqual([]);
  });

  it('describes models by the names of Anthropic and of its own', async () => {
    const described = await provider.describeModel('claude-opus-5-5', signal);
    expect(described).toMatchObject({ id: 'claude-opus-5-5', name: 'Claude Opus 5.5' });
    expect(faults()).toEqual([]);
  });
});

describe('the frames of Bedrock', () => {
  let place: CloudPlace;
  let provider: AnthropicProvider;
  beforeAll(async () => {
    place = await startCloudPlace('bedrock');
    provider = await open(place);
  });
  afterAll(() => place.close());
  const events: ModelEvent[] = [];
  const read = () => {
    events.length = 0;
    const call = provider.stream(request, new AbortController().signal);
    return call.read((batch) => void events.push(...batch));
  };

  it.each([
    ['throttlingException', { upstreamType: 'throttlingException' }, true],
    ['serviceUnavailableException', { reason: 'OVERLOADED' }, true],
    ['modelStreamErrorException', { upstreamType: 'modelStreamErrorException' }, true],
    ['validationException', { reason: 'INVALID_REQUEST' }, false],
  ])('end with the exception %s', async (type, details, retryable) => {
    place.manner.cutAfter = { events: 3, type };
    await expect(read()).rejects.toMatchObject({
      message: expect.stringContaining('Too many requests'),
      retryable,
      details: { provider: 'bedrock', inStream: true, ...details },
    });
    expect(events.length).toBeGreaterThan(0);
    delete place.manner.cutAfter;
  });

  it('are refused where a checksum is wrong', async () => {
    place.manner.isSpoilt = true;
    await expect(read()).rejects.toMatchObject({ type: 'SDK_FAILURE', retryable: true });
    expect(events.at(-1)?.type).not.toBe('ended');
    delete place.manner.isSpoilt;
  });

  it.each([
    [400, 'ValidationException', 'Input is too long for requested model.', 'PROMPT_TOO_LONG'],
    [
      400,
      'ValidationException',
      'Invocation of model ID anthropic.claude-opus-5-5 with on-demand throughput isn’t supported.',
      'MODEL_NOT_FOUND',
    ],
    [404, 'ResourceNotFoundException', 'Could not resolve the model.', 'MODEL_NOT_FOUND'],
    [503, 'ServiceUnavailableException', 'Bedrock is unable to process.', 'OVERLOADED'],
  ])('are refused: %i %s: %s', async (status, type, message, reason) => {
    place.manner.answer = (response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
      response.end(JSON.stringify({ message }));
      return true;
    };
    await expect(read()).rejects.toMatchObject({ details: { reason, upstreamType: type } });
    delete place.manner.answer;
  });
});

describe('a start without what a cloud needs', () => {
  const config = (environment: Record<string, string>) =>
    parseConfig({ TURNPIKE_PROVIDER: 'anthropic', ...environment });
  const start = (environment: Record<string, string>) => openCloudOf(config(environment));

  it.each<[string, Record<string, string>, string]>([
    ['a region', { TURNPIKE_PROVIDER_PROFILE: 'bedrock' }, 'needs AWS_REGION, which is not set'],
    [
      'a workspace',
      { TURNPIKE_PROVIDER_PROFILE: 'aws', AWS_REGION: 'eu-west-1' },
      'needs ANTHROPIC_AWS_WORKSPACE_ID, which is not set',
    ],
    [
      'a region that is one',
      { TURNPIKE_PROVIDER_PROFILE: 'mantle', AWS_REGION: 'evil.example/#' },
      'AWS_REGION must be letters, digits, dots, colons and hyphens, and is evil.example/#',
    ],
    [
      'a key or the library of Entra',
      { TURNPIKE_PROVIDER_PROFILE: 'foundry', ANTHROPIC_FOUNDRY_RESOURCE: 'r1' },
      'npm install @azure/identity, in the folder in which you start the server, or set ANTHROPIC_FOUNDRY_API_KEY',
    ],
  ])('%s', async (_what, environment, message) => {
    await expect(start(environment)).rejects.toThrow(message);
  });

  it('a package: the npm line says which', async () => {
    const environment = { TURNPIKE_PROVIDER_PROFILE: 'bedrock', AWS_REGION: 'eu-west-1' };
    const opened = openCloud('bedrock', config(environment), () => Promise.resolve(undefined));
    await expect(opened).rejects.toThrow(
      '"bedrock" of TURNPIKE_PROVIDER_PROFILE or TURNPIKE_MAKERS needs @anthropic-ai/bedrock-sdk, which is not installed: npm install @anthropic-ai/bedrock-sdk, in the folder in which you start the server',
    );
  });

  function openCloudOf(parsed: Config) {
    const { providerProfile: name } = parsed;
    if (!isCloud(name)) throw new Error(`${name} is no cloud`);
    return openCloud(name, parsed);
  }
});

describe('another place of Claude', () => {
  it('has its own address, whatever the first one may reach', async () => {
    const place = await startCloudPlace('foundry');
    try {
      const environment = {
        ...place.environment,
        TURNPIKE_PROVIDER: 'anthropic',
        TURNPIKE_EGRESS_ALLOW: new URL(place.url).origin,
        TURNPIKE_MAKERS: 'anthropic',
        ANTHROPIC_API_KEY: 'sk-ant-own',
      };
      const config = parseConfig(environment);
      const parts = {
        clock: systemClock,
        tracing: plainTracing,
        logger: { warn: () => undefined },
      };
      const where = { mode: 'anthropic', baseUrl: addressOf(config) } as const;
      const messages = await openMessages(config, where, parts);
      const provider = await openProvider(config, { messages, baseUrl: where.baseUrl }, parts);
      await expect(
        provider.describeModel('anthropic/claude-opus-5-5', AbortSignal.abort(new Error('asked'))),
      ).rejects.toThrow('asked');
      expect(place.requests).toEqual([]);
    } finally {
      await place.close();
    }
  });
});

describe.each(['vertex', 'google-cloud'] as const)('%s, whose machine gives no tokens', (cloud) => {
  it('says so, instead of that nobody answers', async () => {
    const place = await startCloudPlace(cloud);
    try {
      place.manner.hasNoTokens = true;
      await expect(ask(await open(place))).rejects.toMatchObject({
        message: expect.stringContaining(`The credentials of ${cloud} could not be renewed: `),
        retryable: true,
        details: { provider: cloud, category: 'MISSING_API_KEY' },
      });
      expect(place.requests).toEqual([]);
    } finally {
      await place.close();
    }
  });
});
