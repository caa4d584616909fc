import { statusesOf } from '../support/crash/crash-lines.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Rehearsal, startRehearsal } from '../../rehearsal/start-rehearsal.js';
import { expectSoon } from '../support/expect-soon.js';
import { expectWhole } from '../support/clients/expect-whole.js';
import { FollowedTurn } from '../support/clients/followed-turn.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import type { ReadFrame } from '../support/clients/read-stream.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { newStore, type TestStore } from '../support/database/test-store.js';
import { newFolder } from '../support/suite.js';

/** Frames that a reader gets of each process before the next kill. */
const KILLED_AFTER = process.env['TEST_RELEASE'] === undefined ? [4, 7] : [4, 7, 5];

describe('kill -9 of the server', () => {
  let model: Rehearsal;
  let environment: Record<string, string>;
  let projectRoot: string;
  let store: TestStore;
  const folders: string[] = [];
  const running: ServerProcess[] = [];

  const root = instructionRootWith({ SHELL: ['auto_approve_tools: [bash]'] });
  beforeAll(async () => {
    model = await startRehearsal();
    folders.push(root);
    environment = {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_DRAIN_MS: '0',
    };
  });

  afterAll(async () => {
    await model.close();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  async function open(): Promise<void> {
    const folder = newFolder();
    folders.push(folder);
    projectRoot = await mkdtemp(path.join(folder, 'project-'));
    store = await newStore();
  }

  async function close(): Promise<void> {
    for (const server of running.splice(0)) {
      if (server.child.exitCode === null && server.child.signalCode === null) {
        await server.kill('SIGKILL');
      }
    }
    await store.close();
  }

  async function start(more: Record<string, string> = {}): Promise<ServerProcess> {
    const server = await startProcess({ ...environment, ...store.environment, ...more });
    running.push(server);
    return server;
  }

  const opts = { tools: ['bash', 'glob'], onDisconnect: 'continue' };
  const append = (line: string, then = 'true'): string =>
    `[[tool=bash {"command":"echo ${line} >> ran.txt; ${then}"}]]`;
  const linesRun = async (): Promise<string[]> =>
    (await readFile(path.join(projectRoot, 'ran.txt'), 'utf8')).trim().split('\n').sort();

  describe('with three turns on their way, and one that waits', () => {
    let server: ServerProcess;
    let command: FollowedTurn;
    let answer: FollowedTurn;
    let reply: FollowedTurn;
    let waiting: FollowedTurn;
    let received: number;
    beforeAll(async () => {
      await open();
      // As many as the first three turns.
      const first = await start({ TURNPIKE_WORKER_CONCURRENCY: '3' });
      const send = async (text: string, persona = 'SHELL') => {
        const sessionId = await first.client.createSession(projectRoot, { persona });
        return new FollowedTurn(sessionId, await first.client.turn(sessionId, text, { opts }));
      };
      command = await send(append('hangs', 'sleep 20'));
      await command.until('tool:start');
      answer = await send(`${append('answered')} [[stall=20000 step=2]]`);
      await answer.until('chat:delta');
      await expectSoon(async () => expect(await linesRun()).toEqual(['answered', 'hangs']));
      // The last turn: its words come while all turns are under way.
      reply = await send('[[tokens=120 gap=20]]', 'WORKING_ITEMS');
      await reply.until((frame) => String(frame.data['text']).includes('word20'));
      waiting = await send('[[tokens=30 gap=20]]', 'WORKING_ITEMS');
      await waiting.until('turn:queued');
      await first.kill('SIGKILL');
      received = reply.frames.length;
      server = await start({ TURNPIKE_STALL_TIMEOUT_MS: '2000' });
      for (const turn of [command, answer, reply, waiting]) await turn.comeBack(server.client);
    });
    afterAll(close);

    it('in the middle of a reply: the half-streamed step is discarded, and the turn ends', async () => {
      expect(await reply.exit()).toEqual({ exitCode: 0 });
      expect(reply.frames.slice(received, received + 3).map(({ event }) => event)).toEqual([
        'turn:recovering',
        'step:discard',
        'step:start',
      ]);
      const { body } = await server.client.get(`/api/harness/turns/${reply.turnId}`);
      expect(body['turn']).toMatchObject({ status: 'completed', attempt: 2 });
    });

    it('while a command runs: it is not run again, and the model knows', async () => {
      await command.exit();
      expect(statusesOf(command)).toEqual(['unknown']);
      expect(command.named('chat:complete')[0]?.data['text']).toContain(
        'The outcome of this call is not known',
      );
    });

    it('after a tool: its result is kept, and what a reader saw of it is not said again', async () => {
      await answer.exit();
      expect(statusesOf(answer)).toEqual(['success']);
      expect(await linesRun()).toEqual(['answered', 'hangs']);
    });

    it('loses no turn that waited', async () => {
      expect(await waiting.exit()).toEqual({ exitCode: 0 });
    });

    it('is not needed: SIGTERM hands a running turn back, and the next start goes on', async () => {
      const sessionId = await server.client.createSession(projectRoot);
      const stream = await server.client.turn(sessionId, '[[tokens=100 gap=20]]', { opts });
      await stream.until('chat:delta');
      expect(await server.kill('SIGTERM')).toBe(0);
      const second = await start();
      const turnId = stream.header('x-turn-id');
      const rest = await (await second.client.follow(turnId, stream.frames.at(-1)?.id)).all();
      expectWhole([...stream.frames, ...rest]);
      expect(rest.at(-1)?.data).toEqual({ exitCode: 0 });
      await second.kill('SIGTERM');
    });
  });

  describe('one after the other', () => {
    beforeEach(open);
    afterEach(close);

    it('again and again, at any moment: one end, and no command twice', async () => {
      const message = '[[loop=6 tool=bash {"command":"echo $i >> ran.txt"}]]';
      let server = await start();
      const sessionId = await server.client.createSession(projectRoot, { persona: 'SHELL' });
      const stream = await server.client.turn(sessionId, message, { opts });
      const turnId = stream.header('x-turn-id');
      const received: ReadFrame[] = [];
      let reader = stream;
      for (const frames of KILLED_AFTER) {
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
  });
});

function isOver(frames: readonly ReadFrame[]): boolean {
  return frames.at(-1)?.event === 'process:exit';
}
