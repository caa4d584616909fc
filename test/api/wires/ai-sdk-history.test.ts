import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { UIMessage } from 'ai';
import { eq } from 'drizzle-orm';
import { TurnpikeChatTransport } from '../../../src/client/chat-transport.js';
import { turnArchives } from '../../../src/storage/transcript-schema.js';
import {
  headlessChats,
  inEachVersion,
  type HeadlessChat,
} from '../../support/clients/headless-chat.js';
import {
  aiSdkVersions,
  VERSION_FIELD,
  type AiSdkVersion,
} from '../../../src/wires/ai-sdk/dialect/ai-sdk-version.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

interface Page {
  messages: UIMessage[];
  activeTurnId: string | null;
  before?: string;
}

const say = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });

/** What a person sees of a part. */
const shown = (part: UIMessage['parts'][number]): unknown => [
  part.type,
  'text' in part ? part.text : '',
  'output' in part ? part.output : '',
];

/** A message as JSON has it. */
const sent = (message: UIMessage | undefined): unknown =>
  message === undefined ? undefined : JSON.parse(JSON.stringify(message));

describe('the history of an AI SDK chat', () => {
  const server = useServer();
  const write = (file: string): string => `[[tool=write {"file_path":"${file}","content":"x"}]]`;

  function chatsOf(version: AiSdkVersion) {
    const projectRoot = newFolder();
    const open = (id: string = randomUUID(), messages: UIMessage[] = []): HeadlessChat =>
      new headlessChats[version]({
        url: server.url,
        id,
        messages,
        body: { projectRoot, opts: { thinking: true } },
      });
    const read = async (id: string, query = ''): Promise<Page> => {
      const path = `/api/chat/${id}?${VERSION_FIELD}=${version}${query}`;
      const { status, body } = await server.client.get(path);
      expect(status).toBe(200);
      return body as unknown as Page;
    };
    return { open, read, projectRoot };
  }

  describe.each(aiSdkVersions)('of version %s', (version) => {
    const { open, read, projectRoot } = chatsOf(version);

    it('is what its client has, answer by answer, under the client’s own ids', async () => {
      const chat = open();
      await chat.sendMessage({ text: '[[think=3]] [[tokens=5]] [[tool=glob {"pattern":"*"}]]' });
      await chat.sendMessage({ text: '[[tokens=9]] [[fail=529 after=4]]' });
      expect(chat.metadata).toMatchObject({ outcome: 'failed', usage: expect.any(Object) });
      const { messages, activeTurnId, before } = await read(chat.id);
      expect([activeTurnId, before]).toEqual([null, undefined]);
      expect(messages.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
      expect(messages.map(({ parts }) => parts)).toEqual(
        chat.messages.map((message) => (sent(message) as UIMessage).parts),
      );
      const answers = messages.filter(({ role }) => role === 'assistant');
      expect(answers).toEqual([chat.messages[1], chat.messages[3]].map(sent));
    });

    it('has the question that a turn waits for, which a reloaded page answers', async () => {
      const chat = open();
      await chat.sendMessage({ text: write('history.txt') });
      const { messages, activeTurnId } = await read(chat.id);
      // Its stream would add nothing, and undo an answer that the person gives while it comes.
      expect(activeTurnId).toBeNull();
      expect(messages[1]).toEqual(sent(chat.lastMessage));
      const page = open(chat.id, messages);
      const [call] = page.partsOf('dynamic-tool');
      const { id } = Object(call?.['approval']) as { id: string };
      await page.addToolApprovalResponse({ id, approved: true });
      await page.ended();
      expect(page.metadata['outcome']).toBe('completed');
      const after = await read(chat.id);
      expect(after.messages.map((message) => message.id)).toEqual(page.messages.map((m) => m.id));
      expect(after.messages.at(-1)?.metadata).toEqual(page.metadata);
    });

    it('has the turn to follow where the page has a tool to run, which the stream calls', async () => {
      const clientTools = [
        { name: 'pick', description: 'Picks.', inputSchema: { type: 'object' } },
      ];
      const chat = new headlessChats[version]({
        url: server.url,
        body: { projectRoot, clientTools },
      });
      await chat.sendMessage({ text: `${write('beside.txt')} [[tool=pick {}]]` });
      expect(chat.partsOf('tool-pick')).toMatchObject([{ state: 'input-available' }]);
      const { activeTurnId } = await read(chat.id);
      expect(activeTurnId).toBe(chat.metadata['turnId']);
    });

    it('is gone on with where the turn ended meanwhile, by the id of the turn', async () => {
      const chat = open();
      const sending = chat.sendMessage({ text: '[[tokens=60 gap=20]]' });
      await chat.until(() => chat.text.includes('word5'));
      const aiSdk = version === '7-steering' ? version : version === '7' ? 7 : 6;
      const transport = new TurnpikeChatTransport({ url: server.url, aiSdk });
      const { messages, activeTurnId } = await transport.history(chat.id);
      expect(JSON.stringify(messages)).not.toContain('word60');
      await sending;
      const ofPackage = open(chat.id, structuredClone(messages));
      await ofPackage.resumeStream();
      // Nothing runs: only a page that names the turn gets its rest.
      expect(ofPackage.text).not.toContain('word60');
      await ofPackage.resumeStream({ headers: { 'Last-Event-ID': String(activeTurnId) } });
      const page = new headlessChats[version]({
        url: server.url,
        id: chat.id,
        messages,
        transport,
      });
      await page.resumeStream();
      for (const { messages: whole } of [ofPackage, page]) {
        expect(whole.map(sent)).toEqual([sent(messages[0]), sent(chat.lastMessage)]);
      }
      expect(await transport.reconnectToStream({ chatId: chat.id })).toBeNull();
    });

    it('is gone on with to the end of a turn that was stopped while it waited for the page', async () => {
      const clientTools = [
        { name: 'pick', description: 'Picks.', inputSchema: { type: 'object' } },
      ];
      const body = { projectRoot, clientTools };
      const chat = new headlessChats[version]({ url: server.url, body });
      await chat.sendMessage({ text: '[[tool=pick {}]]' });
      const { messages, activeTurnId } = await read(chat.id);
      await server.client.post(`/api/chat/${chat.id}/stop`, '');
      await expectSoon(async () =>
        expect((await read(chat.id)).messages[1]).toMatchObject({
          metadata: { outcome: 'interrupted' },
        }),
      );
      const page = open(chat.id, messages);
      await page.resumeStream({ headers: { 'Last-Event-ID': String(activeTurnId) } });
      expect(page.messages.map(sent)).toEqual([messages[0], (await read(chat.id)).messages[1]]);
    });

    it('comes page by page, the last turns first', async () => {
      const chat = open();
      for (const number of [1, 2, 3]) await chat.sendMessage({ text: `[[tokens=${number}]]` });
      const last = await read(chat.id, '&limit=2');
      expect(last.messages).toEqual(
        chat.messages.slice(2).map((message) => expect.objectContaining({ id: message.id })),
      );
      const first = await read(chat.id, `&limit=2&before=${last.before}`);
      expect(first.messages.map(({ id }) => id)).toEqual(
        chat.messages.slice(0, 2).map((m) => m.id),
      );
      expect(first.before).toBeUndefined();
      const wrong = await server.client.get(`/api/chat/${chat.id}?before=x`);
      expect([wrong.status, wrong.body['error']]).toMatchObject([
        400,
        { type: 'INVALID_REQUEST', message: expect.stringContaining("'before'") },
      ]);
    });

    it('keeps what is left of answers whose events are gone', async () => {
      const chat = open();
      await chat.sendMessage({
        text: '[[think=2]] [[tokens=4]] [[tool=glob {"pattern":"*.none"}]]',
      });
      const turnId = String(chat.metadata['turnId']);
      await server.db.delete(turnArchives).where(eq(turnArchives.turnId, turnId));
      const { messages } = await read(chat.id);
      expect(messages[1]).toMatchObject({
        id: chat.lastMessage?.id,
        metadata: { outcome: 'completed', model: chat.metadata['model'] },
      });
      const kinds = ['reasoning', 'text', 'dynamic-tool'];
      const kept = chat.parts.filter(({ type }) => kinds.includes(type));
      expect(messages[1]?.parts.map(shown)).toEqual(kept.map(shown));
    });

    it('is the caller’s own, in a list of chats', async () => {
      const chat = open(`my/own chat of ${version}`);
      await chat.sendMessage({ text: 'What is the sky? [[tokens=2]]' });
      // A session of another wire is no chat.
      await server.client.createSession(projectRoot);
      const { body } = await server.client.get('/api/chats?limit=1');
      expect(body).toMatchObject({
        chats: [
          {
            id: chat.id,
            sessionId: chat.metadata['sessionId'],
            agent: 'WORKING_ITEMS',
            title: expect.stringContaining('What is the sky?'),
            activeTurnId: null,
          },
        ],
        nextCursor: expect.any(String),
      });
      const found = await read(encodeURIComponent(chat.id));
      expect(found.messages).toHaveLength(2);
      const none = await server.client.get('/api/chat/none');
      expect([none.status, none.body['error']]).toMatchObject([404, { type: 'SESSION_NOT_FOUND' }]);
    });
  });

  it('is gone on with in the middle of an answer', () =>
    inEachVersion(async (version) => {
      const { open, read } = chatsOf(version);
      const chat = open();
      const sending = chat.sendMessage({ text: '[[tokens=400 gap=20]]' });
      await chat.until(() => chat.text.includes('word20'));
      const { messages, activeTurnId } = await read(chat.id);
      expect(activeTurnId).toBe(chat.metadata['turnId']);
      expect(JSON.stringify(messages[1])).toContain('word1 ');
      const page = open(chat.id, messages);
      await Promise.all([page.resumeStream(), sending]);
      expect(page.messages.map(sent)).toEqual([messages[0], sent(chat.lastMessage)]);
      expect((await read(chat.id)).messages[1]).toEqual(sent(chat.lastMessage));
    }));

  it('has a steered message with an answer of its own, which a resumed stream begins with', () =>
    inEachVersion(async (version) => {
      const { open, read } = chatsOf(version);
      const chat = open();
      const sending = chat.sendMessage({
        text: `[[tokens=400 gap=20]] [[tool=glob {"pattern":"a"}]]`,
      });
      await chat.until(() => chat.text.includes('word3'));
      const [asked] = chat.messages;
      const steering = () =>
        fetch(`${server.url}/api/chat`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', [VERSION_FIELD]: version },
          body: JSON.stringify({
            id: chat.id,
            messages: [say('steered-1', 'And this [[tokens=8]]')],
            opts: { onBusy: 'steer' },
          }),
        });
      expect((await steering()).headers.get('x-turn-disposition')).toContain('steered');
      const { messages } = await read(chat.id);
      expect(messages.map(({ id }) => id).slice(0, 3)).toEqual([
        asked?.id,
        chat.lastMessage?.id,
        'steered-1',
      ]);
      const page = open(chat.id, messages.slice(0, 3));
      await Promise.all([page.resumeStream(), sending]);
      expect(page.lastMessage?.id).toMatch(/:msg_/);
      expect(page.text).not.toContain('word150');
      const after = await read(chat.id);
      expect(after.messages.map(({ id }) => id)).toEqual(page.messages.map(({ id }) => id));
      const repeated = await (await steering()).text();
      expect(repeated).toContain(`"messageId":"${page.lastMessage?.id}"`);
      expect(after.messages[3]).toEqual(sent(page.lastMessage));
    }));
});
