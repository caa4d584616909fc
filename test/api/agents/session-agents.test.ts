import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { ReadFrame } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

const dataOf = (frames: readonly ReadFrame[], event: string): Record<string, unknown>[] =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);

describe('agents that a session brings', () => {
  const root = instructionRootWith({ HELPER: ['tools: [read, write, glob]'] });
  const server = useServer({
    environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' },
  });
  const create = (agents: unknown) =>
    server.client.post('/api/harness/session/create', {
      projectRoot: server.projectRoot,
      persona: 'HELPER',
      agents,
    });
  const open = async (agents: unknown): Promise<string> =>
    String(((await create(agents)).body['session'] as Record<string, unknown>)['sessionId']);
  const delegate = async (sessionId: string, agent: string, prompt = 'Go.') => {
    const message = `[[tool=task ${JSON.stringify({ agent, prompt })}]]`;
    const opts = { subagentGovernance, tools: ['task', 'read', 'write'] };
    return (await server.client.turn(sessionId, message, { opts })).all();
  };

  it('are delegated to, with their prompts and tools', async () => {
    const sessionId = await open({
      'note-taker': {
        description: 'Takes notes.',
        prompt: 'MARK-taker: you note.',
        tools: ['write'],
      },
    });
    const frames = await delegate(
      sessionId,
      'note_taker',
      '[[tool=read {\\"file_path\\":\\"a\\"}]]',
    );
    expect(dataOf(frames, 'subagent:start')).toMatchObject([{ agent: 'note-taker' }]);
    const asked = server.modelRequests.filter((one) => JSON.stringify(one).includes('MARK-taker'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked[0]?.body.tools?.map(({ name }) => name)).toEqual(['write']);
    const { body } = await server.client.get(`/api/harness/session/${sessionId}`);
    expect(body['session']).toMatchObject({ agents: ['note-taker'] });
  });

  it('are of that session alone, and of its forks', async () => {
    const own = await open({ helper2: { description: 'Helps.', prompt: 'You help.' } });
    const turn = await server.client.turn(own, 'Hello');
    await turn.all();
    const other = await open(undefined);
    expect(dataOf(await delegate(other, 'helper2'), 'subagent:start')).toEqual([]);
    const { body } = await server.client.post(`/api/harness/sessions/${own}/fork`, {
      turnId: turn.response.headers.get('x-turn-id'),
      position: 'after',
    });
    expect(body).toMatchObject({ session: { agents: ['helper2'] } });
  });

  it.each([
    ['no map', [], 'agents', 'must be a map of names'],
    ['a bad name', { 'a b': { prompt: 'x' } }, 'agents.a b', 'is no name'],
    [
      'two of one name',
      { 'a-b': { prompt: 'x' }, a_b: { prompt: 'x' } },
      'agents.a_b',
      '- and _ are the same',
    ],
    ['no prompt', { a: { description: 'x' } }, 'agents.a', 'the prompt is empty'],
    [
      'a field that there is not',
      { a: { prompt: 'x', tool: [] } },
      'agents.a.tool',
      'did you mean tools?',
    ],
    [
      'servers of its own',
      { a: { prompt: 'x', mcp_servers: { s: { command: 'sh' } } } },
      'agents.a.mcp_servers',
      'is not a field',
    ],
    ['a wrong value', { a: { prompt: 'x', max_turns: 0 } }, 'agents.a', 'max_turns must be'],
    [
      'too many',
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`a${at}`, { prompt: 'x' }])),
      'agents',
      'has 21 agents',
    ],
    ['too much', { a: { prompt: 'x'.repeat(70_000) } }, 'agents', 'has more than 65536 characters'],
  ])('are refused with %s', async (_what, agents, field, message) => {
    const { status, body } = await create(agents);
    expect([status, body['error']]).toMatchObject([
      400,
      { message: expect.stringContaining(message), details: { field } },
    ]);
  });
});
