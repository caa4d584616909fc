import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { turns } from '../../../src/storage/schema.js';
import {
  clientsThatRepeat,
  runPython,
  type ClientThatRepeats,
} from '../../support/clients/clients-that-repeat.js';
import { headlessChats, packageTransport } from '../../support/clients/headless-chat.js';
import { words } from '../../support/clients/run-example.js';
import { startCuttingProxy, type CuttingProxy } from '../../support/clients/start-cutting-proxy.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';

const each = Object.entries(clientsThatRepeat);
const numbered = each.filter(([name]) => name.startsWith('openai'));
/** Those that do not say that they send it again. */
const unsaid = each.filter(([name]) => !name.startsWith('openai'));

describe('a proxy that cuts connections before the answer, and clients that send the request again', () => {
  let proxy: CuttingProxy | undefined;
  const server = useServer();
  afterEach(() => proxy?.close());

  /** What a user says, and what became of it. */
  function say() {
    const name = `said-${randomUUID()}`;
    const made = () =>
      server.db
        .select({ id: turns.id, sessionId: turns.sessionId, status: turns.status })
        .from(turns)
        .where(sql`${turns.request} ->> 'message' like ${`%${name}%`}`);
    const asked = () =>
      server.modelRequests.filter(({ body }) => JSON.stringify(body).includes(name)).length;
    const isStored = () => expectSoon(async () => expect(await made()).not.toHaveLength(0));
    return { input: `${name} [[tokens=20 gap=100]]`, made, asked, isStored };
  }

  /** The work that is left of a request, of which the proxy cuts two tries. @param hasBegun once the answer is sent. */
  async function sendAndCut(
    send: ClientThatRepeats,
    { hasBegun, ...how }: { isStream: boolean; hasBegun: boolean; idempotencyKey?: string },
  ) {
    const { input, made, asked, isStored } = say();
    proxy = await startCuttingProxy(server.url, {
      cuts: 2,
      ...(hasBegun ? {} : { until: isStored }),
    });
    const answer = await send({ url: proxy.url, input, ...how });
    const left = await made();
    return {
      answered: answer.includes(how.isStream ? 'word20' : words(20)),
      tries: proxy.requests.length,
      turns: left.length,
      sessions: new Set(left.map(({ sessionId }) => sessionId)).size,
      asked: asked(),
    };
  }

  const once = { answered: true, tries: 3, turns: 1, sessions: 1, asked: 1 };
  const eachTry = { answered: true, tries: 3, turns: 3, sessions: 3, asked: 3 };

  it.each(each)('%s has a whole answer, which was made once', async (_name, send) => {
    expect(await sendAndCut(send, { isStream: false, hasBegun: false })).toEqual(once);
  });

  it.each(numbered)('%s has a stream, which was made once', async (_name, send) => {
    expect(await sendAndCut(send, { isStream: true, hasBegun: true })).toEqual(once);
  });

  describe.each([false, true])('where the server has sent something, stream %s', (isStream) => {
    it.each(unsaid)('%s has an answer for each try, and one by a key', async (_name, send) => {
      const how = { isStream, hasBegun: true };
      expect(await sendAndCut(send, how)).toEqual(eachTry);
      await proxy?.close();
      expect(await sendAndCut(send, { ...how, idempotencyKey: randomUUID() })).toEqual(once);
    });
  });

  it.each([false, true])('the Python client has a turn once, stream %s', async (isStream) => {
    const { input, made, asked, isStored } = say();
    proxy = await startCuttingProxy(server.url, { cuts: 2, until: isStored });
    const sessionId = await server.client.createSession(server.projectRoot);
    const program = `
import sys
from turnpike import Turnpike
with Turnpike(sys.argv[1]) as client:
    turn = client.turn(sys.argv[2], sys.argv[3])
    ${isStream ? 'print("".join(e["data"]["text"] for e in turn if e["event"] == "chat:delta"))' : 'print(turn.result().text)'}
`;
    expect(await runPython(program, [proxy.url, sessionId, input])).toContain(words(20));
    expect([proxy.requests.length, (await made()).length, asked()]).toEqual([3, 1, 1]);
  });

  it.each(['6', '7'] as const)(
    'a fetch that tries again has a message of useChat once: ai %s',
    async (version) => {
      const { input, made, asked, isStored } = say();
      proxy = await startCuttingProxy(server.url, { cuts: 2, until: isStored });
      const { url } = proxy;
      const tryAgain = async (address: string | URL | Request, init?: RequestInit) => {
        for (;;) {
          try {
            return await fetch(address, init);
          } catch (error) {
            if (!(error instanceof TypeError)) throw error;
          }
        }
      };
      const body = { projectRoot: server.projectRoot };
      const transport = packageTransport(version, { url, body }, tryAgain);
      const chat = new headlessChats[version]({ url, id: randomUUID(), transport });
      await chat.sendMessage({ text: input });
      expect(JSON.stringify(chat.messages.at(-1))).toContain(words(20));
      expect([proxy.requests.length, (await made()).length, asked()]).toEqual([3, 1, 1]);
    },
  );
});
