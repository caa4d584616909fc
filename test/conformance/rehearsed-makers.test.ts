import { describe, expect, it } from '@jest/globals';
import { startRehearsal } from '../../rehearsal/start-rehearsal.js';
import { systemClock } from '../../src/platform/clock.js';
import { judgeAnswer } from '../../src/provider/anthropic/judge-answer.js';
import { makerFetch } from '../../src/provider/makers/maker-fetch.js';
import { MakerProvider } from '../../src/provider/makers/maker-provider.js';
import { makerKinds, makerNames, type MakerName } from '../../src/provider/makers/maker-table.js';
import { openMaker } from '../../src/provider/makers/open-maker.js';
import type { ModelEvent, ModelRequest } from '../../src/provider/model-types.js';
import type { AssistantPart } from '../../src/storage/shapes/stored-step.js';
import { useShared } from '../support/suite.js';
import { plainTracing } from '../support/tracing/plain-tracing.js';

const ODD = 'Grüße 👩‍👩‍👧 "\\';
const place = useShared(() => startRehearsal());

async function providerOf(name: MakerName): Promise<MakerProvider> {
  const kind = makerKinds[name];
  const { pathname } = new URL(kind.url ?? 'http://local/v1');
  const url = `${place.url}/${name}${pathname.replace(/\/$/, '')}`;
  const { origin } = new URL(url);
  const privateHosts = { anywhere: [], loopback: ['127.0.0.1'] };
  const wanted = name === 'openai' ? { ...kind, package: 'ai-sdk-openai-4' } : kind;
  const open = await openMaker(name, wanted, {
    apiKey: 'rehearsal',
    baseURL: url,
    fetch: makerFetch(name, { origin, privateHosts }),
  });
  return new MakerProvider({
    name,
    kind,
    url,
    open,
    clock: systemClock,
    tracing: plainTracing,
    errors: { maker: name, keyVariable: 'A_KEY', redact: (text) => text },
    stallTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    maxRetries: 0,
  });
}

const say = (text: string): ModelRequest['messages'][number] => ({
  role: 'user',
  parts: [{ type: 'text', text }],
});

async function ask(
  name: MakerName,
  messages: ModelRequest['messages'],
  more: Partial<ModelRequest> = {},
) {
  const events: ModelEvent[] = [];
  const request: ModelRequest = {
    model: 'maker/m',
    system: 'Be brief.',
    maxTokens: 500,
    messages,
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    ...more,
  };
  const provider = await providerOf(name);
  const { signal } = new AbortController();
  await provider.stream(request, 'm', signal).read((some) => void events.push(...some));
  const parts = events.flatMap((event) => (event.type === 'part.ended' ? [event.part] : []));
  return { parts, end: events.at(-1) };
}

const textOf = (parts: readonly AssistantPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** A picture of the largest size that is counted: the head of a PNG. */
function largePicture(): string {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200001f4000001f400802000000', 'hex');
  return head.toString('base64');
}

describe('a prompt over the window of a rehearsed model', () => {
  const data = largePicture();
  const many = <T>(one: T): T[] => Array.from({ length: 1_000 }, () => one);
  const image = `data:image/png;base64,${data}`;
  const stream = true;
  it.each<[string, object, RegExp]>([
    [
      '/v1/chat/completions',
      {
        model: 'm',
        stream,
        messages: [
          { role: 'user', content: many({ type: 'image_url', image_url: { url: image } }) },
        ],
      },
      /maximum context length is 1000000 tokens.*"code":"context_length_exceeded"/,
    ],
    [
      '/v1/responses',
      {
        model: 'm',
        stream,
        store: false,
        input: [{ role: 'user', content: many({ type: 'input_image', image_url: image }) }],
      },
      /exceeds the context window.*"code":"context_length_exceeded"/,
    ],
    [
      '/v1beta/models/m:streamGenerateContent',
      {
        contents: [{ role: 'user', parts: many({ inlineData: { mimeType: 'image/png', data } }) }],
      },
      /The input token count \(\d+\) exceeds the maximum number of tokens allowed \(1000000\)/,
    ],
  ])('is refused in the words of the wire: %s', async (route, body, words) => {
    const response = await fetch(place.url + route, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer k',
        'x-goog-api-key': 'k',
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([400, expect.stringMatching(words)]);
    const reason = judgeAnswer({ status: 400, type: null, code: null, text }).reason;
    expect(reason).toBe('PROMPT_TOO_LONG');
  });
});

describe.each(makerNames)('the rehearsal of %s, on its own wire', (name) => {
  it('describes what it received, and counts it', async () => {
    const { parts, end } = await ask(name, [say(ODD)]);
    expect(textOf(parts)).toContain(`You wrote: "${ODD}".`);
    expect(textOf(parts)).toContain('Tools offered: look.');
    expect(end).toMatchObject({ type: 'ended', stopReason: 'end_turn' });
    const { usage } = end as Extract<ModelEvent, { type: 'ended' }>;
    expect([usage.inputTokens > 5, usage.outputTokens]).toEqual([true, 7]);
  });

  it('calls two tools at once, and reads their results', async () => {
    const asked = say('[[tool=look {"at":"one"}]] [[tool=look {"at":"two"}]]');
    const first = await ask(name, [asked]);
    expect(first.end).toMatchObject({ stopReason: 'tool_use' });
    const uses = first.parts.flatMap((part) => (part.type === 'tool_use' ? [part] : []));
    expect(uses.map(({ input }) => input)).toEqual([{ at: 'one' }, { at: 'two' }]);
    const results = uses.map(({ id, input }) => ({
      type: 'tool_result' as const,
      callId: id,
      output: `saw ${JSON.stringify(input['at'])}`,
      isError: false,
    }));
    const answered: ModelRequest['messages'] = [
      asked,
      { role: 'assistant', parts: first.parts },
      { role: 'user', parts: results },
    ];
    const second = await ask(name, answered);
    expect(textOf(second.parts)).toBe('The tools answered:\n- look: saw "one"\n- look: saw "two"');
  });

  it('thinks where it is told to, and takes its thinking back', async () => {
    const asked = say('[[think=3]] [[tool=look {}]]');
    const first = await ask(name, [asked]);
    const { id = '' } = first.parts.find((part) => part.type === 'tool_use') ?? {};
    const result = { type: 'tool_result' as const, callId: id, output: 'seen', isError: false };
    const { parts } = await ask(name, [
      asked,
      { role: 'assistant', parts: first.parts },
      { role: 'user', parts: [result] },
    ]);
    expect(textOf(parts)).toBe('The tools answered:\n- look: seen');
  });

  it('is cut at the longest reply', async () => {
    const { parts, end } = await ask(name, [say('[[tokens=40]]')], { maxTokens: 20 });
    expect(textOf(parts)).toMatch(/^word1 .*word20$/);
    expect(end).toMatchObject({ stopReason: 'max_tokens' });
  });

  it.each<[string, object]>([
    ['[[fail=401]]', { category: 'INVALID_API_KEY' }],
    ['[[fail=429]]', { category: 'RATE_LIMITED' }],
    ['[[fail=500]]', { category: 'API_RESPONSE_ERROR' }],
    ['[[tokens=9]] [[fail=529 after=3]]', {}],
    ['[[tokens=9]] [[drop=3]]', {}],
  ])('fails as it is told to: %s', async (text, details) => {
    await expect(ask(name, [say(text)])).rejects.toMatchObject({
      details: { provider: name, ...details },
    });
  });

  it('fails for the first try alone where it is told to, which is sent again', async () => {
    const asked = [say('[[fail=529 times=1]] Hello')];
    await expect(ask(name, asked)).rejects.toMatchObject({ details: { provider: name } });
    expect(textOf((await ask(name, asked)).parts)).toContain('You wrote:');
  });
});

/** A request with one thing wrong, as the documents have it. */
const wrong: readonly [path: string, body: object, message: string][] = [
  ['/v1/chat/completions', { model: 'm', stream: true }, "Missing required parameter: 'messages'."],
  [
    '/v1/chat/completions',
    { model: 'm', stream: true, messages: [{ role: 'user', content: 'a', colour: 1 }] },
    "Unknown parameter: 'messages[0].colour'.",
  ],
  [
    '/v1/chat/completions',
    { model: 'm', stream: true, messages: [{ role: 'tool', tool_call_id: 'c', content: 'a' }] },
    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  ],
  [
    '/openai/v1/chat/completions',
    {
      model: 'm',
      stream: true,
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'user', content: 'a' },
      ],
    },
    'must be followed by tool messages responding to each',
  ],
  ['/v1/responses', { model: 'm', stream: true, store: false, input: 'a', n: 2 }, "'n'"],
  [
    '/v1/responses',
    {
      model: 'm',
      stream: true,
      store: false,
      input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }],
    },
    'No tool output found for function call c.',
  ],
  [
    '/v1/responses',
    {
      model: 'm',
      stream: true,
      store: false,
      input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }],
    },
    'The encrypted content for item rs_1 could not be verified.',
  ],
  [
    '/v1beta/models/m:streamGenerateContent',
    { contents: [{ role: 'user', parts: [{ text: 'a' }] }], n: 1 },
    'Unknown name "n": Cannot find field.',
  ],
  [
    '/v1beta/models/m:streamGenerateContent',
    { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }] },
    'is missing a thought_signature',
  ],
  [
    '/v1beta/models/m:streamGenerateContent',
    {
      contents: [
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: 1 } } }] },
      ],
    },
    'the number of function response parts is equal to the number of function call parts',
  ],
];

describe('the rehearsal of other makers refuses', () => {
  const post = (path: string, body: object, headers: Record<string, string>) =>
    fetch(`${place.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it.each(wrong)('at %s: %j', async (path, body, message) => {
    const keys = { authorization: 'Bearer a', 'x-goog-api-key': 'a' };
    const refused = await post(path, body, keys);
    const answer = (await refused.json()) as { error: { message: string } };
    expect([refused.status, answer.error.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each<[string, number]>([
    ['/v1/chat/completions', 401],
    ['/v1/responses', 401],
    ['/v1beta/models/m:streamGenerateContent', 403],
  ])('at %s whoever has no key', async (path, status) => {
    expect((await post(path, {}, {})).status).toBe(status);
  });
});
