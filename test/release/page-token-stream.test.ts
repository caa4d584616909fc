import { expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../src/client/turnpike-client.js';
import { KeyedClient, keyedClient } from '../support/clients/keyed-client.js';
import { startServer } from '../support/processes/start-server.js';

/** Each stream ends a minute after its token, which lives a second: the turn takes three of them and a half. */
const MESSAGE = '[[tokens=4200 gap=50]]';

it('a page reads a turn over three tokens, and has each event once and in order', async () => {
  const server = await startServer();
  const backend = await keyedClient(server, {
    principal: 'backend',
    scopes: ['turns', 'approvals', 'tokens'],
    mints: 'app:*',
  });
  const turnpike = new TurnpikeClient({ url: server.url, key: backend.key });
  const made: string[] = [];
  const token = async (): Promise<string> => {
    const { token: next } = await turnpike.tokens.create({ principal: 'app:ann', expiresIn: 1 });
    made.push(next);
    return next;
  };
  const page = new TurnpikeClient({ url: server.url, token });
  const { sessionId } = await page.sessions.create({});
  const turn = await page.turn({ sessionId, message: MESSAGE });
  const opened = made.length;
  const ids: string[] = [];
  let text = '';
  for await (const { id, event, data } of turn) {
    ids.push(id);
    if (event === 'chat:delta') text += data.text;
  }
  expect((await turn.result()).outcome).toBe('completed');
  expect(made.length - opened).toBeGreaterThanOrEqual(3);
  const again = new KeyedClient(server.url, await token());
  const { text: whole } = await again.send('GET', `/api/harness/turns/${turn.turnId}/events`);
  expect(ids).toEqual([...whole.matchAll(/^id: (.*)$/gm)].map(([, id]) => id));
  expect(text.match(/word4200\b/g)).toHaveLength(1);
  await server.close();
});
