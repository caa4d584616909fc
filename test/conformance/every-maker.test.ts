import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { parseConfig } from '../../src/config/config.js';
import { systemClock } from '../../src/platform/clock.js';
import { makerFetch } from '../../src/provider/makers/maker-fetch.js';
import { MakerProvider } from '../../src/provider/makers/maker-provider.js';
import { makerKinds, makerNames, type MakerName } from '../../src/provider/makers/maker-table.js';
import { openMakers } from '../../src/provider/makers/open-makers.js';
import { openMaker } from '../../src/provider/makers/open-maker.js';
import type { ModelEvent, ModelRequest } from '../../src/provider/model-types.js';
import type { AssistantPart } from '../../src/storage/shapes/stored-step.js';
import { serveHttp } from '../support/serve-http.js';
import { useShared } from '../support/suite.js';
import { plainTracing } from '../support/tracing/plain-tracing.js';

const ODD = 'Grüße 👩‍👩‍👧 \u202Eabc\u0000 "\\';

/** The paths of the makers' wires at a server that has them all. That of xAI it has otherwise than xAI's package. */
const paths: Partial<Record<MakerName, string>> = {
  openai: '/v1',
  google: '/v1beta',
  mistral: '/v1',
  deepseek: '/v1',
  groq: '/openai/v1',
  local: '/v1',
};
const makers = makerNames.filter((name) => paths[name] !== undefined);

function providerAt(name: MakerName, url: string): Promise<MakerProvider> {
  const kind = makerKinds[name];
  // Another version stands beside it, for a test of its own.
  const wanted = name === 'openai' ? { ...kind, package: 'ai-sdk-openai-4' } : kind;
  const privateHosts = { anywhere: [], loopback: ['127.0.0.1', 'localhost'] };
  const { origin } = new URL(url);
  const settings = {
    apiKey: 'sk-own',
    baseURL: url,
    fetch: makerFetch(name, { origin, privateHosts }),
  };
  return openMaker(name, wanted, settings).then(
    (open) =>
      new MakerProvider({
        name,
        kind,
        url,
        open,
        errors: { maker: name, keyVariable: 'A_KEY', redact: (text) => text },
        stallTimeoutMs: 60_000,
        requestTimeoutMs: 60_000,
        maxRetries: 0,
        clock: systemClock,
        tracing: plainTracing,
      }),
  );
}

const say = (text: string): ModelRequest['messages'][number] => ({
  role: 'user',
  parts: [{ type: 'text', text }],
});

async function ask(
  provider: MakerProvider,
  messages: ModelRequest['messages'],
  signal: AbortSignal = new AbortController().signal,
) {
  const events: ModelEvent[] = [];
  const request: ModelRequest = {
    model: 'maker/m',
    system: 'Be brief.',
    maxTokens: 500,
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    messages,
  };
  await provider.stream(request, 'm', signal).read((some) => void events.push(...some));
  const parts = events.flatMap((event) => (event.type === 'part.ended' ? [event.part] : []));
  return { parts, end: events.at(-1) };
}

const textOf = (parts: readonly AssistantPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The same cases for the package of each maker, over its own wire, at a server that somebody else wrote. */
describe.each(makers)('a model of %s', (name) => {
  const place = new LLMock({ port: 0 });
  let provider: MakerProvider;
  beforeAll(async () => {
    await place.start();
    provider = await providerAt(name, `${place.url}${paths[name]}`);
  });
  afterAll(() => place.stop());
  afterEach(() => {
    place.clearFixtures();
    place.clearRequests();
  });

  const call = (messages: ModelRequest['messages'], signal?: AbortSignal) =>
    ask(provider, messages, signal);

  it('says a text, to the letter, and what it counted', async () => {
    place.onMessage(/.*/, { content: ODD });
    const { parts, end } = await call([say(ODD)]);
    expect(textOf(parts)).toBe(ODD);
    expect(end).toMatchObject({ type: 'ended', stopReason: 'end_turn' });
    const asked = JSON.stringify(place.getRequests().at(-1)?.body);
    expect(asked).toContain(JSON.stringify(ODD).slice(1, -1));
  });

  it('calls two tools at once, and reads their results', async () => {
    const calls = ['one', 'two'].map((at) => ({ name: 'look', arguments: JSON.stringify({ at }) }));
    place.addFixture({ match: { hasToolResult: false }, response: { toolCalls: calls } });
    place.addFixture({ match: { hasToolResult: true }, response: { content: 'Seen both.' } });
    const first = await call([say('Look twice.')]);
    expect(first.end).toMatchObject({ stopReason: 'tool_use' });
    const uses = first.parts.flatMap((part) => (part.type === 'tool_use' ? [part] : []));
    expect(uses.map(({ input }) => input)).toEqual([{ at: 'one' }, { at: 'two' }]);
    expect(new Set(uses.map(({ id }) => id)).size).toBe(2);
    const results = uses.map(({ id, input }) => ({
      type: 'tool_result' as const,
      callId: id,
      output: `saw ${JSON.stringify(input['at'])}`,
      isError: false,
    }));
    const second = await call([
      say('Look twice.'),
      { role: 'assistant', parts: first.parts },
      { role: 'user', parts: results },
    ]);
    expect(textOf(second.parts)).toBe('Seen both.');
    const asked = JSON.stringify(place.getRequests().at(-1)?.body);
    expect([/saw [^o]*one/.test(asked), /saw [^t]*two/.test(asked)]).toEqual([true, true]);
  });

  it.each<[number, string, object]>([
    [401, 'Invalid key', { category: 'INVALID_API_KEY' }],
    [429, 'Slow down', { category: 'RATE_LIMITED' }],
    [400, 'maximum context length is 8192 tokens', { reason: 'PROMPT_TOO_LONG' }],
    [500, 'Something broke', { category: 'API_RESPONSE_ERROR' }],
  ])('fails with %i: %s', async (status, message, details) => {
    place.onMessage(/.*/, { error: { message }, status });
    await expect(call([say('Hello')])).rejects.toMatchObject({
      message: expect.stringContaining(message),
      details: { provider: name, ...details },
    });
  });

  it('ends with the signal', async () => {
    place.onMessage(/.*/, { content: 'Never read.' }, { latency: 5_000 });
    const stop = new AbortController();
    const called = call([say('Hello')], stop.signal);
    stop.abort(new Error('enough'));
    await expect(called).rejects.toThrow('enough');
  });
});

describe.each<MakerName>(['local', 'deepseek'])('a model of %s that thinks', (name) => {
  const place = new LLMock({ port: 0 });
  beforeAll(() => place.start());
  afterAll(() => place.stop());

  it('says what it thought, and what it counted', async () => {
    const usage = { prompt_tokens: 40, completion_tokens: 8 };
    place.onMessage(/.*/, { content: 'Seen it.', reasoning: 'Hm.', usage });
    const provider = await providerAt(name, `${place.url}${paths[name]}`);
    const { parts, end } = await ask(provider, [say('Look.')]);
    expect(parts).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Seen it.' },
    ]);
    expect(end).toMatchObject({ usage: { inputTokens: 40, outputTokens: 8 } });
  });
});

/** Over the wire that xAI's package wants, which the other server does not have to the letter. */
describe('a model of xai', () => {
  const place = useShared(() =>
    serveHttp(async (request, response) => {
      let text = '';
      for await (const piece of request) text += String(piece);
      const { input } = JSON.parse(text) as { input: { type?: string }[] };
      const hasResult = input.some(({ type }) => type === 'function_call_output');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const items = hasResult ? [said('Seen both.')] : [called('one'), called('two')];
      const usage = { input_tokens: 30, output_tokens: 9, total_tokens: 39 };
      const done = { id: 'r1', object: 'response', model: 'm', created_at: 1, output: [], usage };
      const events = [
        { type: 'response.created', response: { ...done, status: 'in_progress' } },
        ...items.flatMap((item, index) => [
          { type: 'response.output_item.added', output_index: index, item },
          { type: 'response.output_item.done', output_index: index, item },
        ]),
        { type: 'response.completed', response: { ...done, status: 'completed' } },
      ];
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    }),
  );
  const called = (at: string) => ({
    type: 'function_call',
    id: `fc_${at}`,
    call_id: `call_${at}`,
    name: 'look',
    arguments: JSON.stringify({ at }),
  });
  const said = (text: string) => ({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  });

  it('calls two tools at once, and reads their results', async () => {
    const provider = await providerAt('xai', `${place.url}/v1`);
    const first = await ask(provider, [say('Look twice.')]);
    expect(first.end).toMatchObject({ stopReason: 'tool_use', usage: { inputTokens: 30 } });
    const results = first.parts.flatMap((part) =>
      part.type === 'tool_use'
        ? [{ type: 'tool_result' as const, callId: part.id, output: 'seen', isError: false }]
        : [],
    );
    expect(results).toHaveLength(2);
    const second = await ask(provider, [
      say('Look twice.'),
      { role: 'assistant', parts: first.parts },
      { role: 'user', parts: results },
    ]);
    expect(textOf(second.parts)).toBe('Seen both.');
    expect(second.end).toMatchObject({ stopReason: 'end_turn', usage: { outputTokens: 9 } });
  });
});

describe('a maker that is not ready', () => {
  const settings = { baseURL: 'https://maker.example/v1', fetch };

  it('is named with the npm line where its package is missing', async () => {
    const opened = openMaker('groq', makerKinds.groq, settings, () => Promise.resolve(undefined));
    await expect(opened).rejects.toThrow(
      'TURNPIKE_MAKERS has groq, and its package is not installed: npm install @ai-sdk/groq@latest, in the folder in which you start the server',
    );
  });

  it('is named where its package has another specification', async () => {
    await expect(openMaker('openai', makerKinds.openai, settings)).rejects.toThrow(
      "the @ai-sdk/openai that is installed is not of the AI SDK's provider specification v4",
    );
  });

  it('may be one that is known by its package alone, and gets its own key', async () => {
    const keys: unknown[] = [];
    const chunk = (delta: object, reason: string | null): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
    const place = await serveHttp((request, response) => {
      keys.push([request.url, request.headers.authorization]);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chunk({ content: ODD }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
    try {
      const config = parseConfig({
        TURNPIKE_MAKERS: `acme=@ai-sdk/groq@${place.url}/v1`,
        TURNPIKE_MAKER_KEYS: 'other=no,acme=sk-own',
        TURNPIKE_MODEL: 'acme/m',
      });
      const makers = await openMakers(config, { clock: systemClock, tracing: plainTracing });
      const acme = makers.get('acme');
      if (acme === undefined) throw new Error('It was not opened');
      const { parts } = await ask(acme, [say('Hello')]);
      expect([textOf(parts), keys]).toEqual([ODD, [['/v1/chat/completions', 'Bearer sk-own']]]);
    } finally {
      await place.close();
    }
  });

  it.each([
    ['a name that nobody knows', 'acme', 'TURNPIKE_MAKERS has acme, which is none of openai,'],
    ['a key', 'openai', 'TURNPIKE_MAKERS has openai, and OPENAI_API_KEY is not set'],
    ['an address', 'local', 'write local=http://host:port/v1'],
    ['a name of its own', 'bedrock=@ai-sdk/groq@https://a.b/v1', 'choose another name'],
    ['a key of its own', 'acme=@ai-sdk/groq@https://a.b/v1', 'TURNPIKE_MAKER_KEYS has no acme=KEY'],
  ])('is named for the lack of %s', async (_what, listed, message) => {
    const config = parseConfig({ TURNPIKE_MAKERS: listed, TURNPIKE_MODEL: `${listed}/m` });
    const parts = { clock: systemClock, tracing: plainTracing };
    await expect(openMakers(config, parts)).rejects.toThrow(message);
  });
});
