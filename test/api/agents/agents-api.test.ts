import { describe, expect, it } from '@jest/globals';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
import { toUlid } from '../../../src/wires/named-agents/ulid-form.js';
import { AgentClient, expectProblem, unknownUlid } from '../../support/clients/agent-client.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
/** One white pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const deltas = (reader: StreamReader): string =>
  reader.frames.map(({ event, data }) => (event === 'message_delta' ? data['delta'] : '')).join('');

describe('the agents API', () => {
  /** How far the server's time is ahead, in ms. Its timers run as ever. */
  let aheadMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadMs,
    after: (delayMs, callback) => systemClock.after(delayMs, callback),
  };
  const root = newFolder();
  const server = useServer({ clock, environment: { TURNPIKE_PROJECT_ROOT: root } });
  const client = useShared(() => new AgentClient(server.url));

  const lastRequest = (): string => JSON.stringify(server.modelRequests.at(-1)?.body.messages);

  it('lists the agents', async () => {
    const { status, body } = await client.send('/agents');
    expect(status).toBe(200);
    const file = 'agents/AGENT_WORKING_ITEMS.md';
    expect(body['agents']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'WORKING_ITEMS', file })]),
    );
    expect(body['problems']).toEqual([]);
  });

  it('answers in one piece', async () => {
    const { status, headers, body } = await client.chat({ message: '[[tokens=3]]' });
    expect([status, body]).toEqual([
      200,
      {
        message_id: expect.stringMatching(ulid),
        content: 'word1 word2 word3',
        session_id: expect.stringMatching(ulid),
        tokens_used: {
          prompt_tokens: expect.any(Number),
          completion_tokens: expect.any(Number),
          total_tokens: expect.any(Number),
        },
        execution_time_ms: expect.any(Number),
      },
    ]);
    expect(headers.get('x-session-id')).toBe(body['session_id']);
    expect(headers.get('x-message-id')).toBe(body['message_id']);
  });

  it('names the fields of its body that have no effect', async () => {
    const { status, body } = await client.chat({ message: 'Hello', modle: 'y' });
    expect(status).toBe(200);
    expect(body['notices']).toEqual([
      expect.objectContaining({
        kind: 'options-ignored',
        text: expect.stringMatching(/modle had no effect: .*message, session_id, files/),
      }),
    ]);
  });

  it('lists the tools that an answer took', async () => {
    const message = '[[tool=glob {"pattern":"*"}]] [[cite]] [[tokens=2]]';
    const { body } = await client.chat({ message });
    expect(body).toMatchObject({
      tool_calls: [{ name: 'glob', arguments: { pattern: '*' }, status: 'success' }],
      sources: expect.arrayContaining([
        expect.objectContaining({ type: expect.any(String), title: expect.any(String) }),
      ]),
    });
  });

  it('goes on in a session, by either way of asking', async () => {
    const first = await client.chat({ message: '[[tokens=4]]' });
    const session_id = first.body['session_id'];
    const written = String(session_id).toLowerCase();
    const reader = await client.stream({ message: 'And then?', session_id: written });
    const frames = await reader.all();
    expect(frames[0]?.data['session_id']).toBe(session_id);
    expect(lastRequest()).toContain('word4');
    expect(frames[0]?.data['message_id']).not.toBe(first.body['message_id']);
  });

  it.each([undefined, unknownUlid, 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ', 'mine', 7])(
    'begins a session for the id %s',
    async (session_id) => {
      const { status, body } = await client.chat({ message: 'Hello', session_id });
      expect([status, body['session_id'] === session_id]).toEqual([200, false]);
    },
  );

  it('begins another session when half an hour passed without use', async () => {
    const first = await client.chat({ message: 'Hello' });
    const session_id = first.body['session_id'];
    const goOn = async () =>
      (await client.chat({ message: 'Hello', session_id })).body['session_id'];
    aheadMs += 29 * 60_000;
    expect(await goOn()).toBe(session_id);
    aheadMs += 29 * 60_000;
    expect(await goOn()).toBe(session_id);
    aheadMs += 30 * 60_000;
    expect(await goOn()).not.toBe(session_id);
  });

  describe('streams', () => {
    it('in the seed’s order, with an id on every frame', async () => {
      const message = '[[tool=glob {"pattern":"*"}]] [[args=4]] [[tokens=3]]';
      const reader = await client.stream({ message });
      const frames = await reader.all();
      expect(reader.header('content-type')).toBe('text/event-stream; charset=utf-8');
      const names = frames.map(({ event }) => event);
      const order = names.filter((name, index) => name !== names[index - 1]);
      const tool = ['tool_call_start', 'tool_call_args', 'tool_call_end'];
      const delta = 'message_delta';
      expect(order).toEqual(['stream_start', delta, ...tool, delta, 'stream_end']);
      expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
      const { session_id, message_id } = frames[0]?.data ?? {};
      expect([session_id, message_id]).toEqual([
        expect.stringMatching(ulid),
        expect.stringMatching(ulid),
      ]);
      expect(deltas(reader)).toMatch(/word1 word2 word3$/);
      expect(frames.at(-1)?.data).toMatchObject({
        message_id,
        tokens_used: { total_tokens: expect.any(Number) },
        execution_time_ms: expect.any(Number),
      });
    });

    it('the arguments of a call in fragments that make its JSON', async () => {
      const input = { pattern: '**/*.{ts,md}', path: '.' };
      const message = `[[tool=glob ${JSON.stringify(input)}]] [[args=5]]`;
      const frames = await (await client.stream({ message })).all();
      const start = frames.find(({ event }) => event === 'tool_call_start');
      const fragments = frames.filter(({ event }) => event === 'tool_call_args');
      expect(start?.data).toMatchObject({ name: 'glob' });
      for (const { data } of fragments) {
        expect(data['tool_call_id']).toBe(start?.data['tool_call_id']);
      }
      const args = fragments.map(({ data }) => data['args_delta']).join('');
      expect(JSON.parse(args)).toEqual(input);
    });

    it('an error where the turn fails, and nothing after it', async () => {
      const message = '[[tokens=20 gap=1]] [[fail=529 after=10]]';
      const frames = await (await client.stream({ message })).all();
      expect(frames.at(-1)).toMatchObject({
        event: 'error',
        data: {
          type: expect.stringMatching(/\/errors\/sdk-failure$/),
          title: 'Agent error',
          detail: expect.stringMatching(/./),
          retryable: true,
          requestId: expect.stringMatching(/^req_/),
        },
      });
      expect(frames.filter(({ event }) => event === 'stream_end')).toEqual([]);
      const whole = await client.chat({ message });
      expect(whole.status).toBeGreaterThanOrEqual(500);
      expectProblem(whole, 'sdk-failure', whole.status);
      expect(whole.body['detail']).toBe(frames.at(-1)?.data['detail']);
    });

    it('the rest after any frame, and none twice', async () => {
      const message = '[[tool=glob {"pattern":"*"}]] [[tokens=3]]';
      const whole = await client.stream({ message });
      const frames = await whole.all();
      const messageId = String(frames[0]?.data['message_id']);
      expect(await (await client.follow(messageId)).all()).toEqual(frames);
      for (const [index, frame] of frames.entries()) {
        const rest = await (await client.follow(messageId, frame.id)).all();
        expect(rest).toEqual(frames.slice(index + 1));
      }
      const after = encodeURIComponent(frames.at(-2)?.id ?? '');
      const path = `/agent/WORKING_ITEMS/chat/stream/${messageId}?after=${after}`;
      const text = await (await fetch(server.url + path)).text();
      expect(text.match(/^event: .*$/gm)).toEqual(['event: stream_end']);
    });

    it('the rest after a cut, while the turn goes on', async () => {
      const first = await client.stream({ message: '[[tokens=60 gap=30]]' });
      await first.until('message_delta');
      const messageId = first.header('x-message-id');
      first.leave();
      const received = [...first.frames];
      const second = await client.follow(messageId, received.at(-1)?.id);
      await second.all();
      const replay = await (await client.follow(messageId)).all();
      expect([...received, ...second.frames]).toEqual(replay);
      expect(replay.at(-1)?.event).toBe('stream_end');
    });

    it('one turn for a key that is sent twice', async () => {
      const begun = await client.chat({ message: 'Hello' });
      const body = { message: '[[tokens=20 gap=5]]', session_id: begun.body['session_id'] };
      const key = { 'idempotency-key': 'once' };
      const readers = [await client.stream(body, key), await client.stream(body, key)];
      const [one, other] = await Promise.all(readers.map((reader) => reader.all()));
      expect(one).toEqual(other);
    });
  });

  describe('takes files', () => {
    it('as base64 in JSON', async () => {
      const file = { content: png.toString('base64'), mime_type: 'image/png', filename: 'a.png' };
      const { status } = await client.chat({ message: 'Look', files: [file] });
      expect(status).toBe(200);
      expect(lastRequest()).toContain('"media_type":"image/png"');
    });

    it('without words', async () => {
      const form = new FormData();
      form.set('message', ' ');
      form.append('files', new Blob(['Grüße'], { type: 'text/plain' }), 'notes.txt');
      expect((await client.form(form, 'chat')).status).toBe(200);
      expect(lastRequest()).toContain('Grüße');
    });

    it.each(['chat', 'chat/multipart'])('as form data to %s', async (path) => {
      const form = new FormData();
      form.set('message', 'Look');
      form.append('files', new Blob([png], { type: 'image/png' }), 'a.png');
      form.append('files', new Blob(['Grüße'], { type: 'text/plain' }), 'notes.txt');
      const { status } = await client.form(form, path);
      expect(status).toBe(200);
      expect(lastRequest()).toContain('"media_type":"image/png"');
      expect(lastRequest()).toContain('Grüße');
    });
  });

  describe('deletes a session', () => {
    it('as often as it is asked to', async () => {
      const { body } = await client.chat({ message: 'Hello' });
      const session_id = String(body['session_id']);
      for (const _time of [1, 2]) {
        const { status, body: none } = await client.forget(session_id);
        expect([status, none]).toEqual([204, {}]);
      }
      const again = await client.chat({ message: 'Hello', session_id });
      expect(again.body['session_id']).not.toBe(session_id);
    });

    it('of its own only', async () => {
      const sessionId = await server.client.createSession(server.projectRoot);
      expect((await client.forget(toUlid(sessionId))).status).toBe(204);
      const { status } = await server.client.get(`/api/harness/session/${sessionId}`);
      expect(status).toBe(200);
    });

    it.each(['mine', unknownUlid.toLowerCase()])('unless its id is none: %s', async (id) => {
      expectProblem(await client.forget(id), 'invalid-request', 400);
    });
  });
});
