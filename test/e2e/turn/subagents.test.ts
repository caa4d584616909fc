import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

describe('a subagent', () => {
  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER, WRITER]', 'AGENT_TYPE: 1', 'tools: [read, write]'],
    READER: ['subagents: [WRITER]', 'AGENT_TYPE: 1', 'tools: [read]'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'description: Does tasks.'],
    WRITER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'tools: [read, write]'],
  });
  const server = useServer({
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      TURNPIKE_WORKER_CONCURRENCY: '1',
      TURNPIKE_SUBAGENT_FANOUT: '3',
    },
  });

  const task = (agent: string, prompt: string): string =>
    `[[tool=task ${JSON.stringify({ agent, prompt })}]]`;

  async function start(message: string, { persona = 'LEAD', opts = {} } = {}) {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona });
    const stream = await client.turn(sessionId, message, {
      opts: { subagentGovernance, onDisconnect: 'continue', ...opts },
    });
    return { sessionId, stream };
  }

  const resultOf = async (stream: StreamReader) => (await stream.until('tool:result')).data;
  const turnOf = async (turnId: string) => {
    const { body } = await server.client.get(`/api/harness/turns/${turnId}`);
    return body['turn'] as Record<string, unknown> & {
      usage: { inputTokens: number; outputTokens: number };
      options: { tools: string[]; agentConfig: { tokenBudget: number } };
    };
  };

  it('works as a turn of its own, on the stream of its parent', async () => {
    const { stream } = await start(task('TASKER', 'Say hello [[tokens=20]]'));
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    const began = frames.find(({ event }) => event === 'subagent:start');
    const ended = frames.find(({ event }) => event === 'subagent:end');
    const childTurnId = String(began?.data['childTurnId']);
    expect(began?.data).toMatchObject({ agent: 'TASKER' });
    expect(ended?.data).toMatchObject({ childTurnId, outcome: 'completed' });
    const deltas = frames.filter(({ event }) => event === 'subagent:chat:delta');
    const text = deltas.map(({ data }) => String(data['text'])).join('');
    expect(text).toContain('word1');
    expect(deltas[0]?.data).toMatchObject({
      childTurnId,
      parentToolUseId: began?.data['toolUseId'],
    });
    expect(await resultOf(stream)).toMatchObject({ name: 'task', ok: true, output: text });

    const own = await server.client.follow(childTurnId);
    await own.all();
    expect(own.text()).toBe(text);
    const child = await turnOf(childTurnId);
    const parent = await turnOf(stream.header('x-turn-id'));
    expect(child).toMatchObject({ parentTurnId: parent['turnId'], status: 'completed' });
    expect(parent.usage.inputTokens).toBeGreaterThan(child.usage.inputTokens);
    expect(parent.usage.outputTokens).toBeGreaterThanOrEqual(child.usage.outputTokens + 1);
  });

  it('is offered by name, and to nobody whose gates are closed', async () => {
    await (await start('Hello')).stream.all();
    const offered = server.modelRequests.at(-1)?.body.tools ?? [];
    const described = JSON.stringify(offered.find(({ name }) => name === 'task'));
    expect(described).toContain('- TASKER: Does tasks.');
    expect(described).toContain('"enum":["TASKER","WRITER"]');
    await (await start('Hello', { opts: { subagentGovernance: undefined } })).stream.all();
    const without = server.modelRequests.at(-1)?.body.tools ?? [];
    expect(without.map(({ name }) => name)).not.toContain('task');
    const { stream } = await start(task('NOBODY', 'x'));
    expect((await resultOf(stream))['ok']).toBe(false);
    await stream.all();
  });

  it('works beside others, each with its part of what is left', async () => {
    const message = `${task('TASKER', 'One')} ${task('TASKER', 'Two')}`;
    const { stream } = await start(message, { opts: { agentConfig: { token_budget: 20_000 } } });
    const frames = await stream.all();
    const began = frames.filter(({ event }) => event === 'subagent:start');
    expect(began).toHaveLength(2);
    expect(frames.filter(({ event }) => event === 'subagent:end')).toHaveLength(2);
    for (const { data } of began) {
      const { options } = await turnOf(String(data['childTurnId']));
      expect(options.agentConfig.tokenBudget).toBeLessThanOrEqual(10_000);
    }
  });

  it('has no right that its parent does not have', async () => {
    const write = '[[tool=write {"file_path":"x.txt","content":"x"}]]';
    const { stream } = await start(task('WRITER', write), { persona: 'READER' });
    await stream.all();
    const began = stream.frames.find(({ event }) => event === 'subagent:start');
    const child = await turnOf(String(began?.data['childTurnId']));
    expect(child.options.tools).toEqual(['read']);
    expect(existsSync(path.join(server.projectRoot, 'x.txt'))).toBe(false);
  });

  it('asks people on the stream of its parent', async () => {
    const write = '[[tool=write {"file_path":"asked.txt","content":"x"}]]';
    const { stream, sessionId } = await start(task('WRITER', write));
    const { data } = await stream.until('subagent:approval:request');
    const list = await server.client.get(`/api/harness/approvals?sessionId=${sessionId}`);
    expect(list.body['approvals']).toMatchObject([{ approvalId: data['approvalId'] }]);
    await server.client.post(`/api/harness/approvals/${String(data['approvalId'])}`, {
      decision: 'approve',
    });
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    expect(existsSync(path.join(server.projectRoot, 'asked.txt'))).toBe(true);
  });

  it('ends with its parent, which shows that it did', async () => {
    const { stream, sessionId } = await start(task('TASKER', '[[tokens=5000 gap=20]]'));
    await stream.until('subagent:chat:delta');
    await server.client.post('/api/harness/interrupt', { sessionId });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    const ended = frames.find(({ event }) => event === 'subagent:end');
    expect(ended?.data).toMatchObject({ outcome: 'interrupted' });
    const child = await turnOf(String(ended?.data['childTurnId']));
    expect(child).toMatchObject({ status: 'interrupted', endReason: 'parent-ended' });
    const next = await server.client.turn(sessionId, 'What came of it?');
    await next.all();
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).not.toContain('word1');
  });

  it('is one of as many as a turn may start', async () => {
    const { stream } = await start([1, 2, 3, 4].map((n) => task('TASKER', `${n}`)).join(' '));
    const frames = await stream.all();
    const results = frames.filter(({ event }) => event === 'tool:result');
    expect(results.filter(({ data }) => data['ok'] === true)).toHaveLength(3);
    const refused = results.find(({ data }) => data['ok'] === false);
    expect(refused?.data['output']).toContain('as many as it may');
  });

  it('goes with the session of its parent, and is in no list', async () => {
    const { client, projectRoot } = server;
    const { stream, sessionId } = await start(task('TASKER', 'Hello'));
    const frames = await stream.all();
    const began = frames.find(({ event }) => event === 'subagent:start');
    const query = `projectRoot=${encodeURIComponent(projectRoot)}`;
    const { body } = await client.get(`/api/harness/session/list?${query}`);
    const personas = (body['sessions'] as { persona: string }[]).map(({ persona }) => persona);
    expect(personas).not.toContain('TASKER');
    await client.request('DELETE', `/api/harness/session/${sessionId}`);
    const gone = await client.get(`/api/harness/turns/${String(began?.data['childTurnId'])}`);
    expect(gone.status).toBe(404);
  });
});
