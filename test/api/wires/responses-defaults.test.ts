import { describe, expect, it } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const patch = {
  type: 'custom' as const,
  name: 'apply_patch',
  description: 'Applies a patch.',
  format: { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: /.+/' },
};

describe('what clients of OpenAI send by default', () => {
  const server = useServer();
  const client = useShared(
    () => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }),
  );

  const statusOf = async (asked: Promise<unknown>): Promise<unknown> => {
    const error = await asked.then(
      () => 200,
      (thrown: unknown) => thrown,
    );
    return error instanceof APIError ? error.status : error;
  };

  it('is taken: the body of a coding agent, whose tool takes text', async () => {
    const body = {
      model: 'reader',
      instructions: 'You are an agent of code.',
      tools: [patch, { type: 'web_search' as const }],
      tool_choice: 'auto' as const,
      parallel_tool_calls: false,
      store: false,
      include: ['reasoning.encrypted_content' as const],
      prompt_cache_key: 'k',
      text: { verbosity: 'low' as const },
    };
    const input: ResponseInputItem[] = [
      { role: 'user', content: '[[tool=apply_patch {"input":"*** Begin"}]]' },
    ];
    const first = client.responses.stream({ ...body, input });
    const { output, tools } = await first.finalResponse();
    expect(tools).toMatchObject([{ type: 'custom', name: 'apply_patch' }]);
    expect(output).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', status: 'completed' },
    ]);
    const system = JSON.stringify(server.modelRequests.at(-1)?.body.system);
    expect(system).toContain('You are an agent of code.');
    expect(system).toContain('Answer briefly');
    const [call] = output;
    if (call?.type !== 'custom_tool_call') throw new Error('There is no call');
    const given = { type: 'custom_tool_call_output' as const, call_id: call.call_id, output: 'ok' };
    const second = await client.responses.create({ ...body, input: [...input, call, given] });
    expect([second.status, second.output_text]).toEqual([
      'completed',
      expect.stringContaining('ok'),
    ]);
  });

  it('is given back where it changes nothing', async () => {
    const fields = {
      truncation: 'disabled' as const,
      prompt_cache_retention: '24h' as const,
      text: { format: { type: 'text' as const }, verbosity: 'low' as const },
      parallel_tool_calls: false,
      metadata: { a: 'b' },
      user: 'ann',
      safety_identifier: 's',
      prompt_cache_key: 'k',
    };
    const first = await client.responses.create({ input: 'Hello', ...fields });
    expect(first).toMatchObject(fields);
    expect(await client.responses.retrieve(first.id)).toEqual(first);
    const next = { input: 'And?', previous_response_id: first.id };
    const second = await client.responses.create(next);
    expect([second.truncation, 'prompt_cache_retention' in second]).toEqual(['auto', false]);
  });

  it('is honoured: a response that is not to be kept cannot be asked for once it has ended', async () => {
    const kept = await client.responses.create({ input: 'Hello', store: false });
    expect(kept).toMatchObject({ store: false });
    const { id } = kept;
    expect(await statusOf(client.responses.retrieve(id))).toBe(404);
    const next = { input: 'And?', previous_response_id: id };
    expect(await statusOf(client.responses.create(next))).toBe(404);
  });

  it('is known: agents and models, and routes that there are not say where to go', async () => {
    const names = (await client.models.list()).data.map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(['reader', 'claude-haiku-4-5-20251001']));
    expect(await client.models.retrieve('reader')).toMatchObject({ id: 'reader', object: 'model' });
    expect(await statusOf(client.models.retrieve('gpt-x'))).toBe(404);
    for (const path of ['/v1/chat/completions', '/v1/conversations']) {
      const { status, body } = await server.client.post(path, {});
      expect([status, body['error']]).toEqual([
        404,
        expect.objectContaining({ message: expect.stringContaining('POST /v1/responses') }),
      ]);
    }
  });

  it.each([
    ['input_tokens', 'usage.input_tokens'],
    ['compact', 'by itself'],
  ])('says what takes the place of %s', async (name, instead) => {
    const { status, body } = await server.client.post(`/v1/responses/${name}`, { input: 'Hello' });
    const message = expect.stringContaining(instead);
    expect([status, body['error']]).toEqual([
      404,
      expect.objectContaining({ code: 'ROUTE_NOT_FOUND', message }),
    ]);
  });

  it('deletes a response, and what goes on from it stays', async () => {
    const { data: first, response } = await client.responses
      .create({ input: 'One' })
      .withResponse();
    const next = { input: 'Two', previous_response_id: first.id };
    const second = await client.responses.create(next);
    await client.responses.delete(first.id);
    expect(await statusOf(client.responses.retrieve(first.id))).toBe(404);
    expect(await statusOf(client.responses.create(next))).toBe(404);
    expect((await client.responses.retrieve(second.id)).id).toBe(second.id);
    expect(await statusOf(client.responses.delete(first.id))).toBe(404);
    const alone = await client.responses.create({ input: 'Alone' }).withResponse();
    await client.responses.delete(alone.data.id);
    const session = (of: typeof response) => of.headers.get('x-session-id') ?? '';
    const path = (id: string) => `/api/harness/sessions/${id}/messages`;
    expect((await server.client.get(path(session(alone.response)))).status).toBe(404);
    expect((await server.client.get(path(session(response)))).status).toBe(200);
  });

  it('ends a turn whose response is deleted, where its conversation stays', async () => {
    const first = await client.responses.create({ input: 'One' });
    const input = '[[tokens=2 first=60000]]';
    const next = { input, background: true, previous_response_id: first.id };
    const { id } = await client.responses.create(next);
    const reader = await server.client.follow(id.replace('resp_', 'turn_'));
    await client.responses.delete(id);
    expect((await reader.all()).at(-1)?.data).toMatchObject({ exitCode: 130 });
    expect((await client.responses.retrieve(first.id)).id).toBe(first.id);
  });

  it('gets its items back whole, and page by page', async () => {
    const image =
      'data:image/jpeg;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const input: ResponseInputItem[] = [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '' },
      { type: 'function_call_output', call_id: 'c1', output: '1' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'c' },
          // What it declares does not count: it is a PNG.
          { type: 'input_image', image_url: image, detail: 'low' },
        ],
      },
    ];
    const { id, status } = await client.responses.create({ input, instructions: 'Be brief.' });
    expect(status).toBe('completed');
    const items: unknown[] = [];
    const ids = new Set<string | undefined>();
    const pages = client.responses.inputItems.list(id, { order: 'asc', limit: 1 });
    for await (const item of pages) {
      items.push(item);
      ids.add(item.id);
      if (items.length > input.length) break;
    }
    expect(ids.size).toBe(input.length);
    expect(items).toMatchObject([
      { role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'b', annotations: [] }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '' },
      { type: 'function_call_output', call_id: 'c1', output: '1' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'user', content: [{}, { type: 'input_image', detail: 'low' }] },
    ]);
  });

  it('has the type of an error in a response that failed', async () => {
    const { error } = await client.responses.create({ input: '[[fail=400]]' });
    expect(error).toMatchObject({ code: 'SDK_FAILURE', type: 'invalid_request' });
  });

  it('ends with an object, also where the agent cites', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const text = { format: { type: 'json_schema' as const, name: 'o', schema } };
    const { status, output_text } = await client.responses.create({
      model: 'reader',
      input: 'Count.',
      text,
    });
    expect([status, JSON.parse(output_text)]).toEqual(['completed', { n: expect.any(Number) }]);
  });

  it('is not asked for an approval where it cannot take one, and is told of one that there is', async () => {
    const agents = (tools: object[] = []) =>
      server.client.post(
        '/v1/responses',
        { input: '[[tool=write {"file_path":"a.txt","content":"x"}]]', tools },
        { 'user-agent': 'Agents/JavaScript 0.4.0' },
      );
    const { body } = await agents();
    expect(body['output']).toMatchObject([
      { type: 'mcp_call', name: 'write', status: 'failed' },
      { type: 'message' },
    ]);
    const named = await agents([{ type: 'mcp', server_label: 'turnpike', server_url: 'x' }]);
    expect(named.body['output']).toMatchObject([{ type: 'mcp_approval_request', name: 'write' }]);
  });
});
