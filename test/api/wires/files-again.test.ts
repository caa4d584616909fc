import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { FileUIPart, UIMessage } from 'ai';
import { makeKey } from '../../support/clients/keyed-client.js';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { useServer } from '../../support/processes/start-server.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture: FileUIPart = {
  type: 'file',
  mediaType: 'image/png',
  filename: 'gate.png',
  url: `data:image/png;base64,${png}`,
};

describe('a file of a message', () => {
  const server = useServer();

  /** Pictures that the model had with its last call. */
  function picturesAsked(): number {
    const asked = JSON.stringify(server.modelRequests.at(-1)?.body.messages);
    return asked.split('"type":"image"').length - 1;
  }

  describe('on the AI SDK wire', () => {
    const open = (id: string = randomUUID(), messages: UIMessage[] = []): HeadlessChat =>
      new HeadlessChat({ url: server.url, id, messages });
    async function reload({ id }: HeadlessChat): Promise<HeadlessChat> {
      const { body: page } = await server.client.get(`/api/chat/${id}`);
      return open(id, page['messages'] as UIMessage[]);
    }

    it('is in the history by its address, and alone makes a message', async () => {
      const chat = open();
      await chat.sendMessage({ files: [picture] });
      expect([chat.error, picturesAsked()]).toEqual([undefined, 1]);
      const [message] = (await reload(chat)).messages;
      expect(message?.parts).toEqual([
        {
          type: 'file',
          mediaType: 'image/png',
          filename: 'gate.png',
          url: expect.stringMatching(/^\/api\/harness\/attachments\/file_[\w-]+_\d+$/),
        },
      ]);
      const url = (message?.parts[0] as FileUIPart | undefined)?.url;
      const loaded = await fetch(`${server.url}${url}`);
      expect([loaded.status, loaded.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(Buffer.from(await loaded.arrayBuffer()).toString('base64')).toBe(png);
      expect((await fetch(`${server.url}${url}9`)).status).toBe(404);
    });

    it('is there again after a reload: regenerated, edited, or sent with another message', async () => {
      const first = open();
      await first.sendMessage({ text: 'What is it?', files: [picture] });
      const regenerated = await reload(first);
      await regenerated.regenerate();
      expect([regenerated.error, picturesAsked()]).toEqual([undefined, 1]);
      const edited = await reload(first);
      const files = edited.messages[0]?.parts.filter((part) => part.type === 'file') ?? [];
      const messageId = edited.messages[0]?.id ?? '';
      await edited.sendMessage({ text: 'Who is it?', files, messageId });
      expect([edited.error, picturesAsked()]).toEqual([undefined, 1]);
      const again = await reload(first);
      await again.sendMessage({ text: 'And this?', files });
      expect([again.error, picturesAsked()]).toEqual([undefined, 2]);
    });
  });

  it('is in the snapshot of an AG-UI thread, and can be sent again from there', async () => {
    const threadId = randomUUID();
    const run = async (messages: object[], more: object = {}) => {
      const answer = await fetch(`${server.url}/awp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          threadId,
          runId: randomUUID(),
          messages,
          tools: [],
          context: [],
          protocolVersion: '1.0',
          ...more,
        }),
      });
      const text = await answer.text();
      const frames = [...text.matchAll(/^data: (.*)$/gm)].map(
        ([, data = '{}']) => JSON.parse(data) as Record<string, unknown>,
      );
      return { status: answer.status, turnId: answer.headers.get('x-turn-id'), frames };
    };
    const source = { type: 'data', value: png, mimeType: 'image/png' };
    const sent = { id: 'u1', role: 'user', content: [{ type: 'image', source }] };
    const { turnId } = await run([sent]);
    expect(picturesAsked()).toBe(1);
    const { frames } = await run([]);
    const snapshot = frames.find(({ type }) => type === 'MESSAGES_SNAPSHOT');
    const [shown] = (snapshot?.['messages'] ?? []) as { content: unknown }[];
    expect(shown?.content).toMatchObject([
      { type: 'image', source: { type: 'url', mimeType: 'image/png' } },
    ]);
    const opts = { replaces: turnId };
    const said = { id: 'u2', role: 'user', content: shown?.content };
    const edited = await run([said], { forwardedProps: { turnpike: { opts } } });
    expect([edited.status, picturesAsked()]).toEqual([200, 1]);
    let replaced = edited.turnId;
    for (const [content, keepsFiles, pictures] of [
      ['Who is it?', undefined, 1],
      [[{ type: 'text', text: 'Where is it?' }], true, 1],
      [said.content, false, 1],
      ['And without?', false, 0],
      ['And now?', undefined, 0],
    ] as const) {
      const turnpike = { opts: { replaces: replaced }, keepsFiles };
      const message = { id: randomUUID(), role: 'user', content };
      const { status, turnId: id } = await run([message], { forwardedProps: { turnpike } });
      expect([content, status, picturesAsked()]).toEqual([content, 200, pictures]);
      replaced = id;
    }
    const shownAgain = { ...said, id: 'u4' };
    await run([shownAgain], { forwardedProps: { turnpike: { opts: { replaces: replaced } } } });
    const old = await run([], { protocolVersion: undefined });
    const before = old.frames.find(({ type }) => type === 'MESSAGES_SNAPSHOT');
    const [binary] = (before?.['messages'] ?? []) as { content: object[] }[];
    expect(binary?.content).toMatchObject([{ type: 'binary', mimeType: 'image/png' }]);
    const resent = await run([{ id: 'u3', role: 'user', content: binary?.content }]);
    expect([resent.status, picturesAsked()]).toEqual([200, 2]);
  });

  it('stays where a turn of the harness is replaced without a word of files', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const post = async (more: object) => {
      const { headers, body } = await server.client.post(
        '/api/harness/turn',
        { sessionId, message: 'What is it?', ...more },
        { accept: 'application/json' },
      );
      return { turnId: headers.get('x-turn-id'), body };
    };
    const form = new FormData();
    form.append('files', new Blob([Buffer.from(png, 'base64')]), 'gate.png');
    const upload = await fetch(`${server.url}/api/harness/attachments`, {
      method: 'POST',
      body: form,
    });
    const { attachments } = (await upload.json()) as { attachments: { id: string }[] };
    const first = await post({ attachments: attachments.map(({ id }) => id) });
    const second = await post({ opts: { replaces: first.turnId } });
    expect(picturesAsked()).toBe(1);
    const { body: page } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    const [message] = page['messages'] as { parts: { type: string; id?: string }[] }[];
    const id = message?.parts.find(({ type }) => type === 'file')?.id;
    await post({ opts: { replaces: second.turnId }, attachments: [] });
    expect(picturesAsked()).toBe(0);
    await post({ attachments: [id] });
    expect(picturesAsked()).toBe(1);
    const gone = await post({ attachments: ['file_01a217d8-d439-7137-b74c-b9459c15d693_1'] });
    expect(gone.body['rejectedFiles']).toMatchObject([
      { reason: expect.stringContaining('not there any more') },
    ]);
  });

  it('is of its owner alone', async () => {
    const { secret: ann } = await makeKey(server, { principal: 'ann' });
    const { secret: bob } = await makeKey(server, { principal: 'bob' });
    const chat = new HeadlessChat({ url: server.url, id: randomUUID(), key: ann });
    await chat.sendMessage({ text: 'Mine', files: [picture] });
    const read = (key: string, target: string) =>
      fetch(server.url + target, { headers: { authorization: `Bearer ${key}` } });
    const page = (await (await read(ann, `/api/chat/${chat.id}`)).json()) as {
      messages: UIMessage[];
    };
    const file = page.messages[0]?.parts.find((part) => part.type === 'file') as FileUIPart;
    expect((await read(ann, file.url)).status).toBe(200);
    expect((await read(bob, file.url)).status).toBe(404);
    const thief = new HeadlessChat({ url: server.url, id: randomUUID(), key: bob });
    await thief.sendMessage({ text: 'Show me', files: [file] });
    expect(picturesAsked()).toBe(0);
  });
});
