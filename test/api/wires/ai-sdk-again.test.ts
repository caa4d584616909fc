import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { UIMessage } from 'ai';
import { TurnpikeChatTransport } from '../../../src/client/chat-transport.js';
import { headlessChats, type HeadlessChat } from '../../support/clients/headless-chat.js';
import { VERSION_FIELD } from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';
import { useServer } from '../../support/processes/start-server.js';

describe.each(['6', '7'] as const)(
  'a chat of version %s whose message is said again',
  (version) => {
    const server = useServer();

    const body = () => ({ projectRoot: server.projectRoot });
    const open = (id: string = randomUUID(), messages: UIMessage[] = []): HeadlessChat =>
      new headlessChats[version]({ url: server.url, id, messages, body: body() });
    async function historyOf({ id }: HeadlessChat): Promise<UIMessage[]> {
      const { body: page } = await server.client.get(`/api/chat/${id}?${VERSION_FIELD}=${version}`);
      return page['messages'] as UIMessage[];
    }
    const shape = (messages: readonly UIMessage[]) =>
      messages.map(({ id, role, parts }) => [
        id,
        role,
        parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
      ]);
    /** What the model was asked last: the texts of the user, without what the server adds. */
    function askedLast(): string {
      return JSON.stringify(server.modelRequests.at(-1)?.body.messages);
    }

    it('has one answer to it: a regenerated one replaces the first, in the page, the history and the request', async () => {
      const chat = open();
      await chat.sendMessage({ text: 'First [[tokens=2]]' });
      await chat.sendMessage({ text: 'Second [[tokens=3]]' });
      await chat.regenerate();
      expect(chat.messages).toHaveLength(4);
      expect(shape(await historyOf(chat))).toEqual(shape(chat.messages));
      expect(askedLast().split('Second [[')).toHaveLength(2);
      // An answer in the middle takes with it what came after it, as in the page.
      await chat.regenerate({ messageId: chat.messages[1]?.id ?? '' });
      expect(chat.messages).toHaveLength(2);
      expect(shape(await historyOf(chat))).toEqual(shape(chat.messages));
      expect(askedLast()).not.toContain('Second');
    });

    it('has the edited message in place of the first, under its id', async () => {
      const chat = open();
      await chat.sendMessage({ text: 'Keep [[tokens=1]]' });
      await chat.sendMessage({ text: 'Wrong [[tokens=2]]' });
      await chat.sendMessage({ text: 'After [[tokens=3]]' });
      const messageId = chat.messages[2]?.id ?? '';
      await chat.sendMessage({ text: 'Right [[tokens=4]]', messageId });
      expect(chat.messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
      expect(shape(await historyOf(chat))).toEqual(shape(chat.messages));
      expect(askedLast()).toContain('Keep');
      expect(askedLast()).not.toMatch(/Wrong|After/);
    });

    it('is found by the ids of a history that was loaded', async () => {
      const chat = open();
      await chat.sendMessage({ text: 'Hello [[tokens=2]]' });
      const reloaded = open(chat.id, await historyOf(chat));
      await reloaded.regenerate();
      expect(shape(await historyOf(chat))).toEqual(shape(reloaded.messages));
      expect(reloaded.messages).toHaveLength(2);
    });

    it('replaces once, though its request is repeated', async () => {
      const chat = open();
      await chat.sendMessage({ text: 'Hello [[tokens=2]]' });
      const [asked] = chat.messages;
      const again = { id: chat.id, messages: [asked], trigger: 'regenerate-message', ...body() };
      const send = () =>
        server.client.post('/api/chat', again, {
          'idempotency-key': 'same',
          accept: 'text/event-stream',
        });
      const [one, two] = [await send(), await send()];
      expect([one.status, two.status]).toEqual([200, 200]);
      expect(two.headers.get('x-turn-id')).toBe(one.headers.get('x-turn-id'));
      expect(await historyOf(chat)).toHaveLength(2);
    });

    it('is refused where it was steered into a turn, with the message that began the turn', async () => {
      const chat = open();
      const first = {
        id: 'first-1',
        role: 'user',
        parts: [{ type: 'text', text: 'Long [[stall=60000]]' }],
      };
      const say = (message: object, more: object = {}) =>
        fetch(`${server.url}/api/chat`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: chat.id, messages: [message], ...body(), ...more }),
        });
      const running = await say(first);
      const steered = {
        id: 'steered-1',
        role: 'user',
        parts: [{ type: 'text', text: 'And this' }],
      };
      const joined = await say(steered, { opts: { onBusy: 'steer' } });
      expect(joined.headers.get('x-turn-disposition')).toContain('steered');
      await server.client.post(`/api/chat/${chat.id}/stop`, {});
      await Promise.all([running.text(), joined.text()]);
      const turnId = running.headers.get('x-turn-id');
      const [, , , answer] = await historyOf(chat);
      const again = { trigger: 'regenerate-message', ...(answer && { messageId: answer.id }) };
      for (const more of [again, { messageId: steered.id }]) {
        const refused = await say(steered, more);
        expect([refused.status, await refused.json()]).toMatchObject([
          400,
          { error: { type: 'INVALID_REQUEST', details: { turnId, messageId: first.id } } },
        ]);
      }
      // The turn itself is replaced as any other.
      const replaced = await say(
        { ...first, parts: [{ type: 'text', text: 'Short [[tokens=1]]' }] },
        { messageId: first.id },
      );
      await replaced.text();
      expect((await historyOf(chat)).map(({ role }) => role)).toEqual(['user', 'assistant']);
    });

    it('is a new one where the server never had it', async () => {
      const chat = open();
      await chat.sendMessage({ text: 'Hello [[tokens=2]]' });
      const lost = {
        id: 'lost',
        role: 'user' as const,
        parts: [{ type: 'text' as const, text: 'Lost' }],
      };
      const reloaded = open(chat.id, [...chat.messages, lost]);
      await reloaded.regenerate();
      expect(shape(await historyOf(chat))).toEqual(shape(reloaded.messages));
      expect(reloaded.messages).toHaveLength(4);
    });

    it('is replaced through the transport of the typed client as well', async () => {
      const transport = new TurnpikeChatTransport({ url: server.url, ...body() });
      const chat = new headlessChats[version]({ url: server.url, id: randomUUID(), transport });
      await chat.sendMessage({ text: 'Hello [[tokens=2]]' });
      await chat.regenerate();
      expect(shape(await historyOf(chat))).toEqual(shape(chat.messages));
      expect(chat.messages).toHaveLength(2);
    });
  },
);
