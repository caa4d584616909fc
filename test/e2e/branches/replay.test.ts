import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

type Json = Record<string, unknown>;

const someId = 'turn_00000000-0000-4000-8000-000000000000';

describe('a replay', () => {
  const server = useServer({ environment: { TURNPIKE_MODE_CEILING: 'acceptEdits' } });
  const client = useShared(() => new TurnpikeClient({ url: server.url }));

  const create = (more: Json = {}) => server.client.createSession(server.projectRoot, more);
  /** Runs a turn to its end. @returns its id. */
  async function run(sessionId: string, message: string, more: Json = {}): Promise<string> {
    const stream = await server.client.turn(sessionId, message, more);
    await stream.all();
    return stream.response.headers.get('x-turn-id') ?? '';
  }
  const post = (turnId: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    server.client.post(`/api/harness/turns/${turnId}/replay`, body, headers);
  const read = async (path_: string) => (await server.client.get(path_)).body;
  /** Replays a turn and reads it to its end. */
  async function replay(turnId: string, body: Json = {}) {
    const turn = await client.turns.replay(turnId, body);
    await (await server.client.follow(turn.turnId)).all();
    return turn;
  }
  const listed = async () =>
    ((await read('/api/harness/sessions'))['sessions'] as Json[]).map((one) => one['sessionId']);
  const write = (file: string, content = 'once') =>
    `[[tool=write {"file_path":"${path.join(server.projectRoot, file)}","content":"${content}"}]]`;
  const mayWrite = { opts: { tools: ['write', 'glob'], mode: 'acceptEdits' } };

  it('answers every call from the record, and runs none of them', async () => {
    const sessionId = await create();
    const file = path.join(server.projectRoot, 'kept.txt');
    await run(sessionId, 'Before this');
    const message = `Do it ${write('kept.txt')} [[tool=glob {"pattern":"*.txt"} step=2]]`;
    const turnId = await run(sessionId, message, mayWrite);
    await writeFile(file, 'changed since');
    await run(sessionId, 'After it');
    const made = await replay(turnId, { model: 'claude-haiku-5-5' });
    expect(await read(`/api/harness/turns/${made.turnId}`)).toMatchObject({
      turn: { status: 'completed', replayOf: turnId, options: { model: 'claude-haiku-5-5' } },
    });
    const { left, right, tools } = await client.turns.compare(turnId, made.turnId);
    expect(right).toMatchObject({ recorded: { hits: 2, misses: 0 }, steps: 3, calls: 2 });
    expect(tools.map(({ kind }) => kind)).toEqual(['same', 'same']);
    expect(left.model).not.toBe(right.model);
    expect(left).not.toHaveProperty('recorded');
    const outputs = async (id: string) =>
      (await client.turns.calls(id)).calls.map(({ output, status }) => [status, output]);
    expect(await outputs(made.turnId)).toEqual(await outputs(turnId));
    const { messages } = server.modelRequests.at(-1)?.body ?? { messages: [] };
    const sent = JSON.stringify(messages);
    expect([sent.includes('Before this'), sent.includes('After it')]).toEqual([true, false]);
    expect(sent).not.toContain('Files were not reverted');
    // Nothing wrote again.
    expect(await readFile(file, 'utf8')).toBe('changed since');
  });

  it('answers a call that was not recorded with NOT_RECORDED, and counts it', async () => {
    const sessionId = await create();
    const message = `Write ${write('never-$i.txt').replace('tool=', 'loop=3 tool=')}`;
    // The first call was refused, as the turn had reached its limit; the others were never made.
    const turnId = await run(sessionId, message, { opts: { ...mayWrite.opts, maxTurns: 1 } });
    const made = await replay(turnId, { opts: { maxTurns: 5 } });
    const { calls } = await client.turns.calls(made.turnId);
    const missed = { status: 'error', output: expect.stringMatching(/^NOT_RECORDED: /) };
    expect(calls).toMatchObject([{ name: 'write', status: 'denied' }, missed, missed]);
    const { right, tools } = await client.turns.compare(turnId, made.turnId);
    expect(right).toMatchObject({ outcome: 'completed', recorded: { hits: 1, misses: 2 } });
    expect(tools).toMatchObject([
      { kind: 'same', right: { result: 'recorded' } },
      { kind: 'onlyRight', right: { result: 'missed' } },
      { kind: 'onlyRight', right: { result: 'missed' } },
    ]);
    for (const n of [1, 2, 3]) {
      expect(existsSync(path.join(server.projectRoot, `never-${n}.txt`))).toBe(false);
    }
  });

  it('asks nobody for an approval, and awaits no client', async () => {
    const clientTools = [{ name: 'pick', description: 'Picks', inputSchema: { type: 'object' } }];
    const sessionId = await create();
    const stream = await server.client.turn(sessionId, 'Pick [[tool=pick {"n":1}]]', {
      opts: { clientTools },
    });
    const turnId = stream.response.headers.get('x-turn-id') ?? '';
    await stream.until(({ event }) => event === 'turn:parked');
    const open = (await read('/api/harness/approvals'))['approvals'] as Json[];
    const approval = open.find((one) => one['turnId'] === turnId);
    await client.approvals.answer(String(approval?.['approvalId']), 'The third');
    await (await server.client.follow(turnId)).all();
    const made = await replay(turnId);
    expect((await client.turns.calls(made.turnId)).calls).toMatchObject([
      { name: 'pick', status: 'success', output: 'The third' },
    ]);
  });

  it('without tools calls none', async () => {
    const sessionId = await create();
    const turnId = await run(sessionId, 'Look [[tool=glob {"pattern":"*"}]]');
    const made = await replay(turnId, { tools: 'none' });
    expect((await client.turns.compare(turnId, made.turnId)).tools).toMatchObject([
      { kind: 'onlyLeft', left: { name: 'glob', status: 'success' } },
    ]);
    const { replays } = await client.turns.replays(turnId);
    expect(replays).toMatchObject([{ turnId: made.turnId, tools: 'none' }]);
  });

  it('has the files of the message, as they were then', async () => {
    const sessionId = await create();
    const file = path.join(server.projectRoot, 'notes.txt');
    await writeFile(file, 'What the notes said');
    const turnId = await run(sessionId, 'Read it', { attachments: [file] });
    await writeFile(file, 'What they say now');
    await replay(turnId);
    const sent = JSON.stringify(server.modelRequests.at(-1)?.body.messages);
    expect(sent).toContain('What the notes said');
    expect(sent).not.toContain('What they say now');
  });

  it('is in no list, and can be read by its id', async () => {
    const sessionId = await create();
    const turnId = await run(sessionId, 'Hello');
    const made = await replay(turnId);
    expect(await listed()).toContain(sessionId);
    expect(await listed()).not.toContain(made.sessionId);
    const root = encodeURIComponent(server.projectRoot);
    const inFolder = await read(`/api/harness/session/list?projectRoot=${root}`);
    expect(JSON.stringify(inFolder)).not.toContain(made.sessionId);
    expect(await client.sessions.get(made.sessionId)).toMatchObject({ replayOf: turnId });
    const messages = (await client.sessions.messages(made.sessionId)).messages;
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const body = { sessionId: made.sessionId, message: 'More' };
    expect(await server.client.post('/api/harness/turn', body)).toMatchObject({
      status: 400,
      body: { error: { type: 'INVALID_REQUEST', message: expect.stringContaining('/fork') } },
    });
    // A fork of it goes on, and is a session as any other.
    const fork = await client.sessions.fork(made.sessionId, {
      turnId: made.turnId,
      position: 'after',
    });
    await run(fork.session.sessionId, 'More');
    expect(await listed()).toContain(fork.session.sessionId);
  });

  it('is listed by its turn, page by page, and goes with it', async () => {
    const sessionId = await create();
    const turnId = await run(sessionId, 'Hello');
    const first = await replay(turnId);
    const second = await replay(turnId, { opts: { thinking: true } });
    const page = await client.turns.replays(turnId, { limit: 1 });
    expect(page.replays.map((one) => one.turnId)).toEqual([second.turnId]);
    const next = await client.turns.replays(turnId, { limit: 1, cursor: page.nextCursor });
    expect(next.replays.map((one) => one.turnId)).toEqual([first.turnId]);
    expect(next).not.toHaveProperty('nextCursor');
    const wrong = await server.client.get(`/api/harness/turns/${turnId}/replays?cursor=${turnId}`);
    expect(wrong).toMatchObject({ status: 400, body: { error: { type: 'INVALID_REQUEST' } } });
    const stream = await server.client.turn(sessionId, 'Slow [[stall=60000]]');
    await stream.until(({ event }) => event === 'chat:delta');
    await server.client.post('/api/harness/interrupt', { sessionId });
    await stream.all();
    const slow = await client.turns.replay(stream.header('x-turn-id'), {});
    const reader = await server.client.follow(slow.turnId);
    await reader.until(({ event }) => event === 'chat:delta');
    await client.sessions.delete(sessionId);
    // One that still runs is ended first, and its readers are told.
    expect((await reader.all()).at(-1)?.data).toMatchObject({ exitCode: 130 });
    for (const { turnId: id, sessionId: session } of [first, second, slow]) {
      expect((await server.client.get(`/api/harness/turns/${id}`)).status).toBe(404);
      expect((await server.client.get(`/api/harness/session/${session}`)).status).toBe(404);
    }
  });

  it('is made once for each Idempotency-Key, also by two requests at once', async () => {
    const turnId = await run(await create(), 'Hello');
    const key = { 'idempotency-key': 'replay-1' };
    const [one, two] = await Promise.all([post(turnId, {}, key), post(turnId, {}, key)]);
    const idOf = ({ body }: { body: Json }) => (body['turn'] as Json | undefined)?.['turnId'];
    expect([one.status, two.status]).toEqual([202, 202]);
    expect(idOf(two)).toBe(idOf(one));
    expect(one.headers.get('location')).toBe(`/api/harness/turns/${String(idOf(one))}/events`);
    expect(idOf(await post(turnId, {}, key))).toBe(idOf(one));
    for (const body of [{ tools: 'none' }, { model: 'claude-haiku-5-5' }]) {
      expect(await post(turnId, body, key)).toMatchObject({
        status: 422,
        body: { error: { type: 'IDEMPOTENCY_KEY_REUSED' } },
      });
    }
    expect((await client.turns.replays(turnId)).replays).toHaveLength(1);
  });

  it('is whole or not at all, and a repeat makes it once', async () => {
    const sessionId = await create();
    await run(sessionId, 'Earlier');
    const turnId = await run(sessionId, 'Hello');
    const key = { 'idempotency-key': 'replay-2' };
    const count = async () => {
      const { rows } = await server.db.execute(sql`select count(*)::integer as n from sessions`);
      return (rows as { n: number }[])[0]?.n;
    };
    const before = await count();
    // The message of the replay is refused, the last of its rows, as when the process dies before it.
    await server.db.execute(sql`create function no_message() returns trigger language plpgsql as $$
      begin raise exception 'stopped before it'; end $$`);
    await server.db.execute(sql`create trigger no_message before insert on messages
      for each row when (new.parts::text like '%Hello%') execute function no_message()`);
    expect((await post(turnId, {}, key)).status).toBe(500);
    expect(await count()).toBe(before);
    await server.db.execute(sql`drop function no_message cascade`);
    const { body: made } = await post(turnId, {}, key);
    expect((await post(turnId, {}, key)).body['turn']).toMatchObject({
      turnId: (made['turn'] as Json)['turnId'],
    });
    expect(await count()).toBe((before ?? 0) + 1);
    await expectSoon(async () => {
      const { turn } = (await read(
        `/api/harness/turns/${String((made['turn'] as Json)['turnId'])}`,
      )) as { turn: Json };
      expect(turn['status']).toBe('completed');
    });
  });

  it('of a turn that runs, of a replay and in another’s place is refused, with what to do', async () => {
    const sessionId = await create();
    const turnId = await run(sessionId, 'Hello');
    const made = await replay(turnId);
    const stream = await server.client.turn(sessionId, 'Wait [[stall=60000]]');
    const running = stream.response.headers.get('x-turn-id') ?? '';
    await stream.until(({ event }) => event === 'chat:delta');
    const refused: [string, unknown, number, string, string][] = [
      [running, {}, 409, 'TURN_IN_PROGRESS', 'interrupt it'],
      [made.turnId, {}, 400, 'INVALID_REQUEST', `Replay the recorded turn ${turnId}`],
      [turnId, { opts: { replaces: turnId } }, 400, 'INVALID_REQUEST', 'leave it out'],
      [turnId, { tools: 'live' }, 400, 'INVALID_REQUEST', "'recorded' or 'none'"],
      [turnId, { agents: 'X' }, 400, 'INVALID_REQUEST', 'agents'],
      [turnId, { agent: 'NOBODY' }, 404, 'PERSONA_NOT_FOUND', 'NOBODY'],
      [someId, {}, 404, 'TURN_NOT_FOUND', someId],
      ['nonsense', {}, 404, 'TURN_NOT_FOUND', 'nonsense'],
    ];
    for (const [id, body, status, type, message] of refused) {
      expect(await post(id, body)).toMatchObject({
        status,
        body: { error: { type, message: expect.stringContaining(message) } },
      });
    }
    await server.client.post('/api/harness/interrupt', { sessionId });
    await stream.all();
    expect((await client.turns.replays(turnId)).replays).toHaveLength(1);
  });

  it('is compared by the time to the first thinking, also where no text came after it', async () => {
    const opts = { thinking: true };
    const message = '[[think=2]] [[tokens=1 first=60000]]';
    const stream = await server.client.turn(await create(), message, { opts });
    await stream.until('thinking:delta');
    const turnId = stream.header('x-turn-id');
    await server.client.post(`/api/harness/turns/${turnId}/interrupt`, {});
    await stream.all();
    const { left } = await client.turns.compare(turnId, turnId);
    expect(left).toMatchObject({
      outcome: 'interrupted',
      text: '',
      firstTokenMs: expect.any(Number),
    });
  });

  it('is compared with turns that there are alone', async () => {
    const turnId = await run(await create(), 'Hello');
    const compare = (query: string) =>
      server.client.get(`/api/harness/turns/${turnId}/compare${query}`);
    expect(await compare(`?with=${someId}`)).toMatchObject({ status: 404 });
    expect(await compare('')).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("'with'") } },
    });
    const { body } = await compare(`?with=${turnId}`);
    expect(body).toMatchObject({ left: { turnId, steps: 1, outcome: 'completed' }, tools: [] });
    expect(body['left']).toEqual(body['right']);
    expect((body['left'] as Json)['firstTokenMs']).toEqual(expect.any(Number));
  });
});
