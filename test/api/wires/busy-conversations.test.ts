import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import type { RunFinishedEvent } from '@ag-ui/core';
import { describe, expect, it } from '@jest/globals';
import type { UIMessage } from 'ai';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { StreamReader } from '../../support/clients/read-stream.js';
import { type TestServer, useServer } from '../../support/processes/start-server.js';

const saysWord3 = ({ data }: { data: unknown }): boolean => JSON.stringify(data).includes('word3');
const longReply = '[[tokens=4000 gap=20]]';

describe('a message to a conversation whose turn has not ended', () => {
  // Whoever leaves has left for good only after this: no test waits for it.
  const server = useServer({ environment: { TURNPIKE_DISCONNECT_GRACE_MS: '60000' } });

  const inProject = (file: string): string => path.join(server.projectRoot, file);
  const write = (file: string): string => `[[tool=write {"file_path":"${file}","content":"x"}]]`;
  const post = async (route: string, body: object): Promise<StreamReader> => {
    const connection = new AbortController();
    const response = await fetch(server.url + route, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      signal: connection.signal,
    });
    return new StreamReader(response, connection);
  };
  const statusOf = async (turnId: unknown): Promise<unknown> => {
    const { body } = await server.client.get(`/api/harness/turns/${String(turnId)}`);
    return (body['turn'] as { status: string }).status;
  };
  const turnOf = ({ frames }: StreamReader): string | undefined => frames[0]?.id.split(':')[0];
  const askedLast = (): string => JSON.stringify(server.modelRequests.at(-1)?.body.messages);

  const textMessage = (id: string, text: string) => ({
    id,
    role: 'user',
    parts: [{ type: 'text', text }],
  });

  /** What a conversation of each wire is sent: a message after another one. */
  const wires: [string, (server: TestServer) => Promise<(text: string) => [string, object]>][] = [
    [
      'the AI SDK',
      (): Promise<(text: string) => [string, object]> => {
        const id = randomUUID();
        return Promise.resolve((text) => [
          '/api/chat',
          { id, messages: [textMessage(randomUUID(), text)] },
        ]);
      },
    ],
    [
      'AG-UI',
      (): Promise<(text: string) => [string, object]> => {
        const threadId = randomUUID();
        return Promise.resolve((text) => [
          '/awp',
          {
            threadId,
            runId: randomUUID(),
            messages: [{ id: randomUUID(), role: 'user', content: text }],
            tools: [],
            context: [],
          },
        ]);
      },
    ],
    [
      'named agents',
      async (): Promise<(text: string) => [string, object]> => {
        const route = '/agent/WORKING_ITEMS/chat/stream';
        const begun = await post(route, { message: 'Hello' });
        const session = begun.header('x-session-id');
        await begun.all();
        return (message) => [route, { message, session_id: session }];
      },
    ],
    [
      'the harness',
      async ({ client, projectRoot }): Promise<(text: string) => [string, object]> => {
        const { body } = await client.post('/api/harness/session/create', { projectRoot });
        const { sessionId } = body['session'] as { sessionId: string };
        return (message) => ['/api/harness/turn', { sessionId, message, opts: {} }];
      },
    ],
  ];

  it.each(wires)('comes on %s right after a turn whose reader left', async (_wire, begin) => {
    const say = await begin(server);
    const first = await post(...say(longReply));
    await first.until(saysWord3);
    first.leave();
    const next = await post(...say('[[tokens=2]]'));
    expect(next.response.status).toBe(200);
    await next.all();
    expect(await statusOf(turnOf(first))).toBe('interrupted');
    expect(await statusOf(turnOf(next))).toBe('completed');
  });

  it.each(wires.slice(0, 3))('is held on %s while a second reader is there', async (_w, begin) => {
    const say = await begin(server);
    const first = await post(...say('[[tokens=300 gap=20]]'));
    await first.until(saysWord3);
    const next = await post(...say('[[tokens=2]]'));
    expect(next.response.status).toBe(200);
    await Promise.all([first.all(), next.all()]);
    expect(await statusOf(turnOf(first))).toBe('completed');
    expect(await statusOf(turnOf(next))).toBe('completed');
  });

  it('is refused on the harness beside a turn that is read, with the ways to go on', async () => {
    const say = await wires[3]?.[1](server);
    const [route, body] = say?.('[[tokens=300 gap=20]]') ?? ['', {}];
    const first = await post(route, body);
    const refused = await server.client.post(route, body);
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toMatchObject([
      409,
      '2',
      {
        error: {
          type: 'TURN_IN_PROGRESS',
          retryable: true,
          retryAfterMs: 2_000,
          message: expect.stringMatching(/onBusy.*interrupt/),
        },
      },
    ]);
    await first.all();
  });

  describe('beside an open question', () => {
    it('is answered on the AI SDK with the question, which the page can answer', async () => {
      const body = { projectRoot: server.projectRoot, opts: { mode: 'direct' } };
      const chat = new HeadlessChat({ url: server.url, id: randomUUID(), body });
      await chat.sendMessage({ text: write('beside.txt') });
      await chat.sendMessage({ text: 'Mind the gap' });
      expect([chat.status, chat.error]).toEqual(['ready', undefined]);
      expect(existsSync(inProject('beside.txt'))).toBe(false);
      expect(chat.partsOf('dynamic-tool')).toMatchObject([{ state: 'approval-requested' }]);
      const { body: page } = await server.client.get(`/api/chat/${chat.id}`);
      const messages = page['messages'] as UIMessage[];
      expect(page['activeTurnId']).toBeNull();
      expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
      const calls = messages.flatMap(({ parts }) => parts.filter((one) => 'toolCallId' in one));
      expect(calls).toHaveLength(1);
      // A page that was loaded anew answers as the first one would.
      const reloaded = new HeadlessChat({ url: server.url, id: chat.id, body, messages });
      const [call] = reloaded.partsOf('dynamic-tool');
      const { id } = Object(call?.['approval']) as { id: string };
      await reloaded.addToolApprovalResponse({ id, approved: true });
      await reloaded.ended();
      expect(reloaded.messages).toHaveLength(4);
      expect(existsSync(inProject('beside.txt'))).toBe(true);
      expect(askedLast()).toContain('Mind the gap');
    });

    it('has the tool of the page asked for again', async () => {
      const pick = { name: 'pick', description: 'Picks', inputSchema: { type: 'object' } };
      const body = { projectRoot: server.projectRoot, clientTools: [pick] };
      const chat = new HeadlessChat({ url: server.url, id: randomUUID(), body });
      await chat.sendMessage({ text: '[[tool=pick {}]]' });
      await chat.sendMessage({ text: 'Hurry up' });
      const [call] = chat.partsOf('tool-pick');
      expect(call).toMatchObject({ state: 'input-available' });
      const toolCallId = String(call?.['toolCallId']);
      await chat.addToolOutput({ tool: 'pick', toolCallId, output: 'red' });
      await chat.ended();
      expect(chat.metadata['outcome']).toBe('completed');
      expect(askedLast()).toMatch(/red.*Hurry up/);
    });

    it('ends its run of AG-UI with the interrupts, which the next run answers', async () => {
      const agent = new HttpAgent({ url: `${server.url}/awp` });
      const props = { projectRoot: server.projectRoot, opts: { mode: 'direct' } };
      const forwardedProps = { turnpike: props };
      const ends: RunFinishedEvent[] = [];
      agent.subscribe({ onRunFinishedEvent: ({ event }) => void ends.push(event) });
      agent.addMessage({ id: '1', role: 'user', content: write('run.txt') });
      await agent.runAgent({ forwardedProps });
      const sent = {
        threadId: agent.threadId,
        runId: randomUUID(),
        messages: [...agent.messages, { id: '2', role: 'user', content: 'Mind the gap' }],
        tools: [],
        context: [{ description: 'Page', value: 'two of nine' }],
        forwardedProps,
      };
      const beside = await post('/awp', sent);
      const frames = await beside.all();
      expect(frames.map(({ data }) => data['type'])).toContain('RUN_STARTED');
      const end = frames.at(-1)?.data;
      expect(end).toMatchObject({ outcome: ends[0]?.outcome });
      const again = new StreamReader(
        await fetch(server.url + beside.header('location')),
        new AbortController(),
      );
      expect((await again.all()).at(-1)?.data).toEqual(end);
      expect(existsSync(inProject('run.txt'))).toBe(false);
      const outcome = end?.['outcome'] as { interrupts: { id: string }[] } | undefined;
      const interrupts = outcome?.interrupts ?? [];
      await agent.runAgent({
        forwardedProps,
        resume: interrupts.map(({ id: interruptId }) => ({
          interruptId,
          status: 'resolved',
          payload: { approved: true },
        })),
      });
      expect(existsSync(inProject('run.txt'))).toBe(true);
      expect(askedLast()).toContain('Mind the gap');
      expect(askedLast()).not.toContain('two of nine');
      const { system } = server.modelRequests.at(-1)?.body ?? {};
      expect(JSON.stringify(system)).toContain('two of nine');
    });

    it.each(['enqueue', 'steer'])('says something at once where it is to %s', async (onBusy) => {
      const id = randomUUID();
      const body = { projectRoot: server.projectRoot, opts: { mode: 'direct' } };
      await new HeadlessChat({ url: server.url, id, body }).sendMessage({
        text: write('held.txt'),
      });
      const next = { id, messages: [textMessage('m2', 'Next')], opts: { onBusy } };
      const stream = await post('/api/chat', next);
      await stream.until(({ data }) => data['type'] === 'start');
      await server.client.post(`/api/chat/${id}/stop`, '');
      await stream.all();
    });

    it('is held with its files, and comes after the turn', async () => {
      const id = randomUUID();
      const body = { projectRoot: server.projectRoot, opts: { mode: 'direct' } };
      const chat = new HeadlessChat({ url: server.url, id, body });
      await chat.sendMessage({ text: write('filed.txt') });
      const file = { type: 'file', mediaType: 'text/plain', url: 'data:text/plain,A%20tale' };
      const stream = await post('/api/chat', {
        id,
        messages: [{ id: 'm2', role: 'user', parts: [file] }],
      });
      expect(stream.header('x-turn-disposition')).toBe('enqueued; position=1');
      await server.client.post(`/api/chat/${id}/stop`, '');
      await stream.all();
      expect(askedLast()).toContain('A tale');
      expect(existsSync(inProject('filed.txt'))).toBe(false);
    });
  });

  it('takes the place of a turn that runs or asks, which ends first', async () => {
    const body = { projectRoot: server.projectRoot, opts: { mode: 'direct' } };
    for (const text of [longReply, write('again.txt')]) {
      const chat = new HeadlessChat({ url: server.url, id: randomUUID(), body });
      const sending = chat.sendMessage({ text });
      await chat.until(
        () => chat.text.includes('word3') || chat.partsOf('data-approval').length > 0,
      );
      await chat.stop();
      await sending;
      const replaced = chat.metadata['turnId'];
      const edited = chat.messages[0]?.id ?? '';
      await chat.sendMessage({ text: '[[tokens=2]]', messageId: edited });
      expect([chat.text, chat.metadata['outcome']]).toEqual(['word1 word2', 'completed']);
      expect(await statusOf(replaced)).toBe('interrupted');
      expect(existsSync(inProject('again.txt'))).toBe(false);
    }
  });

  it('does not end a turn where what it is to replace is not there', async () => {
    const id = randomUUID();
    const first = await post('/api/chat', { id, messages: [textMessage('m1', longReply)] });
    await first.until(saysWord3);
    const unknown = 'turn_01a217d8-d439-7137-b74c-b9459c15d693';
    const refused = await server.client.post('/api/chat', {
      id,
      messages: [textMessage('m2', 'Instead')],
      opts: { replaces: unknown },
    });
    expect(refused.status).toBe(404);
    expect(await statusOf(turnOf(first))).toBe('running');
    first.leave();
  });
});
