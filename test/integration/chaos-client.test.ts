import { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkReader } from '../../chaos/check/check-reader.mjs';
import { readTurn } from '../../chaos/load/read-turn.mjs';
import { emptyTally } from '../../chaos/load/world.mjs';
import type { Person, World } from '../../chaos/types.js';
import { type HttpServer, serveHttp } from '../support/serve-http.js';

const cursors = ['1.1', '1.2', '1.3', '1.4', '1.5.1', '1.5.2'];

const frames = cursors.map((at, index) => {
  const event = index < 4 ? 'chat:delta' : (['turn:end', 'process:exit'][index - 4] ?? '');
  return `event: ${event}\nid: t:${at}\ndata: {"n":${index}}\n\n`;
});

/** An outage of half a minute. */
const LONG_MS = 30_000;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of the kit's own making: what it does wrong must not be smoothed over by the client. */
describe('the client of the chaos kit', () => {
  const servers: HttpServer[] = [];
  const asked: string[] = [];

  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    asked.length = 0;
  });

  async function worldOf(...answers: Answer[]): Promise<World> {
    const server = await serveHttp((request, response) => {
      const cursor = request.headers['last-event-id'];
      asked.push(`${request.method} ${cursor === undefined ? 'start' : String(cursor)}`);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('asked too often');
      answer(request, response);
    });
    servers.push(server);
    return {
      apis: () => [server.url],
      projects: '',
      persona: '',
      streams: new Set(),
      active: new Set(),
      sessions: [],
      lines: new Map(),
      giveUpAt: Date.now() + 10_000,
      tally: emptyTally(),
    };
  }

  const stream =
    (from: number, to: number, isCut = false): Answer =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-turn-id': 't' });
      response.write(frames.slice(from, to).join(''), () => {
        if (isCut) response.destroy();
        else if (to === frames.length) response.end();
      });
    };
  const refuse =
    (status: number, headers: Record<string, string> = {}): Answer =>
    (_request, response) =>
      response.writeHead(status, headers).end('{}');

  const reader = { name: 'first', firstApi: 0 };
  const post = { body: '{}', key: 'k', isRepeated: false };

  it('goes on after the last whole frame when its connection breaks', async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-turn-id': 't' });
      response.write(`${frames[0]}${frames[1]?.slice(0, -3)}`, () => response.destroy());
    };
    const world = await worldOf(half, stream(1, 6));
    const { turnId, history } = await readTurn(world, { ...reader, post });
    expect(turnId).toBe('t');
    expect(asked).toEqual(['POST start', 'GET t:1.1']);
    expect(history.frames.map((frame) => frame.id)).toEqual(cursors.map((at) => `t:${at}`));
    expect(history.frames.map((frame) => frame.connection)).toEqual([0, 1, 1, 1, 1, 1]);
    expect(checkReader('t', history)).toEqual([]);
    expect(world.tally.brokenConnections).toBe(1);
  });

  it('cuts where its plan says, within one piece of the stream', async () => {
    const world = await worldOf(stream(0, 6), stream(2, 6), stream(4, 6));
    const { history } = await readTurn(world, { ...reader, turnId: 't', cutsAfter: [2, 4] });
    expect(asked).toEqual(['GET start', 'GET t:1.2', 'GET t:1.4']);
    expect(history.frames).toHaveLength(6);
    expect(checkReader('t', history)).toEqual([]);
  });

  it('keeps what is repeated, for the checker to find', async () => {
    const world = await worldOf(stream(0, 3, true), stream(2, 6));
    const { history } = await readTurn(world, { ...reader, turnId: 't' });
    expect(checkReader('t', history).map((violation) => violation.kind)).toEqual(['repeated']);
  });

  it('leaves for good where its plan says', async () => {
    const world = await worldOf(stream(0, 4));
    const { history } = await readTurn(world, { ...reader, turnId: 't', leaveAfter: 2 });
    expect(history).toMatchObject({ hasLeft: true });
    expect(history.frames).toHaveLength(2);
  });

  it('posts again until it is answered, and says what was no answer', async () => {
    const broken: Answer = (_request, response) => response.destroy();
    const world = await worldOf(
      broken,
      refuse(503, { 'retry-after': '1' }),
      refuse(503),
      refuse(500),
      stream(0, 6),
    );
    const { history } = await readTurn(world, { ...reader, post });
    expect(history.frames).toHaveLength(6);
    expect(world.tally.violations.map((violation) => violation.kind)).toEqual([
      'bad-answer',
      'bad-answer',
    ]);
  });

  it.each([
    [409, {}, 'busy-after-end'],
    [409, { post: { ...post, isRepeated: true } }, 'repeat-refused'],
    [400, {}, 'bad-answer'],
    [404, { turnId: 't' }, 'turn-missing'],
  ])('gives up at %i: %j is %s', async (status, more, kind) => {
    const world = await worldOf(refuse(status));
    const { history } = await readTurn(world, { ...reader, post, ...more });
    expect(history.frames).toEqual([]);
    expect(world.tally.violations.map((violation) => violation.kind)).toEqual([kind]);
  });

  it('takes what is said of a silent worker for no event of the turn', async () => {
    const stall = 'event: turn:stalled\ndata: {"silentMs":5000}\n\n';
    const world = await worldOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-turn-id': 't' });
      response.end([...frames.slice(0, 2), stall, ...frames.slice(2)].join(''));
    });
    const { history } = await readTurn(world, { ...reader, post });
    expect(history.frames).toHaveLength(frames.length);
    expect(world.tally).toMatchObject({ stalls: 1, violations: [] });
  });

  describe('with tokens', () => {
    const notice = (reason: string): string =>
      `event: session:reauthenticate\ndata: {"reason":"${reason}"}\n\n`;
    const ended =
      (from: number, to: number, reason: string): Answer =>
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-turn-id': 't' });
        response.end(frames.slice(from, to).join('') + notice(reason));
      };

    function personOf(more: Partial<Person> = {}): Person {
      const person: Person = {
        principal: 'app:ann',
        leaves: false,
        endedAt: undefined,
        tokens: 1,
        credential: async () => ({ authorization: `Bearer ${person.tokens}`, expiresAt: 0 }),
        renew: () => (person.tokens += 1),
        ...more,
      };
      return person;
    }

    it('goes on at its cursor with the next token when its token ended', async () => {
      const world = await worldOf(ended(0, 2, 'expired'), refuse(401), stream(2, 6));
      world.person = personOf();
      const { history } = await readTurn(world, { ...reader, turnId: 't' });
      expect(asked).toEqual(['GET start', 'GET t:1.2', 'GET t:1.2']);
      expect(world.person.tokens).toBe(3);
      expect(checkReader('t', history)).toEqual([]);
      expect(world.tally.violations).toEqual([]);
    });

    it('goes on with the next token where its own was ended during a long stream', async () => {
      const realNow = Date.now;
      const goOn = (world: World, response: ServerResponse): void => {
        if (world.streams.size === 0) return void setImmediate(goOn, world, response);
        Date.now = () => realNow() + LONG_MS;
        response.destroy();
      };
      const long: Answer = (request, response) => {
        stream(0, 2)(request, response);
        setImmediate(goOn, world, response);
      };
      const world = await worldOf(long, refuse(401), stream(2, 6));
      world.giveUpAt += LONG_MS;
      world.person = personOf();
      try {
        const { history } = await readTurn(world, { ...reader, turnId: 't' });
        expect(checkReader('t', history)).toEqual([]);
        expect(world.tally.violations).toEqual([]);
      } finally {
        Date.now = realNow;
      }
    });

    it('gives up where each of many new tokens is refused', async () => {
      const world = await worldOf(
        stream(0, 2, true),
        ...Array.from({ length: 51 }, () => refuse(401)),
      );
      world.giveUpAt += LONG_MS;
      world.person = personOf();
      await readTurn(world, { ...reader, turnId: 't' });
      expect(asked).toHaveLength(52);
      expect(world.tally.violations.map(({ kind }) => kind)).toEqual(['turn-missing']);
    });

    it.each(['ended', 'expired'])('takes no end without a cause: %s', async (reason) => {
      const world = await worldOf(ended(0, 2, reason), stream(2, 6));
      const expiresAt = Date.now() + 1_000;
      world.person = personOf({ credential: async () => ({ authorization: '', expiresAt }) });
      await readTurn(world, { ...reader, turnId: 't' });
      expect(world.tally.violations.map(({ kind }) => kind)).toEqual(['access-ended']);
    });

    it('reads no further as a person who left', async () => {
      const world = await worldOf(ended(0, 2, 'ended'), refuse(401));
      world.person = personOf({ leaves: true, endedAt: Date.now() });
      const { history } = await readTurn(world, { ...reader, turnId: 't' });
      expect(history).toMatchObject({ hasLeft: true, maxAwayMs: Infinity });
      expect(history.frames).toHaveLength(2);
      expect(world.tally.violations).toEqual([]);
    });
  });
});
