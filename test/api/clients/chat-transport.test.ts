import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { UIMessage } from 'ai';
import { TurnpikeChatTransport } from '../../../src/client/chat-transport.js';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { words } from '../../support/clients/run-example.js';
import {
  startFaultyGateway,
  type FaultyGateway,
  type GatewayFaults,
} from '../../support/clients/start-faulty-gateway.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the transport of the AI SDK', () => {
  const server = useServer();

  const transportTo = (url: string): TurnpikeChatTransport =>
    new TurnpikeChatTransport({ url, projectRoot: server.projectRoot });
  const open = (
    transport: TurnpikeChatTransport,
    id: string = randomUUID(),
    messages: UIMessage[] = [],
  ): HeadlessChat => new HeadlessChat({ url: server.url, id, messages, transport });

  async function through<T>(faults: GatewayFaults, use: (gateway: FaultyGateway) => Promise<T>) {
    const gateway = await startFaultyGateway(server.url, faults);
    try {
      return await use(gateway);
    } finally {
      await gateway.close();
    }
  }

  it('goes on after connections that break, and says nothing twice', () =>
    through({ cuts: [5, 3] }, async (gateway) => {
      const chat = open(transportTo(gateway.url));
      await chat.sendMessage({ text: '[[tokens=60 gap=10]]' });
      expect([chat.error, chat.text]).toEqual([undefined, words(60)]);
      expect(gateway.requests.map(({ path }) => path.replace(chat.id, 'ID'))).toEqual([
        '/api/chat',
        '/api/chat/ID/stream',
        '/api/chat/ID/stream',
      ]);
      const cursors = gateway.requests.map(({ headers }) => headers['last-event-id']);
      expect(new Set(cursors).size).toBe(3);
    }));

  it('sends a message again whose answer did not begin, as the same turn', () =>
    through({ refusals: 1 }, async (gateway) => {
      const transport = transportTo(gateway.url);
      const chat = open(transport);
      await chat.sendMessage({ text: '[[tokens=3]]' });
      await chat.regenerate();
      expect([chat.error, chat.text]).toEqual([undefined, words(3)]);
      expect((await transport.history(chat.id)).messages).toHaveLength(2);
      const { sessionId } = chat.metadata as { sessionId: string };
      const url = `/api/harness/sessions/${sessionId}/turns?superseded=show`;
      expect((await server.client.get(url)).body['turns']).toHaveLength(2);
    }));

  it('has the history of a chat, the answer that it is getting, and a stop that ends it', async () => {
    const transport = transportTo(server.url);
    const chat = open(transport);
    expect(await transport.history(chat.id)).toEqual({ messages: [], activeTurnId: null });
    expect(await transport.reconnectToStream({ chatId: chat.id })).toBeNull();
    expect(await transport.stop(chat.id)).toBeUndefined();
    const sending = chat.sendMessage({ text: '[[tokens=5000 gap=10]]' });
    await chat.until(() => chat.text.includes('word5'));
    const { messages, activeTurnId } = await transport.history(chat.id);
    expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
    const page = open(transport, chat.id, messages);
    const resuming = page.resumeStream();
    await page.until(() => page.text.includes('word20'));
    expect(await transport.stop(chat.id)).toMatchObject({ turnId: activeTurnId });
    await Promise.all([resuming, sending]);
    expect(page.metadata).toMatchObject({ outcome: 'interrupted', turnId: activeTurnId });
    expect(page.messages).toHaveLength(2);
    const { chats } = await transport.chats({ limit: 1 });
    expect(chats).toMatchObject([{ id: chat.id, activeTurnId: null }]);
  });

  it('sends answers, and only what the server lacks', () =>
    through({}, async (gateway) => {
      const chat = open(transportTo(gateway.url));
      await chat.sendMessage({ text: '[[tokens=2]]' });
      await chat.sendMessage({ text: '[[tool=write {"file_path":"t.txt","content":"x"}]]' });
      const [call] = chat.partsOf('dynamic-tool');
      const { id } = Object(call?.['approval']) as { id: string };
      await chat.addToolApprovalResponse({ id, approved: true });
      await chat.ended();
      expect([chat.error, chat.metadata['outcome']]).toEqual([undefined, 'completed']);
      expect(gateway.requests).toHaveLength(3);
    }));

  it('leaves a turn whose page leaves, which a resumed page follows to its end', async () => {
    const transport = transportTo(server.url);
    const chat = open(transport);
    const sending = chat.sendMessage({ text: '[[tokens=200 gap=15]]' });
    await chat.until(() => chat.text.includes('word3'));
    await chat.stop();
    await sending;
    const page = open(transport, chat.id);
    await page.resumeStream();
    expect(page.text).toBe(words(200));
  });

  it('throws what the server refuses', async () => {
    const transport = new TurnpikeChatTransport({ url: server.url, opts: { onBusy: 'reject' } });
    const chat = open(transport);
    const sending = chat.sendMessage({ text: '[[tokens=2000 gap=15]]' });
    await chat.until(() => chat.text.includes('word3'));
    const second = open(transport, chat.id);
    await second.sendMessage({ text: 'And?' });
    expect(second.error).toMatchObject({ name: 'TurnpikeError', code: 'TURN_IN_PROGRESS' });
    await chat.stop();
    await sending;
  });
});
