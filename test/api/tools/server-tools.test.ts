import { describe, expect, it } from '@jest/globals';
import type { RehearsalRequest } from '../../../rehearsal/request-types.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';

const model = 'claude-sonnet-5-5';
const search = '[[server=web_search {"query":"turnpikes"}]]';
const paused = `${search} [[stop=pause_turn]]`;

describe('tools that the provider runs', () => {
  const root = instructionRootWith({
    SEARCHER: ['tools: [glob, web_search, code_execution, web_fetch]'],
    DENIED: ['tools: [web_search]', 'permissions: {ask: [web_search]}'],
    TYPIST: ['tools: [glob]'],
  });
  const server = useServer({
    environment: {
      TURNPIKE_SERVER_TOOLS: 'web_search=3,code_execution',
      TURNPIKE_INSTRUCTION_ROOT: root,
    },
  });

  async function run(message: string, { persona = 'SEARCHER', opts = {}, session = '' } = {}) {
    const sessionId =
      session || (await server.client.createSession(server.projectRoot, { persona }));
    const before = server.modelRequests.length;
    const stream = await server.client.turn(sessionId, message, { opts: { model, ...opts } });
    const frames = await stream.all();
    const all = (event: string) =>
      frames.filter((one) => one.event === event).map(({ data }) => data);
    const requests = server.modelRequests.slice(before).map(({ body }) => body);
    return { sessionId, all, requests, text: stream.text(), end: all('turn:end')[0] };
  }

  const toolsOf = (request: RehearsalRequest['body'] | undefined) =>
    request?.tools?.flatMap(({ type, name }) => (typeof type === 'string' ? [name] : []));

  it('are listed with the tools of the server', async () => {
    const { body } = await server.client.get('/api/harness/tools');
    const provided = (body as { tools: { source: string }[] }).tools.filter(
      ({ source }) => source === 'provider',
    );
    expect(provided).toMatchObject([
      { name: 'code_execution' },
      { name: 'web_search', description: expect.stringContaining('3 times a model call') },
    ]);
  });

  it('are offered where the operator and the agent list them, in the newest version', async () => {
    const { requests, all } = await run('Hello');
    expect(requests[0]?.tools?.slice(1)).toEqual([
      {
        type: 'web_search_20260318',
        name: 'web_search',
        allowed_callers: ['direct'],
        max_uses: 3,
      },
      { type: 'code_execution_20260521', name: 'code_execution' },
    ]);
    expect(all('system:notice')).toContainEqual(
      expect.objectContaining({
        kind: 'server-tool-missing',
        text: 'The turn goes without web_fetch: TURNPIKE_SERVER_TOOLS does not list it.',
      }),
    );
    expect(toolsOf((await run('Hello', { persona: 'TYPIST' })).requests[0])).toEqual([]);
  });

  it('are offered by a turn’s own list', async () => {
    const tools = { tools: ['web_search'] };
    const offered = await run('Hello', { persona: 'TYPIST', opts: tools });
    expect(toolsOf(offered.requests[0])).toEqual(['web_search']);
  });

  it('are not offered where a rule would ask: nobody can be asked while they run', async () => {
    const { requests, all } = await run('Hello', { persona: 'DENIED' });
    expect(toolsOf(requests[0])).toBeUndefined();
    expect(all('system:notice')).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('the rule web_search denies it') }),
    );
  });

  it('show their call, their result and their sources, and count their fee', async () => {
    const { sessionId, all, text, end } = await run(search, { opts: { maxCostUsd: 5 } });
    expect(text).toContain('As "Rehearsal notes" says, this was found.');
    expect(all('tool:request')).toEqual([
      expect.objectContaining({ name: 'web_search', by: 'provider' }),
    ]);
    expect(all('tool:start')).toEqual([
      expect.objectContaining({ name: 'web_search', input: { query: 'turnpikes' } }),
    ]);
    const output = 'Rehearsal notes – https://example.com/rehearsal';
    expect(all('tool:result')).toEqual([
      expect.objectContaining({ name: 'web_search', ok: true, status: 'success', output }),
    ]);
    expect(JSON.stringify(all('source'))).toContain('https://example.com/rehearsal');
    expect(end).toMatchObject({ outcome: 'completed', usage: { webSearches: 1 } });

    const next = await run('And now?', { session: sessionId });
    expect(next.end).toMatchObject({ outcome: 'completed' });
    const answered = next.requests[0]?.messages[1];
    expect(JSON.stringify(answered)).toContain('encrypted_content');
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    const tools = JSON.stringify(body['messages']);
    expect(tools).toContain('"name":"web_search","input":{"query":"turnpikes"},"status":"success"');
  });

  it('go on after a pause, with what was said and nothing else', async () => {
    const { requests, all, text, end } = await run(`${paused} [[tokens=2]]`);
    expect(requests).toHaveLength(2);
    const [first, second] = requests;
    expect(second?.messages.slice(0, -1)).toEqual(first?.messages);
    expect(second?.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'text', text: 'word1 word2' },
        { type: 'server_tool_use', name: 'web_search', input: { query: 'turnpikes' } },
      ],
    });
    expect(second?.tools).toEqual(first?.tools);
    expect(all('tool:result')).toHaveLength(1);
    expect(text).toContain('As "Rehearsal notes" says, this was found.');
    expect(end).toMatchObject({ outcome: 'completed', reason: 'end_turn' });
  });

  it('of a turn that ended in a pause are closed, and the session goes on', async () => {
    const limits = { agentConfig: { max_iterations: 1 } };
    const { sessionId, all, end } = await run(paused, { opts: limits });
    expect(end).toMatchObject({ outcome: 'limited', reason: 'max_turns' });
    expect(all('tool:result')).toEqual([
      expect.objectContaining({ name: 'web_search', status: 'unknown' }),
    ]);
    const next = await run('And now?', { session: sessionId });
    expect(next.end).toMatchObject({ outcome: 'completed' });
    expect(JSON.stringify(next.requests[0]?.messages)).not.toContain('server_tool_use');
  });

  it('and those of this server work in one reply, each answered where it belongs', async () => {
    const { requests, all, end } = await run(`${paused} [[tool=glob {"pattern":"*"}]]`);
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(all('tool:result').map(({ name }) => name)).toEqual(['glob', 'web_search']);
    const answer = requests[1]?.messages.at(-1);
    expect(answer).toMatchObject({ role: 'user', content: [{ type: 'tool_result' }] });
    expect(answer?.content).toHaveLength(1);
  });

  it('that run code show what it printed', async () => {
    const { all } = await run('[[server=code_execution {"code":"print(6*7)"}]]');
    expect(all('tool:result')).toEqual([
      expect.objectContaining({ name: 'code_execution', ok: true, output: 'rehearsed\n' }),
    ]);
  });
});
