import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completeText, expectWhole, textOf } from '../support/clients/expect-whole.js';
import type { ReadFrame } from '../support/clients/read-stream.js';
import { serverProgram } from '../support/processes/built-programs.js';
import { buildPreviousVersion } from '../support/processes/previous-version.js';
import { startDeployment, type Deployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';

const LEASE_MS = '1500';
const TURNS_OF_EACH = 6;
const AT_ONCE = 8;

/** Turns that stream and store what workers and APIs tell each other, with their exit codes. */
const messages: readonly [message: string, exitCode: number][] = [
  ['[[tokens=30 gap=2]]', 0],
  ['[[think=10]] [[tokens=10]]', 0],
  ['[[update=3]] [[loop=2 tool=read {"file_path":"notes.txt"}]]', 0],
  ['[[tool=read {"file_path":"notes.txt"}]] [[tool=glob {"pattern":"*"}]]', 0],
  ['[[tool=todo_write {"todos":[{"content":"Look","status":"pending"}]}]]', 0],
  ['[[fail=529 times=1]] [[tokens=8]]', 0],
  ['[[fail=400]]', 1],
];

type Program = typeof serverProgram;

describe('a version beside the one before it, on one database and one Redis', () => {
  let deployment: Deployment;
  let previous: Program;
  beforeAll(async () => {
    [deployment, previous] = await Promise.all([startDeployment(), buildPreviousVersion()]);
    await writeFile(path.join(deployment.projectRoot, 'notes.txt'), 'Hello');
  });
  afterAll(() => deployment.close());

  const start = (role: 'api' | 'worker', program: Program): Promise<ServerProcess> =>
    deployment.start(role, { TURNPIKE_LEASE_MS: LEASE_MS }, program);
  const session = ({ client }: ServerProcess): Promise<string> =>
    client.createSession(deployment.projectRoot);

  /** One turn, as its own reader had it, and as a reader gets it who comes after. */
  async function runTurn(api: ServerProcess, message: string): Promise<ReadFrame[]> {
    const stream = await api.client.turn(await session(api), message);
    const frames = await stream.all();
    expectWhole(frames);
    const again = await api.client.follow(stream.header('x-turn-id'));
    expect(await again.all()).toEqual(frames);
    return frames;
  }

  async function approves(api: ServerProcess): Promise<void> {
    const { client } = api;
    const sessionId = await session(api);
    const message = '[[tool=write {"file_path":"made.txt","content":"x"}]]';
    const stream = await client.turn(sessionId, message);
    const { data } = await stream.until('approval:request');
    const path = `/api/harness/approvals/${String(data['approvalId'])}`;
    expect((await client.post(path, { decision: 'approve' })).status).toBe(200);
    expectWhole(await stream.all());
  }

  describe.each([
    ['a new API and a previous worker', () => serverProgram, () => previous],
    ['a previous API and a new worker', () => previous, () => serverProgram],
  ])('%s', (_, apiProgram, workerProgram) => {
    let api: ServerProcess;
    let worker: ServerProcess;
    beforeAll(async () => {
      api = await start('api', apiProgram());
      worker = await start('worker', workerProgram());
    });
    afterAll(() => Promise.all([api, worker].map(({ kill }) => kill('SIGTERM'))));

    it('end every turn, and lose no event', async () => {
      const left = Array.from({ length: TURNS_OF_EACH }, () => messages).flat();
      const runRest = async (): Promise<void> => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) {
          const [message, exitCode] = next;
          const frames = await runTurn(api, message);
          expect([message, frames.at(-1)?.data['exitCode']]).toEqual([message, exitCode]);
          if (exitCode === 0) expect(textOf(frames)).toBe(completeText(frames));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, runRest));
    });

    it('wait for an answer and go on with it', () => approves(api));

    it('hand a turn of a dead worker to a worker of the other version', async () => {
      const sessionId = await session(api);
      // It takes longer than a process takes to start; an interrupt ends it.
      const stream = await api.client.turn(sessionId, '[[tokens=5000 gap=20]]');
      await stream.until('chat:delta');
      const dying = worker;
      worker = await start('worker', apiProgram());
      await dying.kill('SIGKILL');
      await stream.until('turn:recovering');
      await stream.until(({ event, id }) => event === 'chat:delta' && id.includes(':2.'));
      await api.client.post('/api/harness/interrupt', { sessionId });
      expectWhole(await stream.all());
    });
  });
});
