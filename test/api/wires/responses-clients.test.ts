import { describe, expect, it } from '@jest/globals';
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import {
  Agent,
  hostedMcpTool,
  OpenAIProvider,
  type RunState,
  Runner,
  tool as agentTool,
} from '@openai/agents';
import OpenAI from 'openai';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { useServer } from '../../support/processes/start-server.js';

const user = (content: string) => ({ role: 'user' as const, content });
const write = '[[tool=write {"file_path":"a.txt","content":"x"}]]';

type Call = Extract<Response['output'][number], { type: 'function_call' }>;
function callIn({ output }: Pick<Response, 'output'>): Call {
  const call = output.find((item): item is Call => item.type === 'function_call');
  if (call === undefined) throw new Error(`There is no call in ${JSON.stringify(output)}`);
  return call;
}

describe('clients of the Responses API', () => {
  const server = useServer();
  const toModel = () => {
    const body = server.modelRequests.at(-1)?.body;
    if (body === undefined) throw new Error('The model was not asked');
    return body;
  };
  const system = () => JSON.stringify(toModel().system);
  const toolNames = () => (toModel().tools ?? []).map(({ name }) => name);
  const timesSent = (part: string) => JSON.stringify(toModel().messages).split(part).length - 1;

  describe.each([false, true])('the Agents SDK, stream %s', (stream) => {
    const runner = () => {
      const modelProvider = new OpenAIProvider({
        baseURL: `${server.url}/v1`,
        apiKey: 'none',
        useResponses: true,
      });
      return new Runner({ modelProvider, tracingDisabled: true });
    };
    const issueRefund = agentTool({
      name: 'issue_refund',
      description: 'Refunds a purchase.',
      parameters: z.object({ n: z.number() }),
      execute: ({ n }) => `refunded ${n}`,
    });
    const refunds = new Agent({
      name: 'Refunds',
      instructions: 'You are REFUND.',
      model: 'reader',
      tools: [issueRefund],
    });
    const triage = new Agent({
      name: 'Triage',
      instructions: 'You are TRIAGE.',
      model: 'reader',
      handoffs: [refunds],
    });

    type Given = string | Parameters<Runner['run']>[1];
    async function run(agent: Agent, input: Given, more: { previousResponseId?: string } = {}) {
      if (!stream) return runner().run(agent, input as string, more);
      const streamed = await runner().run(agent, input as string, { stream: true, ...more });
      for await (const _event of streamed);
      await streamed.completed;
      return streamed;
    }

    it('hands a conversation to another agent, which goes on with its own instructions and tools', async () => {
      const question =
        '[[tool=transfer_to_Refunds {} step=1]] [[tool=issue_refund {"n":5} step=2]] refund it';
      const first = await run(triage, question);
      expect([first.lastAgent?.name, first.finalOutput]).toEqual([
        'Refunds',
        expect.stringContaining('issue_refund: refunded 5'),
      ]);
      expect([system().includes('You are REFUND.'), system().includes('You are TRIAGE.')]).toEqual([
        true,
        false,
      ]);
      expect(toolNames()).toContain('issue_refund');
      expect(toolNames()).not.toContain('transfer_to_Refunds');
      // Either way to go on: the whole of it again, or the last response's id.
      const whole = [...first.history, user('and then?')];
      for (const second of [
        await run(refunds, whole),
        await run(refunds, 'and then?', { previousResponseId: first.lastResponseId ?? '' }),
      ]) {
        expect(second.finalOutput).toContain('You wrote: "and then?"');
        expect(timesSent('"refunded 5"')).toBe(1);
        expect(system()).toContain('You are REFUND.');
      }
    });

    it('asks its own approvals, and takes those of the server where its agent names it', async () => {
      const danger = agentTool({
        name: 'danger',
        description: 'Is dangerous.',
        parameters: z.object({}),
        needsApproval: true,
        execute: () => 'danger is done',
      });
      const ours = new Agent({ name: 'Ours', model: 'reader', tools: [danger] });
      const { origin } = new URL(server.url);
      const named = hostedMcpTool({
        serverLabel: 'turnpike',
        serverUrl: `${origin}/mcp`,
        requireApproval: 'always',
      });
      const theirs = new Agent({ name: 'Theirs', model: 'WORKING_ITEMS', tools: [named] });
      for (const [agent, question, done] of [
        [ours, '[[tool=danger {}]]', 'danger: danger is done'],
        [theirs, write, 'write: wrote 1 bytes to a.txt'],
      ] as const) {
        const asking = await run(agent, question);
        const [approval] = asking.interruptions;
        if (approval === undefined) throw new Error('Nothing was asked');
        asking.state.approve(approval);
        const finished = await run(agent, asking.state as RunState<unknown, Agent>);
        expect(finished.finalOutput).toContain(done);
        const next = await run(agent, [...finished.history, user('and then?')]);
        expect(next.finalOutput).toContain('You wrote: "and then?"');
      }
    });

    it('has no approval that it cannot take, and goes on after it', async () => {
      const plain = new Agent({ name: 'Plain', model: 'WORKING_ITEMS' });
      const first = await run(plain, write);
      expect(first.finalOutput).toContain('mode dontAsk asks nobody');
      const second = await run(plain, [...first.history, user('and then?')]);
      expect(second.finalOutput).toContain('You wrote: "and then?"');
    });
  });

  describe.each([
    { streaming: false, zdrEnabled: false },
    { streaming: false, zdrEnabled: true },
    { streaming: true, zdrEnabled: false },
    { streaming: true, zdrEnabled: true },
  ])('LangChain, %j', ({ streaming, zdrEnabled }) => {
    const add = langchainTool(({ a, b }) => String(a + b), {
      name: 'add',
      description: 'Adds.',
      schema: z.object({ a: z.number(), b: z.number() }),
    });
    const chat = () =>
      new ChatOpenAI({
        model: 'reader',
        apiKey: 'none',
        useResponsesApi: true,
        zdrEnabled,
        maxRetries: 0,
        configuration: { baseURL: `${server.url}/v1` },
      });

    async function ask(messages: readonly BaseMessage[]): Promise<AIMessageChunk> {
      const model = chat().bindTools([add]);
      if (!streaming) return model.invoke([...messages]);
      const chunks: AIMessageChunk[] = [];
      for await (const chunk of await model.stream([...messages])) chunks.push(chunk);
      return chunks.reduce((whole, chunk) => whole.concat(chunk));
    }

    it('calls its tools over several steps, and goes on', async () => {
      const question =
        '[[think=3]] [[tokens=3 step=1]] [[tool=add {"a":1,"b":2} step=1]] [[tool=add {"a":3,"b":2} step=2]]';
      const messages: BaseMessage[] = [new SystemMessage('Be kind.'), new HumanMessage(question)];
      let reply = await ask(messages);
      for (let step = 0; step < 2; step += 1) {
        const [call] = reply.tool_calls ?? [];
        if (call?.id === undefined) throw new Error('There is no call');
        const content = await add.invoke(call.args as { a: number; b: number });
        messages.push(reply, new ToolMessage({ content, tool_call_id: call.id }));
        reply = await ask(messages);
      }
      expect(reply.text).toBe('The tools answered:\n- add: 3\n- add: 5');
      const next = await ask([...messages, reply, new HumanMessage('and then?')]);
      expect(next.text).toContain('You wrote: "and then?"');
      expect(next.usage_metadata).toMatchObject({ input_tokens: expect.any(Number) });
      expect(system()).toContain('Be kind.');
      expect(timesSent('The tools answered:')).toBe(1);
    });

    it('has objects of its schemas', async () => {
      const counted = chat().withStructuredOutput(z.object({ n: z.number() }));
      expect(await counted.invoke('Count.')).toEqual({ n: expect.any(Number) });
    });
  });

  describe('Codex', () => {
    const client = () =>
      new OpenAI({
        baseURL: `${server.url}/v1`,
        apiKey: 'none',
        maxRetries: 0,
        defaultHeaders: { 'user-agent': 'codex_exec/0.171.0 (Debian 12.0.0; x86_64)' },
      });
    const text = (role: 'developer' | 'user', content: string): ResponseInputItem => ({
      type: 'message',
      role,
      content: [{ type: 'input_text', text: content }],
    });
    const functionOf = (name: string, description = 'Does it.') => ({
      type: 'function' as const,
      name,
      description,
      strict: false,
      parameters: { type: 'object', properties: { target: { type: 'string' } } },
    });
    const spawn = functionOf('spawn_agent', 'Spawns an agent. '.repeat(350));
    const agents = {
      type: 'namespace' as const,
      name: 'multi_agent_v1',
      description: 'Tools for spawning and managing sub-agents.',
      tools: [functionOf('close_agent'), spawn],
    };
    /** As version 0.171.0 sends it, with the texts shortened. */
    const body = {
      model: 'reader',
      tools: [
        functionOf('exec_command'),
        agents,
        functionOf('get_goal'),
        { type: 'web_search' as const, external_web_access: true },
      ],
      tool_choice: 'auto' as const,
      parallel_tool_calls: true,
      reasoning: { summary: 'auto' as const },
      store: false,
      include: ['reasoning.encrypted_content' as const],
      prompt_cache_key: '01a21d37-ed38-7c73-8ca0-32b16dfc36bd',
      client_metadata: { 'x-codex-installation-id': '5700a1d1-aad7-4bbe-a7c3-82fc8c248bb8' },
    };
    const begin = (message: string): ResponseInputItem[] => [
      text('developer', 'You are a coding agent running in the Codex CLI.'),
      text('developer', '<skills_instructions>None.</skills_instructions>'),
      text('user', '<environment_context><cwd>/work</cwd></environment_context>'),
      text('user', message),
    ];
    const ask = async (input: ResponseInputItem[], more: object = {}): Promise<Response> =>
      client()
        .responses.stream({ ...body, ...more, input })
        .finalResponse();

    it('calls a tool of a namespace under its own name, and goes on', async () => {
      const input = begin('[[think=3]] [[tool=multi_agent_v1__close_agent {"target":"x"}]] go');
      const first = await ask(input);
      expect(first.tools).toMatchObject([
        { type: 'function', name: 'exec_command' },
        { ...agents, tools: [{ name: 'close_agent' }, { name: 'spawn_agent' }] },
        { type: 'function', name: 'get_goal' },
      ]);
      const call = callIn(first);
      expect(call).toMatchObject({
        name: 'close_agent',
        namespace: 'multi_agent_v1',
        arguments: '{"target":"x"}',
      });
      expect(toolNames()).toEqual(
        expect.arrayContaining(['exec_command', 'multi_agent_v1__spawn_agent', 'get_goal']),
      );
      expect(system()).toContain('multi_agent_v1__: Tools for spawning and managing');
      const items = first.output.filter(({ type }) => type !== 'reasoning') as ResponseInputItem[];
      const given = { type: 'function_call_output' as const, call_id: call.call_id, output: 'OFF' };
      input.push(...items, given);
      const second = await ask(input);
      expect(second.output_text).toContain('multi_agent_v1__close_agent: OFF');
      input.push(...(second.output as ResponseInputItem[]), text('user', 'again'));
      const third = await ask(input);
      expect(third.output_text).toContain('You wrote: "again"');
      expect(timesSent('"OFF"')).toBe(1);
      const done = { role: 'assistant' as const, content: 'It is closed.' };
      const other = begin('go on').concat(items, given, done, text('user', 'elsewhere'));
      expect((await ask(other)).output_text).toContain('You wrote: "elsewhere"');
      expect(timesSent('"multi_agent_v1__close_agent"')).toBe(1);
    });

    it('has no namespace any more where the request that answers lists none', async () => {
      const first = await ask(begin('[[tool=exec_command {}]] go'));
      const { call_id } = callIn(first);
      const tools = [functionOf('exec_command')];
      const second = await client().responses.create({
        ...body,
        tools,
        input: [
          ...begin('[[tool=exec_command {}]] go'),
          callIn(first),
          { type: 'function_call_output', call_id, output: '1' },
        ],
      });
      expect(second.tools).toMatchObject([{ type: 'function', name: 'exec_command' }]);
      expect(second.tools).toHaveLength(1);
      expect(system()).not.toContain('multi_agent_v1');
    });

    it('connects again after a failure, with what it had of the reply', async () => {
      // The model fails each time: that it is asked again is what counts.
      const input = begin('[[tokens=6]] [[fail=529 after=3]] go');
      const part = { role: 'assistant' as const, content: 'word1 word2 word3' };
      for (const sent of [input, [...input, part]]) {
        const asked = server.modelRequests.length;
        expect((await ask(sent)).status).toBe('failed');
        expect(server.modelRequests.length).toBeGreaterThan(asked);
        expect([timesSent('fail=529'), timesSent('word1')]).toEqual([1, 0]);
      }
      // A whole reply is not one to give again.
      const answered = begin('[[tokens=3]] go');
      const whole = { role: 'assistant' as const, content: (await ask(answered)).output_text };
      const asked = ask([...answered, whole]);
      await expect(asked).rejects.toMatchObject({ status: 400, param: 'input' });
    });

    it('is not asked for an approval of the server: it shows none', async () => {
      const { output_text } = await ask(begin(write), { model: 'WORKING_ITEMS' });
      expect(output_text).toContain('mode dontAsk asks nobody');
    });
  });

  describe('Open WebUI', () => {
    it('sends what it stored of earlier replies, with items of its own', async () => {
      const ask = async (input: object[]) => {
        const tools = [{ type: 'function', name: 'look_up', description: '', parameters: {} }];
        const instructions = 'Be kind.';
        const asked = { model: 'reader', stream: false, instructions, tools, input };
        const { status, body } = await server.client.post('/v1/responses', asked);
        expect([status, body['error']]).toEqual([200, null]);
        const { output } = body as unknown as Response;
        const texts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
        return { output, said: texts.map((one) => ('text' in one ? one.text : '')).join('') };
      };
      const part = (type: string, content: string) => [{ type, text: content }];
      const said = (role: string, content: string) => ({
        type: 'message',
        role,
        content: part(role === 'user' ? 'input_text' : 'output_text', content),
      });
      const input: object[] = [said('user', '[[tool=look_up {}]] one')];
      const { call_id, name, arguments: given } = callIn(await ask(input));
      input.push(
        { type: 'function_call', call_id, name, arguments: given },
        { type: 'function_call_output', call_id, output: part('input_text', 'FOUND') },
      );
      const second = await ask(input);
      const thought = { type: 'reasoning', id: 'r_1', status: 'completed', duration: 1 };
      const code = {
        type: 'open_webui:code_interpreter',
        id: 'ci_1',
        code: '6*7',
        lang: 'python',
        output: { stdout: 'FORTY-TWO' },
        started_at: 1,
      };
      input.push(
        { ...thought, attributes: { type: 'reasoning_content' }, content: [], summary: null },
        code,
        said('assistant', second.said),
        said('user', 'two'),
      );
      expect((await ask(input)).said).toContain('You wrote: "two"');
      // In the output, and in the reply to it.
      expect([timesSent('FOUND'), timesSent('FORTY-TWO')]).toEqual([2, 1]);
    });
  });
});
