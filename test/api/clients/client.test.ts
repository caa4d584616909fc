import { openAsBlob } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  ConnectionLostError,
  TurnpikeClient,
  TurnpikeError,
  type ClientOptions,
  type HarnessEvent,
  type Turn,
} from '../../../src/client/turnpike-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('the typed client', () => {
  const server = useServer();
  const client = useShared(() => open());

  function open(more: Partial<ClientOptions> = {}): TurnpikeClient {
    return new TurnpikeClient({ url: server.url, ...more });
  }

  const newSession = async (): Promise<string> =>
    (await client.sessions.create({ projectRoot: server.projectRoot })).sessionId;

  async function eventsOf(turn: AsyncIterable<HarnessEvent>): Promise<HarnessEvent[]> {
    const events: HarnessEvent[] = [];
    for await (const event of turn) events.push(event);
    return events;
  }

  it('runs a turn, and says what it came to', async () => {
    const turn = await client.turn({ sessionId: await newSession(), message: 'Hello' });
    expect(turn.disposition).toEqual({ type: 'started' });
    const events = await eventsOf(turn);
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(['session:init', 'process:exit']);
    const streamed = events
      .map((one) => (one.event === 'chat:delta' ? one.data.text : ''))
      .join('');
    const result = await turn.result();
    expect(result).toMatchObject({ turnId: turn.turnId, text: streamed, outcome: 'completed' });
    expect((await client.turns.get(turn.turnId)).status).toBe('completed');
    expect(await eventsOf(client.follow(turn.turnId))).toEqual(events);
    const [first, ...rest] = events;
    expect(await eventsOf(client.follow(turn.turnId, { after: first?.id }))).toEqual(rest);
    expect(await eventsOf(client.follow(turn.turnId, { after: events.at(-1)?.id }))).toEqual([]);
  });

  it('gets every event once over connections that break anywhere', async () => {
    let left = 0;
    const breaking: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.body === null) return response;
      // Lengths differ each time, so that connections break inside of every kind of frame.
      const body = breakAfter(response.body, 300 + ((left += 1_370) % 9_000));
      return new Response(body, { status: response.status, headers: response.headers });
    };
    const broken = open({ fetch: breaking, random: () => 0 });
    const message = '[[think=5]] [[tool=glob {"pattern":"*"}]] [[tokens=200 gap=1]]';
    const turn = await broken.turn({ sessionId: await newSession(), message });
    const events = await eventsOf(turn);
    expect(events).toEqual(await eventsOf(client.follow(turn.turnId)));
    expect(left).toBeGreaterThan(1_370 * 3);
  });

  it('asks once for a turn whose answer was lost', async () => {
    let isLost = false;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (isLost || init?.method !== 'POST') return response;
      isLost = true;
      await response.body?.cancel();
      throw new TypeError('fetch failed');
    };
    const sessionId = await newSession();
    const turn = await open({ fetch: losing, random: () => 0 }).turn({ sessionId, message: 'Hi' });
    expect(turn.disposition).toEqual({ type: 'repeated' });
    expect((await turn.result()).outcome).toBe('completed');
    const { messages } = await client.messages(sessionId);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('interrupts a turn, or leaves it', async () => {
    const request = { sessionId: await newSession(), message: '[[tokens=5000 gap=5]]' };
    const leaving = new AbortController();
    const opts = { onDisconnect: 'continue' } as const;
    const left = await client.turn({ ...request, opts, signal: leaving.signal });
    const reading = (async () => {
      for await (const { event } of left) {
        if (event === 'chat:delta') leaving.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    const again = client.follow(left.turnId, { after: left.lastEventId });
    expect(['running', 'in-tool']).toContain(await again.interrupt());
    const result = await again.result();
    expect(result).toMatchObject({ outcome: 'interrupted', exitCode: 130 });
  });

  async function asked(turn: Turn): Promise<string> {
    for await (const { event, data } of turn) {
      if (event === 'approval:request') return data.approvalId;
    }
    throw new Error('Nothing was asked');
  }

  const write = (file: string): string =>
    `[[tool=write {"file_path":"${file}","content":"${file}"}]]`;
  const made = (file: string): Promise<string> =>
    readFile(path.join(server.projectRoot, file), 'utf8');

  it('answers what turns wait for', async () => {
    const sessionId = await newSession();
    const run = (message: string): Promise<Turn> => client.turn({ sessionId, message });
    const approved = await run(write('a.txt'));
    const first = await asked(approved);
    expect((await client.approvals.list({ sessionId })).approvals).toMatchObject([
      { approvalId: first, name: 'write', status: 'pending' },
    ]);
    await client.approvals.approve(first, { input: { file_path: 'b.txt', content: 'edited' } });
    expect((await approved.result()).outcome).toBe('completed');
    expect(await made('b.txt')).toBe('edited');
    const denied = await run(write('c.txt'));
    await client.approvals.deny(await asked(denied), 'Not there');
    expect((await denied.result()).text).toContain('Not there');
    const granted = await run(write('d.txt'));
    await client.approvals.approveForSession(await asked(granted), { rule: 'write' });
    await granted.result();
    expect((await (await run(write('e.txt'))).result()).outcome).toBe('completed');
    expect(await made('e.txt')).toBe('e.txt');
    const late = client.approvals.deny(first);
    await expect(late).rejects.toMatchObject({ code: 'APPROVAL_RESOLVED', status: 409 });
    expect((await client.approvals.get(first)).decision).toBe('approve');
  });

  it('runs tools of its own', async () => {
    const clientTools = [
      { name: 'ask_user', description: 'Asks.', inputSchema: { type: 'object', properties: {} } },
    ];
    const turn = await client.turn({
      sessionId: await newSession(),
      message: '[[tool=ask_user {}]]',
      opts: { clientTools },
    });
    for await (const { event, data } of turn) {
      if (event !== 'approval:request') continue;
      expect(data.kind).toBe('client-tool');
      await client.approvals.answer(data.approvalId, { colour: 'red' });
    }
    expect((await turn.result()).text).toContain('red');
  });

  it('sends files, and reports its progress', async () => {
    const file = path.join(server.projectRoot, 'long.txt');
    const text = 'The quick brown fox. '.repeat(20_000);
    await writeFile(file, text);
    const content = await openAsBlob(file);
    const sent: number[] = [];
    const uploaded = await client.uploads.send(
      { name: 'long.txt', content },
      { onProgress: (progress) => sent.push(progress.sent) },
    );
    expect(uploaded).toMatchObject({ name: 'long.txt', size: text.length });
    expect(sent.at(-1)).toBe(text.length);
    expect(sent.length).toBeGreaterThan(2);
    const sessionId = await newSession();
    const turn = await client.turn({ sessionId, message: 'Read it', attachments: [uploaded] });
    expect((await turn.result()).outcome).toBe('completed');
    expect((await client.messages(sessionId)).messages[0]?.parts).toContainEqual(
      expect.objectContaining({ type: 'file', name: 'long.txt' }),
    );
    const refused = client.uploads.send({ name: 'x.exe', content: new Blob(['MZ\0\x03']) });
    await expect(refused).rejects.toMatchObject({ code: 'ATTACHMENT_FAILURE', status: 400 });
    const huge = { name: 'huge.txt', content: new Blob([new Uint8Array(25 * 1024 * 1024)]) };
    await expect(client.uploads.send(huge)).rejects.toBeInstanceOf(TurnpikeError);
  });

  it('keeps preferences, and says what is wrong with them', async () => {
    const before = await client.settings.get();
    expect(before.max_iterations).toBe(15);
    expect((await client.settings.update({ max_iterations: 7 })).max_iterations).toBe(7);
    expect((await client.settings.getAll())['max_iterations']).toBe(7);
    const wrong = client.settings.update({ max_iterations: 700 });
    await expect(wrong).rejects.toMatchObject({
      status: 422,
      details: [{ loc: ['body', 'max_iterations'], type: 'less_than_equal' }],
    });
    expect(await client.settings.reset()).toEqual(before);
  });

  it('knows sessions, agents and usage', async () => {
    const sessionId = await newSession();
    expect((await client.sessions.get(sessionId)).projectRoot).toBe(server.projectRoot);
    const inFolder = await client.sessions.inFolder(server.projectRoot);
    expect(inFolder.map((one) => one.sessionId)).toContain(sessionId);
    const { sessions, nextCursor } = await client.sessions.list({ limit: 1 });
    expect(sessions.map((one) => one.sessionId)).toEqual([sessionId]);
    const next = await client.sessions.list({ limit: 1, cursor: nextCursor });
    expect(next.sessions[0]?.sessionId).not.toBe(sessionId);
    expect((await client.sessions.boot(sessionId)).boot.claudeSessionId).toMatch(/^claude_/);
    expect((await client.agents()).length).toBeGreaterThan(0);
    expect((await client.tools()).map(({ name }) => name)).toContain('bash');
    expect(['embedded', 'distributed']).toContain((await client.queue()).backEnd);
    expect(await client.usage()).toMatchObject({ tokens: null, usd: null });
    await client.sessions.delete(sessionId);
    await expect(client.sessions.get(sessionId)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      status: 404,
      retryable: false,
    });
  });

  it('says which steps and calls a turn had', async () => {
    const message = '[[tool=glob {"pattern":"*.none"}]]';
    const turn = await client.turn({ sessionId: await newSession(), message });
    await turn.result();
    expect((await client.turns.steps(turn.turnId)).steps).toHaveLength(2);
    const { events } = await client.turns.log(turn.turnId, { limit: 1_000 });
    expect(events.at(-1)?.type).toBe('turn.ended');
    const { turns } = await client.sessions.turns(turn.sessionId);
    expect(turns).toMatchObject([{ turnId: turn.turnId, status: 'completed' }]);
    const { calls, nextCursor } = await client.turns.calls(turn.turnId, { limit: 1 });
    expect([calls.map(({ name }) => name), nextCursor]).toEqual([['glob'], undefined]);
  });

  it('throws what the server says, and says when there is none', async () => {
    const sessionId = await newSession();
    const running = await client.turn({ sessionId, message: '[[stall=60000]]' });
    await expect(client.turn({ sessionId, message: 'Hi' })).rejects.toMatchObject({
      name: 'TurnpikeError',
      code: 'TURN_IN_PROGRESS',
      status: 409,
      retryable: true,
    });
    await running.interrupt();
    await running.result();
    const nobody = new TurnpikeClient({ url: 'http://127.0.0.1:9', maxSilenceMs: 0 });
    await expect(nobody.agents()).rejects.toBeInstanceOf(ConnectionLostError);
    await expect(nobody.turn({ sessionId, message: 'Hi' })).rejects.toThrow('cannot be reached');
  });
});

/** A network that fails: what was sent arrives, and then nothing does. */
function breakAfter(body: ReadableStream<Uint8Array>, most: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = most;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (left <= 0) {
          await reader.cancel();
          return controller.error(new TypeError('terminated'));
        }
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value.slice(0, left));
        left -= value.length;
        return undefined;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
