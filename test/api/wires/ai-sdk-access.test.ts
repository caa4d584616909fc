import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';

const pickColor = { name: 'pick_color', description: '', inputSchema: { type: 'object' } };

describe('the AI SDK wire of a server with keys', () => {
  let ann: string;
  let annsPage: string;
  let bob: string;
  const server = useServer();
  beforeAll(async () => {
    const { db, clock } = server;
    const secretOf = async (principal: string, scopes: string[]): Promise<string> =>
      (await makeKey({ db, clock }, { name: 'test', principal, scopes })).secret;
    ann = await secretOf('ann', ['turns', 'approvals']);
    annsPage = await secretOf('ann', ['turns']);
    bob = await secretOf('bob', ['turns', 'approvals']);
  });

  const open = (key: string, id: string = randomUUID()): HeadlessChat =>
    new HeadlessChat({
      url: server.url,
      id,
      key,
      isManual: true,
      body: { projectRoot: server.projectRoot, clientTools: [pickColor] },
    });

  it('takes approvals with a key that is for them only, and tools of the client with any', async () => {
    const chat = open(annsPage);
    await chat.sendMessage({ text: '[[tool=write {"file_path":"a.txt","content":"x"}]]' });
    const id = String(chat.partsOf('data-approval')[0]?.['id']);
    await chat.addToolApprovalResponse({ id, approved: true });
    await chat.sendMessage();
    expect(chat.error?.message).toContain('FORBIDDEN_SCOPE');
    const send = (key: string) =>
      new KeyedClient(server.url, key).send('POST', '/api/chat', chat.sent.at(-1));
    expect((await send(bob)).status).toBe(404);
    expect((await send(ann)).status).toBe(200);
    const other = open(annsPage);
    await other.sendMessage({ text: '[[tool=pick_color]]' });
    const toolCallId = String(other.partsOf('tool-pick_color')[0]?.['toolCallId']);
    await other.addToolOutput({ tool: 'pick_color', toolCallId, output: 'red' });
    await other.sendMessage();
    expect([other.error, other.metadata['outcome']]).toEqual([undefined, 'completed']);
  });

  it('has for each principal chats of its own, whatever they call them', async () => {
    const id = randomUUID();
    const first = open(ann, id);
    await first.sendMessage({ text: '[[tokens=2]]' });
    const second = open(bob, id);
    await second.sendMessage({ text: '[[tokens=2]]' });
    const sessions = [first, second].map(({ metadata }) => metadata['sessionId']);
    expect(sessions[0]).not.toBe(sessions[1]);
    const bobs = new KeyedClient(server.url, bob);
    // The answer is that of a chat that nobody has begun.
    for (const [method, path, answer] of [
      ['GET', '', 404],
      ['GET', '/stream', 204],
      ['POST', '/stop', 404],
    ] as const) {
      const { status } = await bobs.send(method, `/api/chat/${String(sessions[0])}${path}`);
      expect([path, status]).toEqual([path, answer]);
    }
    const { body: listed } = await bobs.send('GET', '/api/chats');
    expect(listed['chats']).toEqual([expect.objectContaining({ id, sessionId: sessions[1] })]);
    const messages = [{ role: 'user', id: 'm', parts: [{ type: 'text', text: 'Hello' }] }];
    const refused = await bobs.send('POST', '/api/chat', { id: sessions[0], messages });
    expect([refused.status, refused.body['error']]).toMatchObject([
      404,
      { type: 'SESSION_NOT_FOUND' },
    ]);
    const own = await new KeyedClient(server.url, ann).send('POST', '/api/chat', {
      id: sessions[0],
      messages,
    });
    expect([own.status, own.headers.get('x-session-id')]).toEqual([200, sessions[0]]);
  });
});
