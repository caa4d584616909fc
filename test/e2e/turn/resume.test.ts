import { describe, expect, it } from '@jest/globals';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
import { expectSoon } from '../../support/expect-soon.js';
import { StreamReader, type ReadFrame } from '../../support/clients/read-stream.js';
import { turns } from '../../../src/storage/schema.js';
import { PageEvents } from '../../support/clients/page-events.js';
import { startServer, useServer } from '../../support/processes/start-server.js';

const ids = (frames: readonly ReadFrame[]): string[] => frames.map((frame) => frame.id);

describe('a reader that reconnects', () => {
  const server = useServer();

  it('gets every frame once, wherever its connection broke', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const message = '[[think=2]] [[tool=glob {"pattern":"*"}]]';
    const whole = await client.turn(sessionId, message);
    const frames = await whole.all();
    const turnId = whole.header('x-turn-id');
    for (const [index, frame] of frames.entries()) {
      const rest = await (await client.follow(turnId, frame.id)).all();
      expect(ids(rest)).toEqual(ids(frames.slice(index + 1)));
      expect(rest).toEqual(frames.slice(index + 1));
    }
  });

  it('goes on live after what it has, while the turn runs', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const first = await client.turn(sessionId, '[[tokens=60 gap=40]]', {
      opts: { onDisconnect: 'continue' },
    });
    await first.until((frame) => frame.event === 'chat:delta');
    const turnId = first.header('x-turn-id');
    first.leave();
    const received = [...first.frames];
    const second = await client.follow(turnId, received.at(-1)?.id);
    await second.all();
    const replay = await (await client.follow(turnId)).all();
    expect([...received, ...second.frames]).toEqual(replay);
    expect(second.frames.length).toBeGreaterThan(5);
  });

  it('may be one of many, from the start or the middle, and all see the same', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const poster = await client.turn(sessionId, '[[tokens=60 gap=20]]');
    const turnId = poster.header('x-turn-id');
    const readers = await Promise.all(Array.from({ length: 8 }, () => client.follow(turnId)));
    const middle = await poster.until((frame) => frame.event === 'chat:delta');
    const late = await client.follow(turnId, middle.id);
    const all = await poster.all();
    for (const reader of readers) expect(await reader.all()).toEqual(all);
    expect(await late.all()).toEqual(all.slice(all.indexOf(middle) + 1));
  });

  it('may send the cursor as ?after=, without the turn’s id, too', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const poster = await client.turn(sessionId, 'Hello');
    const frames = await poster.all();
    const turnId = poster.header('x-turn-id');
    const response = await fetch(`${server.url}/api/harness/turns/${turnId}/events?after=1.2`);
    const text = await response.text();
    expect(text).not.toContain(frames[1]?.id ?? '-');
    expect(text).toContain(`id: ${frames[2]?.id}\n`);
  });

  it('and never stops by itself is answered when nothing comes any more', async () => {
    const { client, projectRoot, url } = server;
    const poster = await client.turn(await client.createSession(projectRoot), 'Hello');
    const frames = await poster.all();
    const turnId = poster.header('x-turn-id');
    const page = new PageEvents(`${url}/api/harness/turns/${turnId}/events`);
    expect(await page.closed).toBe(204);
    expect([page.statuses, page.frames]).toEqual([[200, 204], frames]);
    // A cursor between two frames of the last event leaves something to send.
    const [end, part] = splitLast(frames.at(-1)?.id);
    const rest = await client.follow(turnId, `${end}.${part - 1}`);
    expect([rest.response.status, await rest.all()]).toEqual([200, frames.slice(-1)]);
    const [attempt = '', seq] = (end.split(':')[1] ?? '').split('.');
    for (const past of [`${attempt}.${Number(seq) + 1}`, `${Number(attempt) + 1}.1`]) {
      const { status, body } = await client.get(
        `/api/harness/turns/${turnId}/events?after=${past}`,
      );
      expect([status, body['error']]).toEqual([
        400,
        expect.objectContaining({ message: expect.stringContaining('past the end') }),
      ]);
    }
  });

  it('ahead of the log of a turn that runs waits; of an attempt that it has not had it is refused', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const opts = { onDisconnect: 'continue' };
    const poster = await client.turn(sessionId, '[[tokens=5000 gap=20]]', { opts });
    await poster.until('chat:delta');
    const turnId = poster.header('x-turn-id');
    const ahead = await client.follow(turnId, `${turnId}:1.900000`);
    expect(ahead.response.status).toBe(200);
    const { status, body } = await client.get(`/api/harness/turns/${turnId}/events?after=2.1`);
    expect([status, body['error']]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining('has not had') }),
    ]);
    await client.post('/api/harness/interrupt', { sessionId });
    expect(await ahead.all()).toEqual([]);
  });

  it('learns what is wrong with its cursor or its turn', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const poster = await client.turn(sessionId, 'Hello');
    await poster.all();
    const turnId = poster.header('x-turn-id');
    const path = `/api/harness/turns/${turnId}/events`;
    for (const after of ['x', '1', '1.x', '-1.2', 'turn_other:1.2', '1.2.3.4', '9999999999.1']) {
      const { status, body } = await client.get(`${path}?after=${encodeURIComponent(after)}`);
      expect([status, body['error']]).toEqual([
        400,
        expect.objectContaining({ type: 'INVALID_REQUEST', details: { turnId } }),
      ]);
    }
    const missing = 'turn_00000000-0000-4000-8000-000000000000';
    for (const id of [missing, 'nonsense', '..%2f..%2fetc']) {
      const { status, body } = await client.get(`/api/harness/turns/${id}/events`);
      expect(status).toBe(404);
      expect(body['error']).toMatchObject({ type: 'TURN_NOT_FOUND' });
    }
  });

  it('gets the same from the archive after a restart', async () => {
    const first = await startServer();
    const { client, projectRoot } = first;
    const sessionId = await client.createSession(projectRoot);
    const poster = await client.turn(
      sessionId,
      '[[loop=2 tool=glob {"pattern":"a$i"}]] [[think=2]]',
    );
    const frames = await poster.all();
    const turnId = poster.header('x-turn-id');
    await first.stop();
    const second = await startServer({ store: first.store });
    expect(await (await second.client.follow(turnId)).all()).toEqual(frames);
    const middle = frames[Math.floor(frames.length / 2)];
    expect(await (await second.client.follow(turnId, middle?.id)).all()).toEqual(
      frames.slice(Math.floor(frames.length / 2) + 1),
    );
    await second.close();
    await first.close();
  });

  it('answers 410 for a turn whose events are no longer kept, and keeps what was said', async () => {
    // Housekeeping sweeps every 200 ms here.
    const after: Clock['after'] = (ms, work) => systemClock.after(ms === 10_000 ? 200 : ms, work);
    const keeping = await startServer({
      environment: { TURNPIKE_ARCHIVE_KEEP_DAYS: '1' },
      clock: { ...systemClock, after },
    });
    const sessionId = await keeping.client.createSession(keeping.projectRoot);
    const post = () =>
      fetch(`${keeping.url}/api/harness/turn`, {
        method: 'POST',
        body: JSON.stringify({ sessionId, message: 'Hello' }),
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
      });
    const stream = new StreamReader(await post(), new AbortController());
    await stream.all();
    const turnId = stream.header('x-turn-id');
    const { db } = keeping;
    await db.update(turns).set({ endedAt: new Date(Date.now() - 2 * 86_400_000) });
    const events = `/api/harness/turns/${turnId}/events`;
    await expectSoon(async () => {
      const { status, text } = await statusOf(keeping.url + events);
      expect([status, text]).toEqual([410, expect.stringContaining('STREAM_EXPIRED')]);
    });
    // The request that is sent again finds that turn.
    expect((await post()).status).toBe(410);
    const { body } = await keeping.client.get(`/api/harness/sessions/${sessionId}/messages`);
    expect(body['messages']).toHaveLength(2);
    await keeping.close();
  });
});

/** The id of a frame, and the number of the frame in it. */
function splitLast(id = ''): [event: string, frame: number] {
  const dot = id.lastIndexOf('.');
  return [id.slice(0, dot), Number(id.slice(dot + 1))];
}

async function statusOf(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}
