import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { UIMessage } from 'ai';
import { TurnpikeChatTransport } from '../../../src/client/chat-transport.js';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const text = (said: string) => ({ type: 'text', text: said });

/** A conversation with a picture, calls in two steps, and an address that nobody fetches; in the words of each wire. */
const histories: Record<'the AI SDK' | 'AG-UI', object[]> = {
  'the AI SDK': [
    { id: 's', role: 'system', parts: [text('Be a pirate.')] },
    { id: 'a0', role: 'assistant', parts: [text('How can I help?')] },
    {
      id: 'u1',
      role: 'user',
      parts: [
        text('The code word is BLAUBART.'),
        { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${png}` },
        { type: 'file', mediaType: 'image/png', filename: 'b.png', url: 'https://example.com/b' },
        { type: 'data-own', data: 1 },
      ],
    },
    {
      id: 'a1',
      role: 'assistant',
      metadata: { discarded: ['void'] },
      parts: [
        { type: 'step-start' },
        { ...text('Twice'), providerMetadata: { turnpike: { id: 'void' } } },
        { type: 'reasoning', text: 'I think' },
        text('I look.'),
        {
          type: 'tool-look.up',
          toolCallId: 'c 1',
          state: 'output-available',
          input: { q: 1 },
          output: { n: 7 },
        },
        {
          type: 'dynamic-tool',
          toolName: 'cut',
          toolCallId: 'c2',
          state: 'output-error',
          input: {},
          errorText: 'blunt',
        },
        { type: 'step-start' },
        { type: 'tool-wait', toolCallId: 'c3', state: 'input-available', input: {} },
      ],
    },
  ],
  'AG-UI': [
    { id: 's', role: 'system', content: 'Be a pirate.' },
    { id: 'a0', role: 'assistant', content: 'How can I help?' },
    {
      id: 'u1',
      role: 'user',
      content: [
        text('The code word is BLAUBART.'),
        { type: 'image', source: { type: 'data', value: png, mimeType: 'image/png' } },
        {
          type: 'image',
          source: { type: 'url', value: 'https://example.com/b', mimeType: 'image/png' },
          metadata: { filename: 'b.png' },
        },
      ],
    },
    { id: 'r', role: 'reasoning', content: 'I think' },
    {
      id: 'a1',
      role: 'assistant',
      content: 'I look.',
      toolCalls: [
        { id: 'c 1', type: 'function', function: { name: 'look.up', arguments: '{"q":1}' } },
        { id: 'c2', type: 'function', function: { name: 'cut', arguments: '' } },
      ],
    },
    { id: 't1', role: 'tool', toolCallId: 'c 1', content: '{"n":7}' },
    { id: 't2', role: 'tool', toolCallId: 'c2', content: '', error: 'blunt' },
    {
      id: 'a2',
      role: 'assistant',
      toolCalls: [{ id: 'c3', type: 'function', function: { name: 'wait', arguments: '{}' } }],
    },
  ],
};
type Wire = keyof typeof histories;
const wires: Wire[] = ['the AI SDK', 'AG-UI'];
const picture = '<image>';
const missing = '[The file b.png is missing here: its bytes were not sent]';

describe('a conversation that the server does not have', () => {
  const server = useServer();

  const post = async (path: string, body: object): Promise<StreamReader> => {
    const connection = new AbortController();
    const response = await fetch(server.url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      signal: connection.signal,
    });
    return new StreamReader(response, connection);
  };
  /** Sends a conversation of a wire, with a message at its end. */
  const send = async (wire: Wire, id: string, messages: object[], more: object = {}) => {
    const reader =
      wire === 'AG-UI'
        ? await post('/awp', {
            threadId: id,
            runId: randomUUID(),
            messages,
            tools: [],
            context: [],
            ...more,
          })
        : await post('/api/chat', { id, messages, ...more });
    expect(reader.response.status).toBe(200);
    await reader.all();
    return reader;
  };
  const user = (wire: Wire, id: string, said: string) =>
    wire === 'AG-UI'
      ? { id, role: 'user', content: said }
      : { id, role: 'user', parts: [text(said)] };
  const lastRequest = () => {
    const body = server.modelRequests.at(-1)?.body;
    if (body === undefined) throw new Error('The model was not asked');
    return body;
  };
  /** What the model was sent, a line a message. */
  const sent = () =>
    lastRequest().messages.map(({ role, content }) => {
      const blocks = typeof content === 'string' ? [text(content)] : content;
      const parts = blocks.map((block) => {
        if (block.type === 'text') return 'text' in block ? block.text : '';
        const given = 'content' in block ? block.content : undefined;
        return typeof given === 'string' ? `<${given}>` : `<${block.type}>`;
      });
      return `${role}: ${parts.join('|')}`;
    });

  it.each(wires)('reaches the model on %s as messages with their roles', async (wire) => {
    await send(wire, randomUUID(), [...histories[wire], user(wire, 'u2', 'Say it')]);
    expect(sent().slice(-6)).toEqual([
      'assistant: How can I help?',
      `user: The code word is BLAUBART.|${picture}|${missing}`,
      'assistant: I look.|<tool_use>|<tool_use>',
      'user: <{"n":7}>|<blunt>',
      'assistant: <tool_use>',
      'user: <This call was not run: the turn ended before it.>|Say it',
    ]);
    expect(JSON.stringify(lastRequest().system)).toContain('Be a pirate.');
    expect(JSON.stringify(lastRequest().messages)).not.toContain('pirate');
  });

  it.each(wires)('is told on %s once, and again after it was deleted', async (wire) => {
    const id = randomUUID();
    const [first, second, third] = ['one', 'two', 'three'].map((said) => user(wire, said, said));
    const reply = { id: 'r', role: 'assistant', content: 'yes', parts: [text('yes')] };
    const asked = [first, reply, second].flatMap((one) => one ?? []);
    const begun = await send(wire, id, asked);
    expect(sent().slice(-3)).toEqual(['user: one', 'assistant: yes', 'user: two']);
    const whole = [...asked, reply, ...(third === undefined ? [] : [third])];
    await send(wire, id, whole);
    expect(sent().filter((line) => line === 'user: one')).toHaveLength(1);
    const session = `/api/harness/session/${begun.header('x-session-id') ?? ''}`;
    const deleted = await server.client.request('DELETE', session);
    expect(deleted.status).toBe(200);
    await send(wire, id, [...whole, reply, user(wire, 'four', 'four')]);
    const said = sent().filter((line) => line.startsWith('user: '));
    expect(said).toEqual(['user: one', 'user: two', 'user: three', 'user: four']);
  });

  it('is one turn where the request comes twice, with what it tells or without', async () => {
    const [id, reply] = [randomUUID(), { id: 'r', role: 'assistant', parts: [text('yes')] }];
    const [one, two] = [user('the AI SDK', 'x1', 'one'), user('the AI SDK', 'x2', 'two')];
    const first = await send('the AI SDK', id, [one, reply, two]);
    const again = await send('the AI SDK', id, [one, reply, two]);
    const short = await send('the AI SDK', id, [two]);
    const turns = [first, again, short].map((reader) => reader.header('x-turn-id'));
    expect(new Set(turns).size).toBe(1);
  });

  it('has its messages under the ids of the page, which may edit them', async () => {
    const reply: UIMessage = { id: 'r', role: 'assistant', parts: [{ type: 'text', text: 'yes' }] };
    const one: UIMessage = { id: 'x1', role: 'user', parts: [{ type: 'text', text: 'one' }] };
    const chat = new HeadlessChat({
      url: server.url,
      id: randomUUID(),
      messages: [one, reply],
      body: { projectRoot: server.projectRoot },
    });
    await chat.sendMessage({ text: 'two' });
    const { body } = await server.client.get(`/api/chat/${chat.id}`);
    const shown = (body['messages'] as UIMessage[]).map(({ id, role }) => [id, role]);
    expect([shown[0], shown.length]).toEqual([['x1', 'user'], 4]);
    await chat.sendMessage({ text: 'uno', messageId: 'x1' });
    expect(sent()).toEqual(['user: uno']);
  });

  it('may name files that the server has of another conversation', async () => {
    const source = { type: 'data', value: png, mimeType: 'image/png' };
    const threadId = randomUUID();
    const content = [text('Look'), { type: 'image', source }];
    await send('AG-UI', threadId, [{ id: 'f1', role: 'user', content }]);
    const snapshot = await send('AG-UI', threadId, []);
    const shown = snapshot.frames.find(({ data }) => data['type'] === 'MESSAGES_SNAPSHOT');
    const messages = shown?.data['messages'] as object[];
    expect(JSON.stringify(messages)).toContain('/api/harness/attachments/file_');
    await send('AG-UI', randomUUID(), [...messages, user('AG-UI', 'f2', 'Again')]);
    expect(sent()[0]).toBe(`user: Look|${picture}`);
  });

  it('goes on on AG-UI from what a tool of the client gave', async () => {
    const [called = {}, ...given] = histories['AG-UI'].slice(4);
    const messages = [user('AG-UI', 'u', 'q'), called, ...given.slice(0, 2)];
    await send('AG-UI', randomUUID(), messages);
    expect(sent().at(-1)).toBe('user: <{"n":7}>|<blunt>');
    await send('AG-UI', randomUUID(), given.slice(0, 1));
    expect(sent().slice(-2)).toEqual(['assistant: <tool_use>', 'user: <{"n":7}>']);
  });

  it('has instructions of the application, which the transport sends each time', async () => {
    const system: UIMessage = { id: 's', role: 'system', parts: [{ type: 'text', text: 'Arr.' }] };
    const transport = new TurnpikeChatTransport({
      url: server.url,
      projectRoot: server.projectRoot,
    });
    const chat = new HeadlessChat({
      url: server.url,
      id: randomUUID(),
      messages: [system],
      transport,
    });
    for (const said of ['one', 'two']) {
      await chat.sendMessage({ text: said });
      expect(JSON.stringify(lastRequest().system)).toContain('Arr.');
      expect(JSON.stringify(lastRequest().messages)).not.toContain('Arr.');
    }
  });

  it.each<[Wire, object]>([
    ['the AI SDK', { temperature: 1, system: 'x', modle: 'y', none: null }],
    ['AG-UI', { temperature: 1, system: 'x', modle: 'y', none: null }],
  ])('says on %s which fields of the request have no effect', async (wire, more) => {
    const odd = await send(wire, randomUUID(), [user(wire, 'u', 'Hi')], more);
    const notice = odd.frames.find(({ data }) => JSON.stringify(data).includes('options-ignored'));
    const said = JSON.stringify(notice?.data);
    for (const field of ['temperature', 'system', 'modle']) expect(said).toContain(`${field} had`);
    expect(said).not.toContain('none had');
    const known = { trigger: 'submit-message', messageId: 'x' };
    const plain = await send(
      wire,
      randomUUID(),
      [user(wire, 'u', 'Hi')],
      wire === 'AG-UI' ? {} : known,
    );
    expect(JSON.stringify(plain.frames)).not.toContain('options-ignored');
  });
});
