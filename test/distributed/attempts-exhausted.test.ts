import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRehearsal, type Rehearsal } from '../../rehearsal/start-rehearsal.js';
import { FollowedTurn } from '../support/clients/followed-turn.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { newStore, type TestStore } from '../support/database/test-store.js';
import { newFolder } from '../support/suite.js';

/** A tool that may run again: its first run stands still, later ones end their process. */
const deadly = (folder: string): string => `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
const ran = ${JSON.stringify(path.join(folder, 'ran'))};
const armed = ${JSON.stringify(path.join(folder, 'armed'))};
export default ({ addTool }) => addTool({
  name: 'deadly', description: 'Ends its process.', inputSchema: { type: 'object' },
  effect: 'read', retry: 'safe',
  run: async () => {
    while (!existsSync(armed)) await setTimeout(20);
    appendFileSync(ran, 'ran\\n');
    if (readFileSync(ran, 'utf8') !== 'ran\\n') process.kill(process.pid, 'SIGKILL');
    for (;;);
  },
});`;

describe('a turn that ends its processes', () => {
  let model: Rehearsal;
  let store: TestStore;
  let server: ServerProcess;
  const folder = newFolder();
  const instructions = instructionRootWith({ DEADLY: ['tools: [deadly]'] });
  beforeAll(async () => {
    await writeFile(path.join(folder, 'deadly.mjs'), deadly(folder));
    model = await startRehearsal();
    store = await newStore();
    server = await start();
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    await model.close();
    await store.close();
  });

  const start = () =>
    startProcess({
      ...store.environment,
      TURNPIKE_INSTRUCTION_ROOT: instructions,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_EXTENSIONS: path.join(folder, 'deadly.mjs'),
      TURNPIKE_LEASE_MS: '2000',
      // A busy machine is that late with a start.
      TURNPIKE_WATCHDOG_MS: '2500',
    });

  it('is given up after three attempts in a row that stored nothing new', async () => {
    const projectRoot = await mkdtemp(path.join(folder, 'project-'));
    const newSession = () => server.client.createSession(projectRoot, { persona: 'DEADLY' });
    const sessionId = await newSession();
    const send = async (message: string, session = sessionId): Promise<FollowedTurn> => {
      const opts = { onBusy: 'enqueue', onDisconnect: 'continue' };
      return new FollowedTurn(session, await server.client.turn(session, message, { opts }));
    };
    const turn = await send('[[tool=deadly {}]]');
    await turn.until('tool:start');
    const held = await send('Second');
    // A reply slower than the deaths: no process lives long enough to store any of it.
    const slow = '[[tokens=3 first=2000]]';
    const beside = [await send(slow, await newSession()), await send(slow, await newSession())];
    for (const one of beside) await one.until('step:start');
    await writeFile(path.join(folder, 'armed'), '');

    const ends: (string | null)[] = [];
    let frozen = '';
    for (let died = 0; died < 4; died += 1) {
      const { child, stderr } = server;
      if (child.signalCode === null) await once(child, 'close');
      ends.push(child.signalCode);
      if (died === 0) frozen = stderr();
      server = await start();
    }
    expect(ends).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL']);
    expect(frozen).toContain('the event loop stood still for 2500 ms');

    for (const one of [turn, held, ...beside]) await one.comeBack(server.client);
    expect(await turn.exit()).toMatchObject({ exitCode: 1, errorType: 'ATTEMPTS_EXHAUSTED' });
    expect(turn.named('turn:error').map(({ data }) => data)).toEqual([
      expect.objectContaining({
        errorType: 'ATTEMPTS_EXHAUSTED',
        retryable: false,
        message: expect.stringContaining('its last 3 attempts'),
      }),
    ]);
    expect(turn.named('turn:end').at(-1)?.data).toMatchObject({
      outcome: 'failed',
      reason: 'attempts_exhausted',
    });
    const { body } = await server.client.get(`/api/harness/turns/${turn.turnId}`);
    expect(body['turn']).toMatchObject({ status: 'failed' });
    // The first attempt stored its step and the claim of the call; three more ran it again.
    expect(await readFile(path.join(folder, 'ran'), 'utf8')).toBe('ran\n'.repeat(4));

    for (const one of beside) expect(await one.exit()).toEqual({ exitCode: 0 });
    expect(await held.exit()).toEqual({ exitCode: 0 });
    expect(await (await send('Third')).exit()).toEqual({ exitCode: 0 });
  });
});
