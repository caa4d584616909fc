import { describe, expect, it } from '@jest/globals';
import { uiMessageChunkSchema, type UIMessageChunk } from 'ai';
import * as newest6 from 'ai-6';
import {
  FakeServer,
  type FakeFrame,
  type FakeServerOptions,
} from '../../test/client/fake-server.js';
import { untilDone } from '../../test/client/until-done.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { aiSdkOf, TurnpikeChatTransport, type AiSdkVersion } from './chat-transport.js';

const chunks: UIMessageChunk[] = [
  { type: 'start', messageId: 'msg_1' },
  { type: 'text-start', id: 't' },
  ...['a', 'b', 'c', 'd'].map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
  { type: 'text-end', id: 't' },
  { type: 'finish' },
];
const frames: FakeFrame[] = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map(
  (data, index) => {
    const id = `turn_1:1.${index + 1}`;
    return { id, text: `id: ${id}\ndata: ${data}\n\n` };
  },
);
const refusal = (status: number, type: string, retryable = true): Response =>
  Response.json({ error: { type, message: 'No.', retryable } }, { status });

function open(
  { aiSdk, ...options }: FakeServerOptions & { aiSdk?: AiSdkVersion } = {},
  served: FakeFrame[] = frames,
) {
  const server = new FakeServer(served, options);
  const clock = new ManualClock();
  const transport = new TurnpikeChatTransport({
    url: 'http://turnpike.test',
    fetch: server.fetch,
    clock,
    stallMs: 20_000,
    maxSilenceMs: 120_000,
    ...(aiSdk === undefined ? {} : { aiSdk }),
  });
  const left = new AbortController();
  const send = () =>
    untilDone(
      clock,
      transport.sendMessages({
        chatId: 'c',
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
        trigger: 'submit-message',
        messageId: undefined,
        abortSignal: left.signal,
      }),
    );
  const readAll = async (stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> => {
    const read: UIMessageChunk[] = [];
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await untilDone(clock, reader.read());
      if (done) return read;
      read.push(value);
    }
  };
  const comeBack = (headers: Record<string, string> = {}) =>
    untilDone(clock, transport.reconnectToStream({ chatId: 'c', headers }));
  return { server, left, send, comeBack, readAll };
}

const requestsOf = ({ requests }: FakeServer): unknown[] =>
  requests.map(({ path, headers }) => [path, headers.get('last-event-id')]);

describe('a stream of a chat', () => {
  it.each([
    ['breaks', false],
    ['falls silent', true],
  ])('goes on after a connection that %s', async (_how, hang) => {
    const { server, send, readAll } = open({ cutAfter: [150, 100], hang });
    expect(await readAll(await send())).toEqual(chunks);
    expect(requestsOf(server)).toEqual([
      ['/api/chat', null],
      ['/api/chat/c/stream', expect.stringMatching(/^turn_1:1\.\d$/)],
      ['/api/chat/c/stream', expect.stringMatching(/^turn_1:1\.\d$/)],
    ]);
  });

  it('sends its request again where nothing of the answer came', async () => {
    const before = [new Error('ECONNREFUSED'), refusal(503, 'SHUTTING_DOWN')];
    const { server, send, readAll } = open({ before, cutAfter: [10] });
    expect(await readAll(await send())).toEqual(chunks);
    expect(requestsOf(server)).toEqual(Array.from({ length: 4 }, () => ['/api/chat', null]));
  });

  it('shows what is refused, and does not wait behind it', async () => {
    const { server, send } = open({ before: [refusal(409, 'TURN_IN_PROGRESS')] });
    await expect(send()).rejects.toMatchObject({ code: 'TURN_IN_PROGRESS', status: 409 });
    expect(server.requests).toHaveLength(1);
  });

  it('names its version in each request', async () => {
    const { server, send, readAll } = open({ cutAfter: [150], aiSdk: '7-steering' });
    await readAll(await send());
    const named = server.requests.map(({ headers }) => headers.get('x-turnpike-ai-sdk'));
    expect(named).toEqual(['7-steering', '7-steering']);
  });

  it('that is lost is what the hook of version 7 takes for a lost network', async () => {
    const { send } = open({ before: Array.from({ length: 99 }, () => new Error('ECONNREFUSED')) });
    const lost = await send().catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(TypeError);
    expect(lost).toMatchObject({
      name: 'ConnectionLostError',
      message: expect.stringContaining('network'),
    });
  });

  it.each(['left', 'refused'])('that is %s is read to its end by who comes back', async (how) => {
    const refused = refusal(403, 'FORBIDDEN', false);
    const before = how === 'left' ? [] : ['serve' as const, refused];
    const { server, send, comeBack, readAll } = open({ before, cutAfter: [150] });
    const stream = await send();
    if (how === 'left') await stream.cancel();
    else await expect(readAll(stream)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await readAll((await comeBack()) ?? new ReadableStream())).toEqual(chunks);
    expect(requestsOf(server).at(-1)).toEqual(['/api/chat/c/stream', 'turn_1']);
    await comeBack();
    expect(requestsOf(server).at(-1)).toEqual(['/api/chat/c/stream', null]);
  });

  it('that was left begins after what the page names itself', async () => {
    const { server, send, comeBack } = open();
    await (await send()).cancel();
    await comeBack({ 'Last-Event-ID': 'turn_1:1.2' });
    expect(requestsOf(server).at(-1)).toEqual(['/api/chat/c/stream', 'turn_1:1.2']);
  });

  it('that failed is over for a reader that reads no further', async () => {
    const failed: UIMessageChunk[] = [{ type: 'start' }, { type: 'error', errorText: 'No.' }];
    const served = [...failed, { type: 'finish' }].map((chunk, index): FakeFrame => {
      const id = `turn_1:1.${index + 1}`;
      return { id, text: `id: ${id}\ndata: ${JSON.stringify(chunk)}\n\n` };
    });
    const { server, send, comeBack } = open({}, served);
    const reader = (await send()).getReader();
    for (const chunk of failed) expect((await reader.read()).value).toEqual(chunk);
    await reader.cancel();
    await comeBack();
    expect(requestsOf(server).at(-1)).toEqual(['/api/chat/c/stream', null]);
  });

  it('ends its connection where its reader leaves, and makes no other', async () => {
    const cancelled = open({ hang: true, cutAfter: [150] });
    await (await cancelled.send()).cancel();
    const aborted = open({ hang: true, cutAfter: [150] });
    const stream = await aborted.send();
    aborted.left.abort(new Error('left'));
    await expect(aborted.readAll(stream)).rejects.toThrow('left');
    for (const { server } of [cancelled, aborted]) {
      expect([server.cancelled, server.requests.length]).toEqual([1, 1]);
    }
  });
});

describe('a step that the server lost with its log', () => {
  const sent: object[] = [
    { type: 'start', messageId: 'msg_1' },
    { type: 'start-step' },
    { type: 'text-start', id: 'text-1-1' },
    { type: 'text-delta', id: 'text-1-1', delta: 'Half' },
    { type: 'data-notice', id: 'n', data: {} },
    { type: 'message-metadata', messageMetadata: { discarded: [] } },
    { type: 'start-step' },
    { type: 'finish-step' },
    { type: 'message-metadata', messageMetadata: { discarded: [] } },
    { type: 'finish' },
  ];
  const lost = [...sent, '[DONE]'].map((chunk, index): FakeFrame => {
    const data = typeof chunk === 'string' ? chunk : JSON.stringify(chunk);
    return { id: `7;turn_1:1.${index}`, text: `id: 7;turn_1:1.${index}\ndata: ${data}\n\n` };
  });

  it('is taken back in version 7, without what is about the turn', async () => {
    const { send, readAll } = open({ aiSdk: 7 }, lost);
    const [notice, ...rest] = sent.slice(4);
    expect(await readAll(await send())).toEqual([
      ...sent.slice(0, 4),
      notice,
      { type: 'reset-step' },
      notice,
      ...rest,
    ]);
  });

  it('has no chunk in version 6 that its packages do not know', async () => {
    const { send, readAll } = open({}, lost);
    expect(await readAll(await send())).toEqual(sent);
  });
});

describe('aiSdkOf', () => {
  it.each([
    [6, newest6.uiMessageChunkSchema],
    [7, uiMessageChunkSchema],
  ])('is %d by the package’s schema', async (major, schema) => {
    expect(await aiSdkOf(schema)).toBe(major);
  });
});
