import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { asc, eq, sql } from 'drizzle-orm';
import { describe, expect, it } from '@jest/globals';
import { steeredMessages } from '../../../src/storage/governance-schema.js';
import { turns } from '../../../src/storage/schema.js';
import { turnArchives } from '../../../src/storage/transcript-schema.js';
import { useServer } from '../../support/processes/start-server.js';

type Json = Record<string, unknown>;

const someId = 'turn_00000000-0000-4000-8000-000000000000';

describe('a fork', () => {
  const server = useServer({ environment: { TURNPIKE_MODE_CEILING: 'acceptEdits' } });

  const create = (more: Json = {}) => server.client.createSession(server.projectRoot, more);
  /** Runs a turn to its end. @returns its id. */
  async function run(sessionId: string, message: string, more: Json = {}): Promise<string> {
    const stream = await server.client.turn(sessionId, message, more);
    await stream.all();
    return stream.response.headers.get('x-turn-id') ?? '';
  }
  const fork = (sessionId: string, body: unknown, headers: Record<string, string> = {}) =>
    server.client.post(`/api/harness/sessions/${sessionId}/fork`, body, headers);
  async function forkId(sessionId: string, turnId: string, position = 'after'): Promise<string> {
    const { status, body } = await fork(sessionId, { turnId, position });
    expect([status, body['error']]).toEqual([200, undefined]);
    return (body['session'] as { sessionId: string }).sessionId;
  }
  const read = async (path_: string) => (await server.client.get(path_)).body;
  const messagesOf = async (sessionId: string) =>
    (await read(`/api/harness/sessions/${sessionId}/messages`))['messages'] as Json[];
  const textsOf = async (sessionId: string) =>
    (await messagesOf(sessionId))
      .filter(({ role }) => role === 'user')
      .map(({ parts }) => (parts as { text?: string }[])[0]?.text);
  function lastRequest() {
    const sent = server.modelRequests.at(-1)?.body;
    if (sent === undefined) throw new Error('There was no request');
    return sent;
  }

  it('goes on from the turn that it names: its first request begins with the bytes of the source', async () => {
    const sessionId = await create();
    const opts = { tools: ['glob'], thinking: true };
    const asked = { opts };
    await run(sessionId, 'One [[think=5]] [[tool=glob {"pattern":"*"}]]', asked);
    const second = await run(sessionId, 'Two [[think=5]]', asked);
    await run(sessionId, 'Three', asked);
    const origin = lastRequest();
    const forked = await forkId(sessionId, second);
    await run(forked, 'Instead', asked);
    const { messages, ...frame } = lastRequest();
    const kept = messages.slice(0, -1);
    // The last message is the new question; where it begins, the cache ends.
    const plain = (list: unknown[]) =>
      JSON.stringify(list).replaceAll(/,?"cache_control":\{[^}]*\}/g, '');
    expect(plain(kept)).toBe(plain(origin.messages.slice(0, kept.length)));
    expect(plain(kept)).toContain('"type":"thinking"');
    expect([frame.system, frame.tools]).toEqual([origin.system, origin.tools]);
    expect(await textsOf(forked)).toEqual([
      'One [[think=5]] [[tool=glob {"pattern":"*"}]]',
      'Two [[think=5]]',
      'Instead',
    ]);
    expect(await textsOf(sessionId)).toHaveLength(3);
  });

  it('says where it comes from, in answers and lists, and that files stay as they are', async () => {
    const sessionId = await create({ persona: 'EDITOR', mode: 'plan' });
    const turnId = await run(sessionId, 'Hello');
    const { body } = await fork(sessionId, { turnId, position: 'before' });
    const forkedFrom = { sessionId, turnId, position: 'before' };
    expect(body).toMatchObject({
      session: { persona: 'EDITOR', mode: 'plan', forkedFrom },
      filesReverted: false,
    });
    const { sessionId: forked } = body['session'] as { sessionId: string };
    expect(await read(`/api/harness/session/${forked}`)).toMatchObject({ session: { forkedFrom } });
    const listed = (await read('/api/harness/sessions'))['sessions'] as Json[];
    expect(listed.find((one) => one['sessionId'] === forked)).toMatchObject({ forkedFrom });
    expect(await messagesOf(forked)).toEqual([]);
  });

  it('has events that name its own copies of steered messages', async () => {
    const sessionId = await create();
    const asking = '[[tool=write {"file_path":"a.txt","content":"x"}]]';
    const stream = await server.client.turn(sessionId, asking);
    const { data } = await stream.until('approval:request');
    const opts = { onBusy: 'steer' };
    const steered = await Promise.all(
      ['And two', 'And three'].map((text) => server.client.turn(sessionId, text, { opts })),
    );
    const answer = `/api/harness/approvals/${String(data['approvalId'])}`;
    await server.client.post(answer, { decision: 'deny' });
    await Promise.all([stream, ...steered].map((one) => one.all()));
    const turnId = stream.header('x-turn-id') ?? '';
    const forked = await forkId(sessionId, turnId);
    const idsOf = async (session: string) => {
      const rows = await server.db
        .select({ id: steeredMessages.id })
        .from(steeredMessages)
        .where(eq(steeredMessages.sessionId, session))
        .orderBy(asc(steeredMessages.position));
      return rows.map(({ id }) => id);
    };
    const archived = await server.db
      .select({ events: turnArchives.events })
      .from(turnArchives)
      .innerJoin(turns, eq(turns.id, turnArchives.turnId))
      .where(eq(turns.sessionId, forked));
    const joined = /"type":"message.joined","messageId":"([^"]+)"/g;
    const named = [...JSON.stringify(archived).matchAll(joined)].map(([, id]) => id);
    expect(await idsOf(sessionId)).toHaveLength(2);
    expect(named).toEqual(await idsOf(forked));
  });

  it('of a running turn’s session has the turns that have ended, and not that one', async () => {
    const sessionId = await create();
    const ended = await run(sessionId, 'One');
    const stream = await server.client.turn(sessionId, 'Two [[stall=60000]]');
    const running = stream.response.headers.get('x-turn-id') ?? '';
    await stream.until(({ event }) => event === 'chat:delta');
    expect(await fork(sessionId, { turnId: running, position: 'after' })).toMatchObject({
      status: 409,
      body: {
        error: { type: 'TURN_IN_PROGRESS', message: expect.stringContaining('interrupt it') },
      },
    });
    expect(await textsOf(await forkId(sessionId, running, 'before'))).toEqual(['One']);
    const forked = await forkId(sessionId, ended);
    // Nothing of the running turn keeps the fork from its own.
    await run(forked, 'Beside');
    expect(await textsOf(forked)).toEqual(['One', 'Beside']);
    await server.client.post('/api/harness/interrupt', { sessionId });
    await stream.all();
  });

  it.each<[string, unknown, number, string, string]>([
    [
      'a turn that there is not',
      { turnId: someId, position: 'after' },
      404,
      'TURN_NOT_FOUND',
      'has no turn',
    ],
    ['text', { turnId: 'nonsense\u0000', position: 'after' }, 400, 'INVALID_REQUEST', "'turnId'"],
    ['no position', { turnId: someId }, 400, 'INVALID_REQUEST', 'before or after'],
    ['nothing', {}, 400, 'INVALID_REQUEST', "'turnId'"],
  ])('at %s is refused', async (_name, body, status, type, message) => {
    expect(await fork(await create(), body)).toMatchObject({
      status,
      body: { error: { type, message: expect.stringContaining(message) } },
    });
  });

  it('at a turn of another session is refused', async () => {
    const turnId = await run(await create(), 'Hello');
    expect(await fork(await create(), { turnId, position: 'after' })).toMatchObject({
      status: 404,
      body: { error: { type: 'TURN_NOT_FOUND' } },
    });
  });

  it('is made once for each Idempotency-Key, also by two requests at once', async () => {
    const sessionId = await create();
    const turnId = await run(sessionId, 'Hello');
    const body = { turnId, position: 'after' };
    const key = { 'idempotency-key': 'fork-1' };
    const [one, two] = await Promise.all([fork(sessionId, body, key), fork(sessionId, body, key)]);
    expect(one.body).toEqual(two.body);
    expect((await fork(sessionId, body, key)).body).toEqual(one.body);
    const other = await fork(sessionId, { turnId, position: 'before' }, key);
    expect(other).toMatchObject({
      status: 422,
      body: { error: { type: 'IDEMPOTENCY_KEY_REUSED' } },
    });
    const { sessionId: forked } = one.body['session'] as { sessionId: string };
    expect(await textsOf(forked)).toEqual(['Hello']);
  });

  it('has the todos of its point, and is told which files were written after it', async () => {
    const sessionId = await create({ mode: 'acceptEdits' });
    const write = (file: string) =>
      `[[tool=write {"file_path":"${path.join(server.projectRoot, file)}","content":"x"}]]`;
    const todo = (content: string) =>
      `[[tool=todo_write {"todos":[{"id":"a","content":"${content}","status":"pending"}]}]]`;
    const opts = { tools: ['write', 'todo_write'], mode: 'acceptEdits' };
    await run(sessionId, `${todo('Early')} ${write('early.txt')}`, { opts });
    const second = await run(sessionId, `${todo('Late')} ${write('late.txt')}`, { opts });
    const { body } = await fork(sessionId, { turnId: second, position: 'before' });
    const late = path.join(server.projectRoot, 'late.txt');
    expect(body['filesWritten']).toEqual({ paths: [late], more: 0, ranCommands: false });
    const { sessionId: forked } = body['session'] as { sessionId: string };
    expect(await read(`/api/harness/sessions/${forked}/todos`)).toEqual({
      todos: [{ id: 'a', content: 'Early', status: 'pending' }],
    });
    await run(forked, 'Go on', { opts });
    const sent = JSON.stringify(lastRequest().messages.slice(-3));
    expect(sent).toContain('Files were not reverted');
    expect(sent).toContain(late);
    expect(sent).not.toContain(`- ${path.join(server.projectRoot, 'early.txt')}`);
    // Once is enough: the next turn has it in its conversation.
    const next = await run(forked, 'And on', { opts });
    const steps = (await read(`/api/harness/turns/${next}/steps`))['steps'] as {
      notices: Json[];
    }[];
    expect(steps.flatMap(({ notices }) => notices)).toEqual([]);
  });

  it('of a fork works, and both keep their histories when the source is deleted', async () => {
    const sessionId = await create();
    await writeFile(path.join(server.projectRoot, 'notes.txt'), 'What the notes say');
    const attachments = [path.join(server.projectRoot, 'notes.txt')];
    const first = await run(sessionId, 'One [[tool=glob {"pattern":"*"}]]', { attachments });
    await run(sessionId, 'Two');
    const child = await forkId(sessionId, first);
    const own = await run(child, 'Three');
    const grandchild = await forkId(child, own);
    const before = await messagesOf(child);
    expect(
      (await server.client.request('DELETE', `/api/harness/session/${sessionId}`)).status,
    ).toBe(200);
    expect(await messagesOf(child)).toEqual(before);
    expect(await textsOf(grandchild)).toEqual(['One [[tool=glob {"pattern":"*"}]]', 'Three']);
    // Copies have their events, under their own names.
    const { turns } = (await read(`/api/harness/sessions/${grandchild}/turns`)) as {
      turns: Json[];
    };
    const copy = String(turns.at(-1)?.['turnId']);
    const frames = await (await server.client.follow(copy)).all();
    const init = frames.find(({ event }) => event === 'session:init');
    expect(init?.data).toMatchObject({
      sessionId: grandchild,
      messageId: copy.replace('turn_', 'msg_'),
    });
    expect((await read(`/api/harness/turns/${copy}/tools`))['calls']).toHaveLength(1);
    await run(grandchild, 'Four');
    expect(JSON.stringify(lastRequest().messages)).toContain('What the notes say');
  });

  it('inside and behind a summary is sent the right side of it', async () => {
    const sessionId = await create();
    const first = await run(sessionId, 'First question');
    await run(sessionId, 'Second question');
    const third = await run(sessionId, 'Third question');
    const { body } = await server.client.post(`/api/harness/sessions/${sessionId}/compact`, {});
    expect(body['compacted']).toBe(true);
    const behind = await forkId(sessionId, third);
    await run(behind, 'Go on');
    const sent = JSON.stringify(lastRequest().messages);
    expect(sent).toContain('What came before in this conversation');
    expect(sent).not.toContain('Second question"');
    const inside = await forkId(sessionId, first);
    await run(inside, 'Go on');
    const whole = JSON.stringify(lastRequest().messages);
    expect(whole).toContain('First question');
    expect(whole).not.toContain('What came before in this conversation');
  });

  it('is whole or not at all, and a repeat makes it once', async () => {
    const sessionId = await create();
    const turnId = await run(sessionId, 'Hello [[tool=glob {"pattern":"*"}]]');
    const listed = async () =>
      ((await read('/api/harness/sessions'))['sessions'] as Json[]).filter(
        ({ forkedFrom }) => (forkedFrom as Json | undefined)?.['sessionId'] === sessionId,
      );
    const body = { turnId, position: 'after' };
    const key = { 'idempotency-key': 'fork-2' };
    // Some rows of a fork are refused, as when the process dies before them.
    await server.db
      .execute(sql`create function no_calls() returns trigger language plpgsql as $$ begin
      raise exception 'stopped before it'; end $$`);
    await server.db.execute(
      sql`create trigger no_calls before insert on tool_calls for each row execute function no_calls()`,
    );
    expect((await fork(sessionId, body, key)).status).toBe(500);
    expect(await listed()).toEqual([]);
    await server.db.execute(sql`drop function no_calls cascade`);
    const { body: made } = await fork(sessionId, body, key);
    expect((await fork(sessionId, body, key)).body).toEqual(made);
    expect(await listed()).toHaveLength(1);
  });
});
