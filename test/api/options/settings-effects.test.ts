import { userPreferences } from '../../../src/storage/schema.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';

const approved = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

interface Options {
  model: string;
  thinking: unknown;
  contextNodes?: number;
  subagents?: object;
  agentConfig: { timeoutSeconds: number };
}

describe('the preferences of models', () => {
  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER, OLD]', 'AGENT_TYPE: 1'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK'],
    OLD: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'model: claude-opus-4-1'],
  });
  const server = useServer({
    environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' },
  });
  beforeEach(async () => {
    await server.db.delete(userPreferences);
  });

  const set = async (settings: object) => {
    const { status } = await server.client.request('PUT', '/api/settings/models', {
      body: JSON.stringify(settings),
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(200);
  };
  const optionsOf = async (turnId: string) => {
    const { body } = await server.client.get(`/api/harness/turns/${turnId}`);
    return body['turn'] as { options: Options; provenance: Record<string, string> };
  };
  const turn = async (message: string, opts?: object, persona = 'WORKING_ITEMS') => {
    const sessionId = await server.client.createSession(server.projectRoot, { persona });
    const stream = await server.client.turn(sessionId, message, { opts });
    const frames = await stream.all();
    return { frames, ...(await optionsOf(stream.header('x-turn-id') ?? '')) };
  };
  const ask = async (question: object) => {
    const answer = await server.client.post('/api/oracle', { question: 'Hello', ...question });
    const sent = server.modelRequests.at(-1)?.body;
    const sessionId = String(answer.body['context_id']);
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/turns`);
    const [{ turnId } = { turnId: '' }] = body['turns'] as { turnId: string }[];
    return { used: answer.body['model_used'], sent, ...(await optionsOf(turnId)) };
  };
  const resultOf = ({ frames }: Awaited<ReturnType<typeof turn>>) =>
    String(frames.find(({ event }) => event === 'tool:result')?.data['output']);

  it('oracle_model is the model of the oracle’s turns, and of no others', async () => {
    await set({ oracle_model: 'claude-opus-5-5' });
    const asked = await ask({});
    expect([asked.used, asked.sent?.model]).toEqual(['claude-opus-5-5', 'claude-opus-5-5']);
    expect(asked.provenance['model']).toBe('user');
    expect((await ask({ model: 'claude-haiku-5-5' })).used).toBe('claude-haiku-5-5');
    expect((await turn('Hello')).options.model).toBe('claude-sonnet-5-5');
  });

  it('oracle_model may not be retired when it is used', async () => {
    await set({ oracle_model: 'claude-opus-4-1' });
    const { status, body } = await server.client.post('/api/oracle', { question: 'Hello' });
    expect([status, body['detail']]).toEqual([400, expect.stringContaining('claude-opus-5-5')]);
  });

  it('thinking_enabled decides where the request does not say', async () => {
    expect((await ask({})).options.thinking).toBe(true);
    expect((await turn('Hello')).options.thinking).toBe(false);
    await set({ thinking_enabled: true });
    expect(await turn('Hello')).toMatchObject({
      options: { thinking: true },
      provenance: { thinking: 'user' },
    });
    expect((await turn('Hello', { thinking: false })).options.thinking).toBe(false);
    await set({ thinking_enabled: false });
    expect((await ask({})).options.thinking).toBe(false);
    expect((await ask({ thinking: true })).options.thinking).toBe(true);
  });

  /** The options of the subagent that a turn had. */
  const delegate = async (agent: string, opts: object) => {
    const message = `[[tool=task {"agent":"${agent}","prompt":"Hello"}]]`;
    const ran = await turn(message, { subagentGovernance: approved, ...opts }, 'LEAD');
    const started = ran.frames.find(({ event }) => event === 'subagent:start');
    if (started === undefined) return { refused: resultOf(ran) };
    return optionsOf(String(started.data['childTurnId']));
  };

  it('subagent_model is the model of subagents whose file names none', async () => {
    const opts = { model: 'claude-opus-4-8' };
    expect(await delegate('TASKER', opts)).toMatchObject({ options: { model: opts.model } });
    await set({ subagent_model: 'claude-haiku-5-5' });
    expect(await delegate('TASKER', opts)).toMatchObject({
      options: { model: 'claude-haiku-5-5' },
      provenance: { model: 'user' },
    });
  });

  it('a subagent with a model that is retired is a result, which says what to use', async () => {
    const { refused } = (await delegate('OLD', {})) as { refused: string };
    expect(refused).toContain('OLD cannot start');
    expect(refused).toContain('claude-opus-5-5');
  });

  it('librarian_timeout bounds a subagent’s time', async () => {
    const secondsOf = async () => {
      const child = (await delegate('TASKER', {})) as { options: Options };
      return child.options.agentConfig.timeoutSeconds;
    };
    expect(await secondsOf()).toBeGreaterThan(100);
    await set({ librarian_timeout: 60 });
    expect(await secondsOf()).toBe(60);
  });

  it('max_context_nodes bounds the results and the files that are shown at once', async () => {
    const folder = path.join(server.projectRoot, 'many');
    await mkdir(folder);
    const files = Array.from({ length: 8 }, (_, n) => path.join(folder, `file-${n}.txt`));
    for (const file of files) await writeFile(file, 'needle\n');
    const glob = '[[tool=glob {"pattern":"many/*"}]]';
    const grep = '[[tool=grep {"pattern":"needle","path":"many"}]]';
    const found = (text: string) => text.split('\n').filter((line) => line.includes('file-'));
    const tools = { tools: ['glob', 'grep'] };
    expect(found(resultOf(await turn(glob, tools)))).toHaveLength(8);
    expect(found(resultOf(await turn(grep, tools)))).toHaveLength(8);
    await set({ max_context_nodes: 5 });
    for (const message of [glob, grep]) {
      const shown = resultOf(await turn(message, tools));
      expect(found(shown)).toHaveLength(5);
      expect(shown).toContain('[5 of 8');
    }
    const sessionId = await server.client.createSession(server.projectRoot);
    await (await server.client.turn(sessionId, 'Read', { attachments: files })).all();
    const sent = JSON.stringify(server.modelRequests.at(-1)?.body.messages);
    expect(sent.match(/needle/g)).toHaveLength(5);
    expect(sent.match(/max_context_nodes/g)).toHaveLength(3);
  });
});
