import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { turns } from '../../../src/storage/schema.js';
import { makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { startServer, useServer, type TestServer } from '../../support/processes/start-server.js';

/** A reply that takes a second. */
const SLOW = '[[tokens=10 gap=100]]';

interface Asked {
  path: string;
  body: object;
}

/** What each route that makes turns is asked. */
const routes: Record<string, (about: { text: string; sessionId: string }) => Asked> = {
  'the own API': ({ text, sessionId }) => ({
    path: '/api/harness/turn',
    body: { sessionId, message: text },
  }),
  'AI SDK': ({ text }) => {
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text }] };
    return { path: '/api/chat', body: { id: text, messages: [message] } };
  },
  Responses: ({ text }) => ({ path: '/v1/responses', body: { input: text } }),
  'Responses, as a stream': ({ text }) => ({
    path: '/v1/responses',
    body: { input: text, stream: true },
  }),
  'AG-UI': ({ text }) => agUi('/agent/reader/ag-ui', text),
  AWP: ({ text }) => agUi('/awp', text),
  'named agents': ({ text }) => ({ path: '/agent/reader/chat', body: { message: text } }),
  'named agents, as a stream': ({ text }) => ({
    path: '/agent/reader/chat/stream',
    body: { message: text },
  }),
  oracle: ({ text }) => ({ path: '/api/oracle/stream', body: { question: text } }),
};

const agUi = (path: string, text: string): Asked => ({
  path,
  body: {
    threadId: text,
    runId: text,
    messages: [{ id: 'm1', role: 'user', content: text }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  },
});

describe('a request that its client sends again by itself', () => {
  const server = useServer();

  /** Sends a request. @param tries its number of tries before; undefined: it does not say. */
  function send(
    { path, body }: Asked,
    tries: number | undefined,
    { signal, secret, to = server, ...more }: Sending = {},
  ) {
    return fetch(to.url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
        ...(tries === undefined ? {} : { 'x-stainless-retry-count': String(tries) }),
        ...more.headers,
      },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /**
   * Sends a request, or several at once, and is cut off once its turn is stored.
   *
   * @param hasPart whether a part of each answer has come by then; false: it may have.
   */
  async function sendAndCut(
    asked: Asked,
    tries: number | undefined,
    { times = 1, hasPart = false, ...more }: Sending & { times?: number; hasPart?: boolean } = {},
  ) {
    const before = await turnsOf(asked);
    const cut = new AbortController();
    const begun = Array.from({ length: times }, () =>
      send(asked, tries, { ...more, signal: cut.signal }),
    );
    const sent = begun.map((answer) =>
      answer.then((response) => response.text()).catch((error: unknown) => error),
    );
    await expectSoon(async () => expect(await turnsOf(asked)).toHaveLength(before.length + times));
    if (hasPart) await Promise.all(begun);
    cut.abort();
    await Promise.all(sent);
    // A server sees a moment later that its client left; of who numbers its tries the key is there before.
    await expectSoon(async () => {
      const made = await turnsOf(asked);
      expect(made.filter(({ key }) => key !== null)).toHaveLength(made.length);
    });
  }

  async function turnsOf({ body }: Asked) {
    const text = /said-[\w-]+/.exec(JSON.stringify(body))?.[0] ?? '';
    return server.db
      .select({
        id: turns.id,
        sessionId: turns.sessionId,
        status: turns.status,
        key: turns.idempotencyKey,
      })
      .from(turns)
      .where(sql`${turns.request} ->> 'message' like ${`%${text}%`}`);
  }

  async function ask(route: string): Promise<Asked> {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    return (
      routes[route]?.({ text: `said-${randomUUID()} ${SLOW}`, sessionId }) ?? { path: '', body: {} }
    );
  }

  describe.each(Object.keys(routes))('%s', (route) => {
    it.each([0, undefined])('joins its turn, numbered from %s', async (first) => {
      const asked = await ask(route);
      await sendAndCut(asked, first);
      const again = await send(asked, 1);
      expect(again.status).toBe(200);
      expect((await again.text()).length).toBeGreaterThan(0);
      const made = await turnsOf(asked);
      expect(made).toMatchObject([{ status: 'completed' }]);
    });
  });

  it('costs no key where a client numbers nothing, and has its answer', async () => {
    const asked = await ask('Responses');
    await (await send(asked, undefined)).text();
    expect(await turnsOf(asked)).toMatchObject([{ status: 'completed', key: null }]);
  });

  it('joins it also after the end, and in another process', async () => {
    const other = await startServer({ store: server.store });
    try {
      const asked = await ask('Responses');
      await sendAndCut(asked, 0);
      await expectSoon(async () =>
        expect(await turnsOf(asked)).toMatchObject([{ status: 'completed' }]),
      );
      expect(await (await send(asked, 1, { to: other })).json()).toMatchObject({
        status: 'completed',
      });
      expect(await turnsOf(asked)).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it('joins it where the process has ended that the first try came to', async () => {
    const first = await startServer({ store: server.store });
    const asked = await ask('named agents');
    await sendAndCut(asked, 0, { to: first });
    await first.close();
    expect((await send(asked, 1)).status).toBe(200);
    expect(await turnsOf(asked)).toMatchObject([{ status: 'completed' }]);
  });

  it('joins no turn whose answer was delivered, however soon', async () => {
    for (const tries of [0, 1, 2]) {
      const asked = await ask('Responses');
      await (await send(asked, tries)).text();
      await (await send(asked, 1)).text();
      expect(await turnsOf(asked)).toHaveLength(2);
    }
  });

  it('joins none by an answer that only a later try had', async () => {
    const asked = await ask('Responses');
    await sendAndCut(asked, 0);
    await (await send(asked, 1)).text();
    expect(await turnsOf(asked)).toHaveLength(1);
    await (await send(asked, 1)).text();
    expect(await turnsOf(asked)).toHaveLength(2);
  });

  describe.each<[string, number | undefined]>([
    ['says nothing', undefined],
    ['is the first', 0],
  ])('where it %s', (_what, tries) => {
    const isLeft = (asked: Asked) =>
      expectSoon(async () => {
        const made = await turnsOf(asked);
        expect(made).toMatchObject([{ key: expect.stringMatching(/:left$/) }]);
      });

    it.each(['Responses', 'named agents'])('joins if nothing was sent: %s', async (route) => {
      const asked = await ask(route);
      await sendAndCut(asked, tries);
      await isLeft(asked);
      // The second try is cut off, too: the third joins the same.
      const cut = new AbortController();
      const second = send(asked, tries, { signal: cut.signal }).catch((error: unknown) => error);
      const isJoined = { key: expect.not.stringMatching(/:left$/) };
      await expectSoon(async () => expect(await turnsOf(asked)).toMatchObject([isJoined]));
      cut.abort();
      await second;
      await isLeft(asked);
      expect((await send(asked, tries)).status).toBe(200);
      await expectSoon(async () =>
        expect(await turnsOf(asked)).toMatchObject([{ status: 'completed', key: null }]),
      );
      // It has its answer: the next one is a request of its own.
      await (await send(asked, tries)).text();
      expect(await turnsOf(asked)).toHaveLength(2);
    });

    it('joins it in another process', async () => {
      const other = await startServer({ store: server.store });
      try {
        const asked = await ask('Responses');
        await sendAndCut(asked, tries);
        await isLeft(asked);
        const [first] = await turnsOf(asked);
        // Until the other process has heard of it, each try there is one more turn.
        await expectSoon(async () => {
          const again = await send(asked, tries, { to: other });
          expect(again.headers.get('x-turn-id')).toBe(first?.id);
        });
      } finally {
        await other.close();
      }
    });

    it('of several that are equal, each joins another', async () => {
      const asked = await ask('Responses');
      await sendAndCut(asked, tries, { times: 3 });
      await expectSoon(async () => {
        const left = (await turnsOf(asked)).filter(({ key }) => key?.endsWith(':left'));
        expect(left).toHaveLength(3);
      });
      await Promise.all([1, 2, 3].map(async () => (await send(asked, tries)).text()));
      expect(await turnsOf(asked)).toHaveLength(3);
    });

    it('does not join a stream, of which a part was sent', async () => {
      const asked = await ask('Responses, as a stream');
      await sendAndCut(asked, tries, { hasPart: true });
      await (await send(asked, tries)).text();
      expect(await turnsOf(asked)).toHaveLength(2);
    });
  });

  it('joins the turn of no other body, and of no other route', async () => {
    const asked = await ask('Responses');
    await sendAndCut(asked, 0);
    await (await send({ ...asked, body: { ...asked.body, max_output_tokens: 500 } }, 1)).text();
    expect(await turnsOf(asked)).toHaveLength(2);
  });

  it('of several that are equal, each joins another', async () => {
    const asked = await ask('Responses');
    await sendAndCut(asked, 0, { times: 3 });
    const ids = await Promise.all(
      [1, 1, 1].map(async (tries) => (await send(asked, tries)).headers.get('x-turn-id')),
    );
    expect(new Set(ids).size).toBe(3);
    expect(await turnsOf(asked)).toHaveLength(3);
  });

  it('does not join a turn that ended because nobody read it', async () => {
    const asked = await ask('Responses');
    await sendAndCut(asked, 0);
    const [first] = await turnsOf(asked);
    await server.db
      .update(turns)
      .set({ cancelReason: 'disconnect' })
      .where(eq(turns.id, first?.id ?? ''));
    await (await send(asked, 1)).text();
    expect(await turnsOf(asked)).toHaveLength(2);
  });

  it.each([
    ['retry-attempt', '1'],
    ['x-envoy-attempt-count', '2'],
    ['amz-sdk-request', 'attempt=2; max=3'],
  ])('says so by %s', async (header, value) => {
    const asked = await ask('Responses');
    await sendAndCut(asked, undefined);
    await (await send(asked, undefined, { headers: { [header]: value } })).text();
    expect(await turnsOf(asked)).toHaveLength(1);
  });

  // The last one: from here on the server wants keys.
  it('joins the turn of nobody else', async () => {
    const keys = await Promise.all(
      ['ann', 'bob'].map((principal) => makeKey(server, { principal })),
    );
    const [ann, bob] = keys.map(({ secret }) => ({ secret }));
    const asked = { path: '/v1/responses', body: { input: `said-${randomUUID()} ${SLOW}` } };
    await sendAndCut(asked, 0, ann);
    await (await send(asked, 1, bob)).text();
    expect(await turnsOf(asked)).toHaveLength(2);
    await (await send(asked, 1, ann)).text();
    expect(await turnsOf(asked)).toHaveLength(2);
  });
});

interface Sending {
  signal?: AbortSignal;
  secret?: string;
  to?: Pick<TestServer, 'url'>;
  headers?: Record<string, string>;
}
