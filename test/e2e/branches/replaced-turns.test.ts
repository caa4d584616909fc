import path from 'node:path';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

type Json = Record<string, unknown>;

const someId = 'turn_00000000-0000-4000-8000-000000000000';

describe('a turn that replaces another', () => {
  const server = useServer({
    environment: { TURNPIKE_MODE_CEILING: 'acceptEdits', TURNPIKE_SESSION_TOKENS: '1000000' },
  });

  const create = (more: Json = {}) => server.client.createSession(server.projectRoot, more);
  async function run(sessionId: string, message: string, opts: Json = {}, key?: string) {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    const stream = await server.client.turn(sessionId, message, { opts }, headers);
    const frames = await stream.all();
    return { turnId: stream.response.headers.get('x-turn-id') ?? '', frames };
  }
  const post = (sessionId: string, opts: Json, headers: Record<string, string> = {}) =>
    server.client.post(
      '/api/harness/turn',
      { sessionId, message: 'Instead', opts },
      { accept: 'application/json', ...headers },
    );
  const read = async (url: string) => (await server.client.get(url)).body;
  const turnsOf = async (sessionId: string, query = '') =>
    (await read(`/api/harness/sessions/${sessionId}/turns${query}`))['turns'] as Json[];
  async function textsOf(sessionId: string, query = '') {
    const url = `/api/harness/sessions/${sessionId}/messages${query}`;
    const messages = (await read(url))['messages'] as Json[];
    return messages
      .filter(({ role }) => role === 'user')
      .map(({ parts }) => (parts as { text?: string }[])[0]?.text);
  }
  function sentLast(): string {
    return JSON.stringify(server.modelRequests.at(-1)?.body.messages);
  }

  it('has its place: that turn and what followed are out of the model’s view, and stay readable', async () => {
    const sessionId = await create();
    const opts = { thinking: true };
    await run(sessionId, 'One [[think=5]]', opts);
    const two = await run(sessionId, 'Two [[think=5]]', opts);
    const origin = server.modelRequests.at(-1)?.body;
    const three = await run(sessionId, 'Three', opts);
    const instead = await run(sessionId, 'Two, in other words', { ...opts, replaces: two.turnId });
    const init = instead.frames.find(({ event }) => event === 'session:init');
    expect(init?.data).toMatchObject({ replaces: two.turnId, filesReverted: false });
    expect(sentLast()).not.toMatch(/"(Two \[|Three)/);
    // What came before is sent as it was, with its thinking: the cache holds.
    const plain = (list: unknown) =>
      JSON.stringify(list).replaceAll(/,?"cache_control":\{[^}]*\}/g, '');
    const sent = server.modelRequests.at(-1)?.body.messages.slice(0, -1) ?? [];
    expect(plain(sent)).toBe(plain(origin?.messages.slice(0, sent.length)));
    expect(plain(sent)).toContain('"type":"thinking"');
    expect(await textsOf(sessionId)).toEqual(['One [[think=5]]', 'Two, in other words']);
    expect(await textsOf(sessionId, '?superseded=show')).toEqual([
      'One [[think=5]]',
      'Two [[think=5]]',
      'Three',
      'Two, in other words',
    ]);
    expect(await turnsOf(sessionId, '?superseded=show')).toMatchObject([
      { turnId: instead.turnId, replaces: two.turnId },
      { turnId: three.turnId, supersededBy: instead.turnId },
      { turnId: two.turnId, supersededBy: instead.turnId },
      {},
    ]);
    expect((await turnsOf(sessionId)).map(({ turnId }) => turnId)).not.toContain(three.turnId);
    const record = await read(`/api/harness/turns/${three.turnId}`);
    expect(record).toMatchObject({ turn: { supersededBy: instead.turnId, status: 'completed' } });
    expect(await (await server.client.follow(three.turnId)).all()).toEqual(three.frames);
    // The conversation goes on from the new turn, and the next one can be replaced as well.
    const four = await run(sessionId, 'Four', opts);
    await run(sessionId, 'Five', { ...opts, replaces: four.turnId });
    expect(await textsOf(sessionId)).toEqual(['One [[think=5]]', 'Two, in other words', 'Five']);
  });

  it('has todos and summaries as of its place, and is told of files that were written since', async () => {
    const sessionId = await create({ mode: 'acceptEdits' });
    const opts = { tools: ['write', 'todo_write', 'bash'], mode: 'acceptEdits' };
    const late = path.join(server.projectRoot, 'late.txt');
    const todo = (content: string) =>
      `[[tool=todo_write {"todos":[{"id":"a","content":"${content}","status":"pending"}]}]]`;
    await run(sessionId, `First question ${todo('Early')}`, opts);
    const second = await run(
      sessionId,
      `Second question ${todo('Late')} [[tool=write {"file_path":"${late}","content":"x"}]]`,
      opts,
    );
    await run(sessionId, 'Third question', opts);
    await server.client.post(`/api/harness/sessions/${sessionId}/compact`, {});
    await run(sessionId, 'Fourth question', opts);
    expect(sentLast()).toContain('What came before in this conversation');
    const instead = await run(sessionId, 'Instead', { ...opts, replaces: second.turnId });
    expect(await read(`/api/harness/sessions/${sessionId}/todos`)).toEqual({
      todos: [{ id: 'a', content: 'Early', status: 'pending' }],
    });
    expect(sentLast()).not.toContain('What came before in this conversation');
    expect(sentLast()).toContain('First question');
    expect(sentLast()).toContain(`- ${late}`);
    const notice = instead.frames.find(({ data }) => data['kind'] === 'files-kept');
    expect(notice?.data).toMatchObject({ metadata: { paths: [late], ranCommands: false } });
  });

  it('announces a change of the session that only replaced turns were told of', async () => {
    const sessionId = await create();
    await run(sessionId, 'One');
    const two = await run(sessionId, 'Two', { mode: 'plan' });
    expect(sentLast()).toContain('The permission mode is plan from here on');
    await run(sessionId, 'Two again', { mode: 'plan', replaces: two.turnId });
    expect(sentLast()).toContain('The permission mode is plan from here on');
    await run(sessionId, 'Three', { mode: 'plan' });
    expect(sentLast().split('The permission mode is plan')).toHaveLength(2);
  });

  it('of a superseded turn is refused, and a fork there has the line of that turn', async () => {
    const sessionId = await create();
    const one = await run(sessionId, 'One');
    const two = await run(sessionId, 'Two');
    const instead = await run(sessionId, 'Instead', { replaces: one.turnId });
    expect(await post(sessionId, { replaces: two.turnId })).toMatchObject({
      status: 409,
      body: {
        error: { type: 'TURN_SUPERSEDED', details: { supersededBy: instead.turnId } },
      },
    });
    const { body } = await server.client.post(`/api/harness/sessions/${sessionId}/fork`, {
      turnId: two.turnId,
      position: 'after',
    });
    const { sessionId: forked } = body['session'] as { sessionId: string };
    await run(forked, 'On');
    expect(sentLast()).toMatch(/One.*Two.*On/);
    expect(await textsOf(forked)).toEqual(['One', 'Two', 'On']);
  });

  it.each<[string, unknown, number, string]>([
    ['a turn that there is not', someId, 404, 'TURN_NOT_FOUND'],
    ['text', 'turn_x', 400, 'INVALID_REQUEST'],
    ['a list', [someId], 400, 'INVALID_REQUEST'],
  ])('of %s is refused, and nothing is stored', async (_name, replaces, status, type) => {
    const sessionId = await create();
    await run(sessionId, 'One');
    expect(await post(sessionId, { replaces })).toMatchObject({
      status,
      body: { error: { type } },
    });
    expect(await textsOf(sessionId, '?superseded=show')).toEqual(['One']);
    await run(sessionId, 'Two');
    expect(await textsOf(sessionId)).toEqual(['One', 'Two']);
  });

  it('takes a place in a busy session only where it interrupts what runs', async () => {
    const sessionId = await create();
    const one = await run(sessionId, 'One');
    const stream = await server.client.turn(sessionId, 'Two [[stall=60000]]');
    const running = stream.response.headers.get('x-turn-id') ?? '';
    await stream.until('chat:delta');
    for (const onBusy of ['enqueue', 'reject', 'steer']) {
      for (const replaces of [one.turnId, running]) {
        const answer = await post(sessionId, { replaces, onBusy });
        expect(answer).toMatchObject({
          status: 409,
          body: {
            error: { type: 'TURN_IN_PROGRESS', message: expect.stringMatching(/interrupt/) },
          },
        });
      }
    }
    await run(sessionId, 'Instead', { replaces: one.turnId, onBusy: 'interrupt' });
    expect((await stream.all()).at(-1)?.data).toMatchObject({ interrupted: true });
    expect(await textsOf(sessionId)).toEqual(['Instead']);
  });

  it('is one of those that race for a place, and the active line is one', async () => {
    const sessionId = await create();
    const one = await run(sessionId, 'One');
    await run(sessionId, 'Two');
    const racing = [one.turnId, one.turnId, one.turnId, undefined].map((replaces) =>
      post(sessionId, replaces === undefined ? {} : { replaces }),
    );
    const answers = await Promise.all(racing);
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken.length).toBeGreaterThan(0);
    for (const { status, body } of answers) {
      if (status === 200) continue;
      expect([status, ['TURN_IN_PROGRESS', 'TURN_SUPERSEDED']]).toEqual([
        409,
        expect.arrayContaining([(body['error'] as Json)['type']]),
      ]);
    }
    const all = await turnsOf(sessionId, '?superseded=show');
    expect(all.filter(({ replaces }) => replaces === one.turnId).length).toBeLessThanOrEqual(1);
    expect(all).toHaveLength(2 + taken.length);
    // One line: what was replaced is not in it, nor what followed.
    const isReplaced = all.some(({ replaces }) => replaces === one.turnId);
    const texts = await textsOf(sessionId);
    expect(texts.filter((text) => text !== 'Instead')).toEqual(isReplaced ? [] : ['One', 'Two']);
  });

  it('is there with what it supersedes, or neither is, and a repeat finds it', async () => {
    const sessionId = await create();
    const one = await run(sessionId, 'One [[tool=glob {"pattern":"*"}]]');
    // The statement after the turn's own is refused, as when the process dies before it.
    await server.db
      .execute(sql`create function no_place() returns trigger language plpgsql as $$ begin
      if new.replaces is not null then raise exception 'stopped before it'; end if;
      return new; end $$`);
    await server.db.execute(
      sql`create trigger no_place before update on turns for each row execute function no_place()`,
    );
    const key = { 'idempotency-key': 'again' };
    const opts = { replaces: one.turnId };
    expect((await post(sessionId, opts, key)).status).toBe(500);
    expect(await textsOf(sessionId, '?superseded=show')).toHaveLength(1);
    await server.db.execute(sql`drop function no_place cascade`);
    const { status, body } = await post(sessionId, opts, key);
    expect([status, body['error']]).toEqual([200, undefined]);
    expect((await post(sessionId, opts, key)).body).toEqual(body);
    expect(await textsOf(sessionId)).toEqual(['Instead']);
  });
});
