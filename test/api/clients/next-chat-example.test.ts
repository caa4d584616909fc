import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { TurnpikeChatTransport } from '../../../src/client/chat-transport.js';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { keyedClient } from '../../support/clients/keyed-client.js';
import { words } from '../../support/clients/run-example.js';
import { useServer } from '../../support/processes/start-server.js';

type Handler = (request: Request) => Promise<Response>;

describe('the chat in Next', () => {
  const server = useServer();

  it('streams and asks through its routes, as the person that its token names', async () => {
    const { key } = await keyedClient(server, {
      principal: 'backend',
      scopes: ['turns', 'approvals', 'tokens'],
      mints: 'app:*',
    });
    process.env['TURNPIKE_URL'] = server.url;
    process.env['TURNPIKE_API_KEY'] = key;
    const app = '../../../examples/next-chat/app';
    const routes = (await import(`${app}/turnpike/[...path]/route.ts`)) as Record<string, Handler>;
    const tokens = (await import(`${app}/turnpike-token/route.ts`)) as { POST: Handler };
    const page = 'http://next.example';
    const headers = { 'x-user': 'ann', cookie: 'session=secret' };
    const seen: string[] = [];
    const transport = new TurnpikeChatTransport({
      url: `${page}/turnpike`,
      aiSdk: 7,
      token: () => tokens.POST(new Request(`${page}/turnpike-token`, { method: 'POST', headers })),
      fetch: async (input, init) => {
        const request = new Request(input, init);
        seen.push(`${request.method} ${new URL(request.url).pathname}`);
        return (routes[request.method] as Handler)(request);
      },
    });
    const chat = new HeadlessChat({ url: server.url, id: randomUUID(), messages: [], transport });
    await chat.sendMessage({ text: '[[tokens=40 gap=5]]' });
    expect([chat.error, chat.text]).toEqual([undefined, words(40)]);
    const { messages, activeTurnId } = await transport.history(chat.id);
    expect([messages.length, activeTurnId]).toEqual([2, null]);
    expect(seen.every((line) => line.includes(' /turnpike/api/chat'))).toBe(true);
  });
});
