import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/platform/clock.js';
import type { ModelEvent, ModelRequest } from '../../src/provider/model-types.js';
import { MakerProvider } from '../../src/provider/makers/maker-provider.js';
import { makerKinds, type MakerName } from '../../src/provider/makers/maker-table.js';
import { openMaker, type OpenModel } from '../../src/provider/makers/open-maker.js';
import { makerFetch } from '../../src/provider/makers/maker-fetch.js';
import type { AssistantPart } from '../../src/storage/shapes/stored-step.js';
import { serveHttp } from '../support/serve-http.js';
import { useShared } from '../support/suite.js';
import { plainTracing } from '../support/tracing/plain-tracing.js';

type Json = Record<string, unknown>;

const EXACT = '2512292042121000001';

/** A reply over the wire of OpenAI's Responses: thinking that only it can read, a text, and a call. */
const reply: Json[] = [
  { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'gpt-6-sol' } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', encrypted_content: 'first' },
  },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed', summary: [] },
  },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { type: 'message', id: 'msg_1' },
  },
  { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'I look.' },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: { type: 'message', id: 'msg_1' },
  },
  {
    type: 'response.output_item.added',
    output_index: 2,
    item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '' },
  },
  {
    type: 'response.function_call_arguments.delta',
    item_id: 'fc_1',
    output_index: 2,
    delta: `{"at":${EXACT}}`,
  },
  {
    type: 'response.output_item.done',
    output_index: 2,
    item: {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'look',
      arguments: `{"at":${EXACT}}`,
      status: 'completed',
    },
  },
  {
    type: 'response.completed',
    response: {
      usage: {
        input_tokens: 30,
        input_tokens_details: { cached_tokens: 10 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
      },
    },
  },
];

function providerOf(name: MakerName, url: string, open: OpenModel): MakerProvider {
  return new MakerProvider({
    name,
    kind: makerKinds[name],
    url,
    open,
    errors: { maker: name, keyVariable: 'A_KEY', redact: (text) => text },
    stallTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    maxRetries: 1,
    clock: systemClock,
    tracing: plainTracing,
  });
}

/** The package of a maker as it is published, over its real wire. */
describe('the package of OpenAI', () => {
  let asked: { text: string; headers: Json }[] = [];
  let answer: 'reply' | 'page' | 'cut' | 'busy' | 'elsewhere' = 'reply';
  const place = useShared(() =>
    serveHttp(async (request, response) => {
      let text = '';
      for await (const piece of request) text += String(piece);
      asked.push({ text, headers: { ...request.headers } });
      if (answer === 'elsewhere') {
        response.writeHead(307, { location: 'http://127.0.0.1:1/' });
        return void response.end();
      }
      if (answer === 'busy') {
        response.writeHead(asked.length === 1 ? 503 : 429, { 'content-type': 'application/json' });
        return void response.end('{"error":{"message":"busy"}}');
      }
      const type = answer === 'page' ? 'text/html' : 'text/event-stream';
      response.writeHead(200, { 'content-type': type });
      if (answer === 'page') return void response.end('<html></html>');
      const sent = answer === 'cut' ? reply.slice(0, 5) : reply;
      for (const event of sent) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    }),
  );

  const request: ModelRequest = {
    model: 'openai/gpt-6-sol',
    system: 'Be brief.',
    maxTokens: 500,
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Look.' }] }],
  };

  async function call(given: ModelRequest, how: typeof answer = 'reply') {
    answer = how;
    asked = [];
    const { origin } = new URL(place.url);
    const privateHosts = { anywhere: [], loopback: ['127.0.0.1'] };
    const kind = { package: 'ai-sdk-openai-4', create: 'createOpenAI' };
    const open = await openMaker('openai', kind, {
      apiKey: 'sk-own',
      baseURL: `${place.url}/v1`,
      fetch: makerFetch('openai', { origin, privateHosts }),
    });
    const provider = providerOf('openai', place.url, open);
    const events: ModelEvent[] = [];
    const { signal } = new AbortController();
    await provider.stream(given, 'gpt-6-sol', signal).read((some) => void events.push(...some));
    return events;
  }

  const partsOf = (events: readonly ModelEvent[]): AssistantPart[] =>
    events.flatMap((event) => (event.type === 'part.ended' ? [event.part] : []));

  it('gives thinking, text and a call in order, with exact numbers and all that was counted', async () => {
    const events = await call(request);
    expect(partsOf(events)).toMatchObject([
      { type: 'thinking', thinking: '' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'call_1', name: 'look', input: { at: { '\uFDD0': EXACT } } },
    ]);
    expect(events.at(-1)).toEqual({
      type: 'ended',
      stopReason: 'tool_use',
      usage: {
        inputTokens: 20,
        cacheReadTokens: 10,
        cacheWriteTokens: 0,
        outputTokens: 9,
        thinkingTokens: 4,
      },
    });
  });

  it('stores nothing at the maker, and gets back what only the maker can read, byte for byte', async () => {
    const parts = partsOf(await call(request));
    // As a step is stored and loaded.
    const stored = JSON.parse(JSON.stringify(parts)) as AssistantPart[];
    const result = {
      type: 'tool_result',
      callId: 'call_1',
      output: 'seen',
      isError: false,
    } as const;
    const after: ModelRequest = {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', parts: stored },
        { role: 'user', parts: [result] },
      ],
    };
    await call(after);
    const [first] = asked;
    const body = JSON.parse(first?.text ?? '') as Json;
    expect(body).toMatchObject({ model: 'gpt-6-sol', store: false, stream: true });
    expect(body['include']).toContain('reasoning.encrypted_content');
    expect(first?.headers['authorization']).toBe('Bearer sk-own');
    const input = body['input'] as Json[];
    expect(input.find(({ type }) => type === 'reasoning')).toMatchObject({
      encrypted_content: 'sealed',
    });
    const sent = input.find(({ type }) => type === 'function_call');
    expect(sent).toMatchObject({ call_id: 'call_1', arguments: `{"at":${EXACT}}` });
    expect(input.at(-1)).toMatchObject({ type: 'function_call_output', output: 'seen' });
    const again = first?.text;
    await call(after);
    expect(asked[0]?.text).toBe(again);
  });

  it('asks once more where the maker is busy, and says why in the end', async () => {
    await expect(call(request, 'busy')).rejects.toMatchObject({
      details: { provider: 'openai', category: 'RATE_LIMITED' },
    });
    expect(asked).toHaveLength(2);
  });

  it('follows no redirect', async () => {
    await expect(call(request, 'elsewhere')).rejects.toMatchObject({
      message: expect.stringContaining('Correct its address in TURNPIKE_MAKERS'),
      details: { category: 'NETWORK_POLICY_VIOLATION', provider: 'openai' },
    });
    expect(asked).toHaveLength(1);
  });

  it('fails where the reply breaks off, and where a page answers', async () => {
    await expect(call(request, 'cut')).rejects.toMatchObject({
      details: { category: 'NETWORK_ERROR', provider: 'openai' },
    });
    await expect(call(request, 'page')).rejects.toMatchObject({
      message: expect.stringContaining('openai answered with text/html'),
    });
  });
});
