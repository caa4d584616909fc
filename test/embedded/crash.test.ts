import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Rehearsal, startRehearsal } from '../../src/rehearsal/start-rehearsal.js';
import { expectSoon } from '../support/expect-soon.js';
import { expectWhole } from '../support/expect-whole.js';
import { instructionRootWith } from '../support/instruction-root.js';
import type { ReadFrame } from '../support/read-stream.js';
import { startProcess, type ServerProcess } from '../support/start-process.js';
import { newStore, type TestStore } from '../support/test-store.js';

describe('kill -9 of the server', () => {
  let model: Rehearsal;
  let environment: Record<string, string>;
  let projectRoot: string;
  let store: TestStore;
  const folders: string[] = [];
  const running: ServerProcess[] = [];

  beforeAll(async () => {
    model = await startRehearsal();
    const root = await instructionRootWith({ SHELL: ['auto_approve_tools: [bash]'] });
    folders.push(root);
    environment = {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_DRAIN_MS: '0',
      // Where another process may be alive, a turn is taken over when its lease is over.
      TURNPIKE_LEASE_MS: '1000',
    };
  });

  beforeEach(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-crash-'));
    folders.push(folder);
    projectRoot = await mkdtemp(path.join(folder, 'project-'));
    store = await newStore();
    Object.assign(environment, store.environment);
  });

  afterEach(async () => {
    for (const server of running.splice(0)) {
      if (server.child.exitCode === null && server.child.signalCode === null) {
        await server.kill('SIGKILL');
      }
    }
    await store.remove();
  });

  afterAll(async () => {
    await model.close();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<ServerProcess> {
    const server = await startProcess(environment);
    running.push(server);
    return server;
  }

  const opts = { tools: ['bash', 'glob'], onDisconnect: 'continue' };
  const append = (line: string): string =>
    `[[tool=bash {"command":"echo ${line} >> ran.txt; sleep 20"}]]`;
  const linesRun = async (): Promise<string[]> =>
    (await readFile(path.join(projectRoot, 'ran.txt'), 'utf8')).trim().split('\n');

  it('in the middle of a reply: the half-streamed step is discarded, and the turn ends', async () => {
    const first = await start();
    const sessionId = await first.client.createSession(projectRoot);
    const message = '[[tokens=120 gap=20]]';
    const stream = await first.client.turn(sessionId, message, { opts });
    await stream.until((frame) => String(frame.data['text']).includes('word20'));
    await first.kill('SIGKILL');
    const received = [...stream.frames];

    const second = await start();
    const turnId = stream.header('x-turn-id');
    const rest = await (await second.client.follow(turnId, received.at(-1)?.id)).all();
    const names = rest.map((frame) => frame.event);
    expect(names.slice(0, 3)).toEqual(['turn:recovering', 'step:discard', 'step:start']);
    expect(rest.at(-1)?.data).toEqual({ exitCode: 0 });
    expectWhole([...received, ...rest]);
    const { body } = await second.client.get(`/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({ status: 'completed', attempt: 2 });
    await second.kill('SIGTERM');
  });

  it('while a command runs: it is not run again, and the model is told', async () => {
    const first = await start();
    const sessionId = await first.client.createSession(projectRoot, { persona: 'SHELL' });
    const stream = await first.client.turn(sessionId, append('once'), { opts });
    await stream.until('tool:start');
    await expectSoon(async () => expect(await linesRun()).toEqual(['once']));
    await first.kill('SIGKILL');

    const second = await start();
    const turnId = stream.header('x-turn-id');
    const whole = await (await second.client.follow(turnId)).all();
    expectWhole(whole);
    const results = whole.filter((frame) => frame.event === 'tool:result');
    expect(results.map((frame) => frame.data['status'])).toEqual(['unknown']);
    expect(whole.find((frame) => frame.event === 'chat:complete')?.data['text']).toContain(
      'The outcome of this call is not known',
    );
    expect(await linesRun()).toEqual(['once']);
    await second.kill('SIGTERM');
  });

  it('after a tool: its result is kept, and what a reader saw of it is not said again', async () => {
    const first = await start();
    const sessionId = await first.client.createSession(projectRoot, { persona: 'SHELL' });
    const message = '[[tool=bash {"command":"echo done >> ran.txt"}]] [[stall=20000 step=2]]';
    const stream = await first.client.turn(sessionId, message, { opts });
    await stream.until((frame) => frame.event === 'chat:delta');
    await first.kill('SIGKILL');
    const received = [...stream.frames];

    environment['TURNPIKE_STALL_TIMEOUT_MS'] = '1000';
    const second = await start();
    delete environment['TURNPIKE_STALL_TIMEOUT_MS'];
    const rest = await (
      await second.client.follow(stream.header('x-turn-id'), received.at(-1)?.id)
    ).all();
    expectWhole([...received, ...rest]);
    const results = [...received, ...rest].filter((frame) => frame.event === 'tool:result');
    expect(results.map((frame) => frame.data['status'])).toEqual(['success']);
    expect(await linesRun()).toEqual(['done']);
    await second.kill('SIGTERM');
  });

  it('again and again, at any moment: one end, and no command twice', async () => {
    const message = '[[loop=6 tool=bash {"command":"echo $i >> ran.txt"}]]';
    let server = await start();
    const sessionId = await server.client.createSession(projectRoot, { persona: 'SHELL' });
    const stream = await server.client.turn(sessionId, message, { opts });
    const turnId = stream.header('x-turn-id');
    const received: ReadFrame[] = [];
    let reader = stream;
    for (const frames of [4, 7, 5]) {
      await reader.until(() => reader.frames.length >= frames || isOver(reader.frames));
      await server.kill('SIGKILL');
      received.push(...reader.frames);
      server = await start();
      reader = await server.client.follow(turnId, received.at(-1)?.id);
    }
    received.push(...(await reader.all()));
    expectWhole(received);
    const lines = await linesRun();
    expect(lines).toEqual([...new Set(lines)]);
    await server.kill('SIGTERM');
  });

  it('loses no turn that waited', async () => {
    environment['TURNPIKE_WORKER_CONCURRENCY'] = '1';
    const first = await start();
    const sessions = await Promise.all(
      [1, 2, 3].map(() => first.client.createSession(projectRoot)),
    );
    const streams = [];
    for (const sessionId of sessions) {
      streams.push(await first.client.turn(sessionId, '[[tokens=30 gap=20]]', { opts }));
    }
    await streams[2]?.until('turn:queued');
    await first.kill('SIGKILL');
    const second = await start();
    delete environment['TURNPIKE_WORKER_CONCURRENCY'];
    for (const stream of streams) {
      const whole = await (await second.client.follow(stream.header('x-turn-id'))).all();
      expectWhole(whole);
      expect(whole.at(-1)?.data).toEqual({ exitCode: 0 });
    }
    await second.kill('SIGTERM');
  });

  it('is not needed: SIGTERM hands a running turn back, and the next start goes on', async () => {
    const first = await start();
    const sessionId = await first.client.createSession(projectRoot);
    const stream = await first.client.turn(sessionId, '[[tokens=100 gap=20]]', { opts });
    await stream.until('chat:delta');
    expect(await first.kill('SIGTERM')).toBe(0);
    const second = await start();
    const turnId = stream.header('x-turn-id');
    const rest = await (await second.client.follow(turnId, stream.frames.at(-1)?.id)).all();
    expectWhole([...stream.frames, ...rest]);
    expect(rest.at(-1)?.data).toEqual({ exitCode: 0 });
    await second.kill('SIGTERM');
  });
});

function isOver(frames: readonly ReadFrame[]): boolean {
  return frames.at(-1)?.event === 'process:exit';
}
