import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRehearsal, type Rehearsal } from '../../rehearsal/start-rehearsal.js';
import { expectWhole } from '../support/clients/expect-whole.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import type { ReadFrame, StreamReader } from '../support/clients/read-stream.js';
import { startProcess, type ServerProcess } from '../support/processes/start-process.js';
import { newStore, type TestStore } from '../support/database/test-store.js';
import { newFolder } from '../support/suite.js';

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

/** A turn that waits for its subagent. */
interface Parent {
  sessionId: string;
  stream: StreamReader;
}

const words = '[[tokens=150 gap=20]]';
const write = '[[tool=write {"file_path":"x.txt","content":"x"}]]';
const endless = '[[tokens=5000 gap=20]]';

const named = (frames: readonly ReadFrame[], event: string) =>
  frames.filter((frame) => frame.event === event);

/** Three parents, each with a subagent, whose process is killed: each pair is at a different line. */
describe('kill -9 while a subagent works', () => {
  let model: Rehearsal;
  let projectRoot: string;
  let store: TestStore;
  let server: ServerProcess;
  let asking: Parent;
  let lasting: Parent;
  let answering: Parent;
  /** Frames that readers had when the process was killed. */
  let received: ReadonlyMap<Parent, ReadFrame[]>;

  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1', 'tools: [read, write]'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'tools: [read, write]'],
  });
  const folder = newFolder();
  beforeAll(async () => {
    model = await startRehearsal();
    projectRoot = await mkdtemp(path.join(folder, 'project-'));
    store = await newStore();
    const environment = {
      ...store.environment,
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_DRAIN_MS: '0',
      // Two subagents work at once: there is no room for a parent that keeps its place meanwhile.
      TURNPIKE_WORKER_CONCURRENCY: '2',
    };
    server = await startProcess(environment);
    asking = await delegate(write);
    await asking.stream.until('subagent:approval:request');
    lasting = await delegate(endless);
    await lasting.stream.until('subagent:chat:delta');
    answering = await delegate(words);
    await answering.stream.until(
      ({ event, data }) =>
        event === 'subagent:chat:delta' && String(data['text']).includes('word20'),
    );
    await server.kill('SIGKILL');
    received = new Map(
      [asking, lasting, answering].map((parent) => [parent, [...parent.stream.frames]]),
    );
    server = await startProcess(environment);
  });

  afterAll(async () => {
    await server.kill('SIGKILL');
    await store.close();
    await model.close();
  });

  async function delegate(prompt: string): Promise<Parent> {
    const sessionId = await server.client.createSession(projectRoot, { persona: 'LEAD' });
    const message = `[[tool=task ${JSON.stringify({ agent: 'TASKER', prompt })}]]`;
    const opts = { subagentGovernance, onDisconnect: 'continue' };
    return { sessionId, stream: await server.client.turn(sessionId, message, { opts }) };
  }

  /** The frames of a reader that came back, from the first one on. */
  async function wholeOf(parent: Parent): Promise<ReadFrame[]> {
    const before = received.get(parent) ?? [];
    const turnId = parent.stream.header('x-turn-id');
    const rest = await (await server.client.follow(turnId, before.at(-1)?.id)).all();
    const whole = [...before, ...rest];
    expectWhole(whole);
    return whole;
  }

  it('both go on: one subagent, one answer, nothing streamed twice', async () => {
    const whole = await wholeOf(answering);
    expect(whole.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(named(whole, 'subagent:start')).toHaveLength(1);
    expect(named(whole, 'subagent:end')).toHaveLength(1);
    expect(named(whole, 'subagent:step:discard')).toHaveLength(1);
    const childTurnId = String(named(whole, 'subagent:start')[0]?.data['childTurnId']);
    const own = await (await server.client.follow(childTurnId)).all();
    const kept = whole.filter(
      ({ event, data }) => event.startsWith('subagent:') && 'parentToolUseId' in data,
    );
    // Events of the discarded step are in neither log any more; this reader has seen them.
    const since = (frames: readonly ReadFrame[], event: string) =>
      frames.slice(frames.findIndex((frame) => frame.event === event));
    expect(since(kept, 'subagent:turn:recovering').map(({ event }) => event)).toEqual(
      since(own, 'turn:recovering').map(({ event }) => `subagent:${event}`),
    );
    expect(named(kept, 'subagent:session:init')).toHaveLength(1);
    const [result] = named(whole, 'tool:result');
    expect(result?.data).toMatchObject({ name: 'task', ok: true });
  });

  it('that waits for a person: the answer after the restart lets both go on', async () => {
    const [request] = named(received.get(asking) ?? [], 'subagent:approval:request');
    const answered = await server.client.post(
      `/api/harness/approvals/${String(request?.data['approvalId'])}`,
      { decision: 'approve' },
    );
    expect(answered.status).toBe(200);
    const whole = await wholeOf(asking);
    expect(whole.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(named(whole, 'subagent:approval:resolve')).toHaveLength(1);
    expect(named(whole, 'subagent:end')[0]?.data).toMatchObject({ outcome: 'completed' });
  });

  it('whose parent is interrupted after the restart: both end', async () => {
    await server.client.post('/api/harness/interrupt', { sessionId: lasting.sessionId });
    const whole = await (await server.client.follow(lasting.stream.header('x-turn-id'))).all();
    expectWhole(whole);
    expect(whole.at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    expect(named(whole, 'subagent:end')[0]?.data).toMatchObject({ outcome: 'interrupted' });
  });
});
