import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startRehearsal, type Rehearsal } from '../../src/rehearsal/start-rehearsal.js';
import { expectWhole } from '../support/clients/expect-whole.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import type { ReadFrame } from '../support/clients/read-stream.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { newStore, type TestStore } from '../support/database/test-store.js';

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

describe('kill -9 while a subagent works', () => {
  let model: Rehearsal;
  let root: string;
  let folder: string;
  let projectRoot: string;
  let store: TestStore;
  let environment: Record<string, string>;
  const running: ServerProcess[] = [];

  beforeAll(async () => {
    model = await startRehearsal();
    root = await instructionRootWith({
      LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1', 'tools: [read, write]'],
      TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'tools: [read, write]'],
    });
  });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'turnpike-subagents-'));
    projectRoot = await mkdtemp(path.join(folder, 'project-'));
    store = await newStore();
    environment = {
      ...store.environment,
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_DRAIN_MS: '0',
      TURNPIKE_LEASE_MS: '1000',
      TURNPIKE_WORKER_CONCURRENCY: '1',
    };
  });

  afterEach(async () => {
    for (const server of running.splice(0)) {
      if (server.child.exitCode === null && server.child.signalCode === null) {
        await server.kill('SIGKILL');
      }
    }
    await store.remove();
    await rm(folder, { recursive: true, force: true });
  });

  afterAll(async () => {
    await model.close();
    await rm(root, { recursive: true, force: true });
  });

  async function start(): Promise<ServerProcess> {
    const server = await startProcess(environment);
    running.push(server);
    return server;
  }

  async function delegate(server: ServerProcess, prompt: string) {
    const sessionId = await server.client.createSession(projectRoot, { persona: 'LEAD' });
    const message = `[[tool=task ${JSON.stringify({ agent: 'TASKER', prompt })}]]`;
    const opts = { subagentGovernance, onDisconnect: 'continue' };
    return { sessionId, stream: await server.client.turn(sessionId, message, { opts }) };
  }

  const named = (frames: readonly ReadFrame[], event: string) =>
    frames.filter((frame) => frame.event === event);

  it('both go on: one subagent, one answer, nothing streamed twice', async () => {
    const first = await start();
    const { stream } = await delegate(first, '[[tokens=150 gap=20]]');
    await stream.until(
      ({ event, data }) =>
        event === 'subagent:chat:delta' && String(data['text']).includes('word20'),
    );
    await first.kill('SIGKILL');
    const received = [...stream.frames];

    const second = await start();
    const turnId = stream.header('x-turn-id');
    const rest = await (await second.client.follow(turnId, received.at(-1)?.id)).all();
    const whole = [...received, ...rest];
    expectWhole(whole);
    expect(rest.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(named(whole, 'subagent:start')).toHaveLength(1);
    expect(named(whole, 'subagent:end')).toHaveLength(1);
    expect(named(whole, 'subagent:step:discard')).toHaveLength(1);
    const childTurnId = String(named(whole, 'subagent:start')[0]?.data['childTurnId']);
    const own = await (await second.client.follow(childTurnId)).all();
    const lasting = whole.filter(
      ({ event, data }) => event.startsWith('subagent:') && 'parentToolUseId' in data,
    );
    // Events of the discarded step are in neither log any more; this reader has seen them.
    const since = (frames: readonly ReadFrame[], event: string) =>
      frames.slice(frames.findIndex((frame) => frame.event === event));
    expect(since(lasting, 'subagent:turn:recovering').map(({ event }) => event)).toEqual(
      since(own, 'turn:recovering').map(({ event }) => `subagent:${event}`),
    );
    expect(named(lasting, 'subagent:session:init')).toHaveLength(1);
    const [result] = named(whole, 'tool:result');
    expect(result?.data).toMatchObject({ name: 'task', ok: true });
    await second.kill('SIGTERM');
  });

  it('that waits for a person: the answer after the restart lets both go on', async () => {
    const first = await start();
    const write = '[[tool=write {"file_path":"x.txt","content":"x"}]]';
    const { stream } = await delegate(first, write);
    const { data } = await stream.until('subagent:approval:request');
    await first.kill('SIGKILL');
    const received = [...stream.frames];

    const second = await start();
    const answered = await second.client.post(
      `/api/harness/approvals/${String(data['approvalId'])}`,
      { decision: 'approve' },
    );
    expect(answered.status).toBe(200);
    const rest = await (
      await second.client.follow(stream.header('x-turn-id'), received.at(-1)?.id)
    ).all();
    const whole = [...received, ...rest];
    expectWhole(whole);
    expect(rest.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(named(whole, 'subagent:approval:resolve')).toHaveLength(1);
    expect(named(whole, 'subagent:end')[0]?.data).toMatchObject({ outcome: 'completed' });
    await second.kill('SIGTERM');
  });

  it('whose parent is interrupted after the restart: both end', async () => {
    const first = await start();
    const { stream, sessionId } = await delegate(first, '[[tokens=5000 gap=20]]');
    await stream.until('subagent:chat:delta');
    await first.kill('SIGKILL');
    const second = await start();
    await second.client.post('/api/harness/interrupt', { sessionId });
    const whole = await (await second.client.follow(stream.header('x-turn-id'))).all();
    expectWhole(whole);
    expect(whole.at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    expect(named(whole, 'subagent:end')[0]?.data).toMatchObject({ outcome: 'interrupted' });
    await second.kill('SIGTERM');
  });
});
