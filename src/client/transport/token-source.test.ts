import { describe, expect, it } from '@jest/globals';
import { untilDone } from '../../../test/client/until-done.js';
import { turnFrames } from '../../../test/client/fake-server.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { TurnpikeClient } from '../turnpike-client.js';
import type { GivenToken } from './token-source.js';

/** A backend that makes tokens of a minute, and a server that ends each stream with its token. */
function open({ refuses = [] }: { refuses?: readonly number[] } = {}) {
  const clock = new ManualClock();
  const sent: { token: string; cursor: string | null }[] = [];
  let made = 0;
  const token = async (): Promise<string> => {
    made += 1;
    const claims = JSON.stringify({ n: made, expiresAt: clock.now() + 60_000 });
    return `tps_v1.${Buffer.from(claims).toString('base64url')}.mac`;
  };
  const frames = turnFrames('turn_1', 12);
  const fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    const cursor = headers.get('last-event-id');
    sent.push({ token: numberOf(headers.get('authorization')), cursor });
    if (refuses.includes(sent.length)) return Response.json({}, { status: 401 });
    const from = frames.findIndex(({ id }) => id === cursor) + 1;
    const part = frames.slice(from, from + 4);
    const isLast = from + 4 >= frames.length;
    const end = 'event: session:reauthenticate\ndata: {"reason":"expired"}\n\n';
    await clock.advance(61_000);
    return new Response(part.map(({ text }) => text).join('') + (isLast ? '' : end), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
  const client = new TurnpikeClient({ url: 'http://turnpike.test', fetch, clock, token });
  const read = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of client.follow('turn_1')) ids.push(id);
    return ids;
  };
  return { client, clock, sent, read, ids: frames.map(({ id }) => id) };
}

/** A client whose server takes every token. */
function openWith(token: () => GivenToken | Promise<GivenToken>) {
  const headers: string[] = [];
  const fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    headers.push(new Headers(init.headers).get('authorization') ?? '');
    return Response.json([]);
  };
  return { client: new TurnpikeClient({ url: 'http://turnpike.test', fetch, token }), headers };
}

/** The number that a token was made with. */
function numberOf(authorization: string | null): string {
  const payload = authorization?.split('.')[1] ?? '';
  return String((JSON.parse(Buffer.from(payload, 'base64url').toString()) as { n: number }).n);
}

describe('a client with tokens', () => {
  it('follows a turn over renewals: every event once, in order, and none is lost', async () => {
    const { clock, read, sent, ids } = open();
    expect(await untilDone(clock, read())).toEqual(ids);
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(sent.map((one) => one.token)).toEqual(sent.map((_, index) => String(index + 1)));
    expect(sent[0]?.cursor).toBeNull();
    for (const { cursor } of sent.slice(1)) expect(ids).toContain(cursor);
  });

  it('asks for another token once where the server refuses one', async () => {
    const { clock, read, sent, ids } = open({ refuses: [1] });
    expect(await untilDone(clock, read())).toEqual(ids);
    expect(sent.slice(0, 2).map(({ token }) => token)).toEqual(['1', '2']);
    const stubborn = open({ refuses: [1, 2] });
    const failed = untilDone(stubborn.clock, stubborn.read());
    await expect(failed).rejects.toMatchObject({ status: 401 });
    expect(stubborn.sent).toHaveLength(2);
  });

  it('asks once for requests that are sent together', async () => {
    const { client, sent } = open();
    await Promise.allSettled([client.agents(), client.agents(), client.agents()]);
    expect(new Set(sent.map(({ token }) => token))).toEqual(new Set(['1']));
  });

  it.each<[string, () => GivenToken | Promise<GivenToken>, string[]]>([
    ['a text', () => 'tps_v1.a.b', ['Bearer tps_v1.a.b']],
    ['an answer of the backend', () => new Response('tps_v1.a.b\n'), ['Bearer tps_v1.a.b']],
    ['a later answer', async () => new Response('a.b.c'), ['Bearer a.b.c']],
  ])('takes %s for the token', async (_, token, expected) => {
    const { client, headers } = openWith(token);
    await client.agents();
    expect(headers).toEqual(expected);
  });

  it('sends nothing where it has no token, and says what the backend says', async () => {
    const refused = openWith(() => new Response('Log in first', { status: 401 }));
    const message = 'The application gave no token for the server (401): Log in first';
    const facts = { code: 'NO_TOKEN', status: 401, message, retryable: false };
    await expect(refused.client.agents()).rejects.toMatchObject(facts);
    const away = openWith(() => new Response('', { status: 503 }));
    await expect(away.client.agents()).rejects.toMatchObject({ status: 503, retryable: true });
    for (const nothing of [undefined, '', 'Log in first', '<!doctype html>']) {
      const { client, headers } = openWith(() => nothing);
      const error = {
        code: 'NO_TOKEN',
        status: 401,
        message: expect.stringContaining('logged in'),
      };
      await expect(client.agents()).rejects.toMatchObject(error);
      expect(headers).toEqual([]);
    }
    expect([...refused.headers, ...away.headers]).toEqual([]);
  });
});
