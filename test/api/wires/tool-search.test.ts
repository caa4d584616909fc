import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { HeadlessChat } from '../../support/clients/headless-chat.js';
import { changingServers, directive, lastRequest } from '../../support/mcp/changing-servers.js';
import { useServer } from '../../support/processes/start-server.js';

/** A search, and a call of what it finds. */
const message = [
  directive('server=tool_search_tool_bm25', { query: 'wheel 7' }),
  directive('tool=mcp__many__t7'),
].join(' ');
const opts = { persona: 'MANY' };

describe("the provider's search for tools, in each client", () => {
  const server = useServer({ environment: changingServers() });
  const lastMessages = (): string => JSON.stringify(lastRequest(server).messages);

  it('is a tool of the provider to the AI SDK, and goes back with the next message', async () => {
    const { projectRoot, url } = server;
    const chat = new HeadlessChat({ url, id: randomUUID(), body: { projectRoot, opts } });
    await chat.sendMessage({ text: message });
    expect(chat.error).toBeUndefined();
    expect(chat.partsOf('dynamic-tool')).toMatchObject([
      {
        toolName: 'tool_search',
        state: 'output-available',
        input: { query: 'wheel 7' },
        output: expect.stringContaining('mcp__many__t7'),
      },
      { toolName: 'mcp__many__t7', state: 'output-available', output: 't7 was called' },
    ]);
    await chat.sendMessage({ text: 'Hello' });
    expect([chat.error, chat.metadata['outcome']]).toEqual([undefined, 'completed']);
    expect(lastMessages()).toContain('"type":"tool_search_tool_result"');
  });

  it('is a call with its result to AG-UI, which its client takes and sends again', async () => {
    const agent = new HttpAgent({ url: `${server.url}/agent/MANY/ag-ui` });
    const say = async (content: string) => {
      agent.addMessage({ id: randomUUID(), role: 'user', content });
      const { projectRoot } = server;
      await agent.runAgent({ forwardedProps: { turnpike: { projectRoot } } });
    };
    await say(message);
    const outputs = agent.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
    expect(outputs).toEqual([expect.stringContaining('mcp__many__t7'), 't7 was called']);
    await say('Hello');
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant' });
    expect(lastMessages()).toContain('"type":"tool_search_tool_result"');
  });

  it('is no item that the package openai cannot read', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const stream = client.responses.stream({ model: 'MANY', input: message });
    const first = await stream.finalResponse();
    expect(first).toMatchObject({ status: 'completed', error: null });
    expect(first.output_text).toContain('mcp__many__t7: t7 was called');
    const next = await client.responses.create({
      model: 'MANY',
      input: 'Hello',
      previous_response_id: first.id,
    });
    expect(next.status).toBe('completed');
    expect(lastMessages()).toContain('"type":"tool_search_tool_result"');
  });
});
