import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { expectSoon } from '../../support/expect-soon.js';
import { HeldWaits } from '../../support/held-waits.js';
import { answerWith } from '../../support/webhooks/start-receiver.js';
import { startHook } from '../../support/tools/start-hook.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const call = (name: string, input: object, step = 1): string =>
  `[[tool=${name} ${JSON.stringify(input)} step=${step}]]`;
const write = (file: string): string => call('write', { file_path: file, content: 'x' });

describe('the tool hook', () => {
  let projectRoot: string;
  const hook = useShared(startHook);
  const root = instructionRootWith({
    LEAD: ['subagents: [WRITER]', 'AGENT_TYPE: 1', 'tools: [read, write]'],
    WRITER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'tools: [read, write]'],
    BARRED: ['disallowed_tools: [write]'],
  });
  // However busy the machine is, the hook answers in time.
  const clock = new HeldWaits(2_000);
  const server = useServer(() => ({
    clock,
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      ...hook.environment,
    },
  }));
  beforeEach(async () => {
    hook.receiver.received.length = 0;
    hook.say({ decision: 'allow' });
    projectRoot = await mkdtemp(path.join(server.projectRoot, 'project-'));
  });

  async function start(message: string, { persona = 'WORKING_ITEMS', opts = {} } = {}) {
    const sessionId = await server.client.createSession(projectRoot, { persona });
    const stream = await server.client.turn(sessionId, message, {
      opts: { mode: 'acceptEdits', onDisconnect: 'continue', ...opts },
    });
    return { sessionId, stream };
  }

  async function run(message: string, given: Parameters<typeof start>[1] = {}) {
    const { sessionId, stream } = await start(message, given);
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    const results = frames.filter(({ event }) => event === 'tool:result').map(({ data }) => data);
    return { sessionId, frames, results, turnId: stream.header('x-turn-id') };
  }
  const wrote = (file: string): boolean => existsSync(path.join(projectRoot, file));

  it('is asked once about a call, with what the rules say of it', async () => {
    const { sessionId, turnId, results } = await run(write('a.md'));
    expect(results).toMatchObject([{ status: 'success' }]);
    expect(hook.receiver.received).toHaveLength(1);
    expect(hook.about('write')).toEqual([
      {
        turnId,
        sessionId,
        principal: 'local',
        agent: 'WORKING_ITEMS',
        callId: results[0]?.['toolUseId'],
        tool: 'write',
        input: { file_path: 'a.md', content: 'x' },
        rules: { decision: 'allow', rule: 'edits-accepted', reason: 'mode acceptEdits runs edits' },
      },
    ]);
  });

  it('denies what the rules allow: the model and people read why', async () => {
    hook.say({ decision: 'deny', reason: 'not on Fridays' });
    const { results, frames } = await run(write('b.md'));
    const output =
      'permission denied: the tool hook of this server denies the call: not on Fridays';
    expect(results).toMatchObject([{ status: 'denied', output }]);
    expect(frames.some(({ event }) => event === 'tool:start')).toBe(false);
    expect(wrote('b.md')).toBe(false);
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain(output);
  });

  it('allows nothing that the rules deny, and is not asked about it', async () => {
    const { results } = await run(write('c.md'), { persona: 'BARRED' });
    expect(results).toMatchObject([{ status: 'denied' }]);
    expect(hook.receiver.received).toEqual([]);
  });

  it('answers no question that the rules ask', async () => {
    const { stream } = await start(write('d.md'), { opts: { mode: 'direct' } });
    const asked = await stream.until('approval:request');
    expect(asked.data).toMatchObject({ reason: 'write needs an approval in mode direct' });
    await answer(asked.data['approvalId'], { decision: 'deny' });
    await stream.all();
    expect(wrote('d.md')).toBe(false);
    expect(hook.about('write')).toHaveLength(1);
  });

  const answer = (id: unknown, body: object) =>
    server.client.post(`/api/harness/approvals/${String(id)}`, body);

  it('asks a person about what the rules allow, and is not asked again after a yes', async () => {
    hook.say({ decision: 'ask', reason: 'a large change' });
    const { stream } = await start(`${write('e.md')} ${call('glob', { pattern: '*' }, 2)}`);
    const asked = await stream.until('approval:request');
    expect(asked.data).toMatchObject({
      kind: 'tool',
      reason: 'the tool hook asks before write: a large change',
    });
    hook.say({ decision: 'allow' });
    await answer(asked.data['approvalId'], { decision: 'approve' });
    await stream.all();
    expect(wrote('e.md')).toBe(true);
    expect([hook.about('write').length, hook.about('glob').length]).toEqual([1, 1]);
  });

  it('is asked again about an input that a person made', async () => {
    const { stream } = await start(write('f.md'), { opts: { mode: 'direct' } });
    const asked = await stream.until('approval:request');
    hook.say({ decision: 'deny' });
    const input = { file_path: 'other.md', content: 'y' };
    await answer(asked.data['approvalId'], { decision: 'approve', input });
    const results = (await stream.all()).filter(({ event }) => event === 'tool:result');
    expect(results.map(({ data }) => data['status'])).toEqual(['denied']);
    expect(hook.about('write').map((question) => question.input)).toEqual([
      { file_path: 'f.md', content: 'x' },
      input,
    ]);
    expect(wrote('other.md')).toBe(false);
  });

  it('denies where it asks and the mode asks nobody', async () => {
    hook.say({ decision: 'ask' });
    const { results } = await run(call('glob', { pattern: '*' }), { opts: { mode: 'dontAsk' } });
    expect(results).toMatchObject([
      { status: 'denied', output: expect.stringContaining('mode dontAsk asks nobody') },
    ]);
  });

  it('that fails denies calls with effects, and lets safe ones run', async () => {
    hook.receiver.answer = answerWith(500, {}, '{"decision":"allow"}');
    const { results } = await run(`${write('g.md')} ${call('glob', { pattern: '*' })}`);
    const statuses = Object.fromEntries(results.map(({ name, status }) => [name, status]));
    expect(statuses).toEqual({ write: 'denied', glob: 'success' });
    expect(results.map(({ output }) => output)).toContainEqual(
      'permission denied: the tool hook of this server answered 500 instead of 200, and without its word write does not run. Go on without it, or try again later.',
    );
    expect(wrote('g.md')).toBe(false);
    const { body } = await server.client.get('/ready');
    expect(body['ready']).toBe(true);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/turnpike_tool_hook_questions_total\{outcome="failed"\} [2-9]/);
    const lines = server.logLines.filter((line) =>
      line.includes('the tool hook gave no usable answer'),
    );
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const path of ['/health', '/health/agent']) {
      expect((await server.client.get(path)).body).toMatchObject({
        status: 'healthy',
        tool_hook: {
          failures_in_row: 2,
          last_answer_at: expect.stringMatching(/^20/),
          last_failure_at: expect.stringMatching(/^20/),
        },
      });
    }
  });

  it('that hangs holds a turn for two seconds, not another one, and no cancel', async () => {
    hook.receiver.answer = () => undefined;
    const slow = await start(write('h.md'));
    const hanging = await start(write('i.md'));
    await expectSoon(() => expect(hook.about('write')).toHaveLength(2));
    await server.client.post('/api/harness/interrupt', { sessionId: hanging.sessionId });
    const interrupted = await hanging.stream.all();
    expect(interrupted.at(-1)?.data).toMatchObject({ interrupted: true });
    // Held to the end of the hook's time, its call would have been denied.
    const outputs = interrupted.map(({ data }) => String(data['output']));
    expect(outputs.filter((output) => output.includes('without its word'))).toEqual([]);
    expect(clock.count).toBeGreaterThan(0);
    await clock.end();
    const frames = await slow.stream.all();
    expect(frames.filter(({ data }) => data['status'] === 'denied')).toHaveLength(1);
    expect(wrote('h.md') || wrote('i.md')).toBe(false);
  });

  it('is asked about calls of subagents, and of clients’ tools, which a failure denies', async () => {
    const subagentGovernance = {
      contextSealed: true,
      pipelineRunApproved: true,
      approvalRef: 'CHG-1',
    };
    const prompt = write('j.md').replaceAll('"', '\\"');
    const parent = await run(`[[tool=task {"agent":"WRITER","prompt":"${prompt}"}]]`, {
      persona: 'LEAD',
      opts: { subagentGovernance },
    });
    expect(hook.about('task')).toMatchObject([{ agent: 'LEAD' }]);
    expect(hook.about('write')).toMatchObject([{ agent: 'WRITER', parentTurnId: parent.turnId }]);
    hook.receiver.answer = answerWith(404);
    const pick = { name: 'pick', description: 'Picks.', inputSchema: { type: 'object' } };
    const { results } = await run(call('pick', {}), { opts: { clientTools: [pick] } });
    expect(results).toMatchObject([{ name: 'pick', status: 'denied' }]);
  });
});
