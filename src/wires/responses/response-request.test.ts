import { describe, expect, it } from '@jest/globals';
import { isTypedError } from '../../errors/typed-error.js';
import { compact } from '../../platform/compact.js';
import { readRequest, type ResponseRequest } from './response-request.js';

const png = 'data:image/png;base64,iVBORw0KGgo=';
const notSent = 'What it gave is not in the history that the client sent.';
const user = (content: unknown) => ({ role: 'user', content });
const read = (body: object): Promise<ResponseRequest> => readRequest({ input: 'Hello', ...body });

async function refusalOf(body: object): Promise<[string, unknown]> {
  try {
    await read(body);
  } catch (error) {
    if (isTypedError(error, 'INVALID_REQUEST')) {
      return [error.message, (error.details as Record<string, unknown>)['param']];
    }
    throw error;
  }
  throw new Error('It was taken');
}

describe('the input of a request', () => {
  it('has files, whose bytes are not given back, and whose names claim no type', async () => {
    const file = { type: 'input_file', filename: 'a/plan.txt', file_data: 'SGVsbG8=' };
    const image = { type: 'input_image', image_url: png, detail: 'low' };
    const { items } = await read({ input: [user([file, image])] });
    expect(items).toMatchObject([
      { kind: 'user', content: [{ name: 'plan.txt' }, { name: 'image-1-2' }] },
    ]);
    expect(items[0]?.kept).toMatchObject({ content: [{}, { detail: 'low' }] });
    expect(JSON.stringify(items[0]?.kept)).not.toContain('iVBORw0KGgo');
  });

  it.each<[string, object]>([
    ['', {}],
    [' ', {}],
    ['null', {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":', { arguments: '{"a":' }],
    ['[1]', { arguments: '[1]' }],
  ])('takes a call with the arguments %j', async (given, input) => {
    const item = { type: 'function_call', call_id: 'c', name: 'pick', arguments: given };
    const { items } = await read({ input: [item] });
    expect(items).toMatchObject([{ kind: 'call', call: { callId: 'c', name: 'pick', input } }]);
  });

  const found = { type: 'web_search_call', id: 'ws', action: { type: 'search', query: 'q' } };
  it.each<[object, object]>([
    [found, { name: 'web_search', input: { action: { query: 'q' } }, output: notSent }],
    [
      {
        type: 'mcp_call',
        id: 'm',
        name: 'read',
        arguments: '{"a":1}',
        output: 'text',
        error: null,
      },
      { name: 'read', input: { a: 1 }, output: 'text', isError: false },
    ],
    [
      { type: 'mcp_call', id: 'm', name: 'read', arguments: '{}', output: null, error: 'gone' },
      { output: 'gone', isError: true },
    ],
    [
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' },
      { callId: 'c', name: 'patch', input: { input: '*** Begin' }, output: undefined },
    ],
    [
      { type: 'code_interpreter_call', id: 'i', code: '1', outputs: [{ logs: '1' }] },
      { name: 'code_interpreter', input: { code: '1' }, output: '[{"logs":"1"}]' },
    ],
    [{ type: 'image_generation_call', id: 'i', result: 'AAAA' }, { output: notSent }],
    [
      { type: 'function_call', call_id: 'c', name: 'find', namespace: 'crm', arguments: '{}' },
      { name: 'crm__find', input: {} },
    ],
    [
      { type: 'custom_tool_call', call_id: 'c', name: 'find', namespace: 'crm', input: 'x' },
      { name: 'crm__find', input: { input: 'x' } },
    ],
    [
      { type: 'open_webui:code_interpreter', id: 'ci', code: '1+1', output: { result: '2' } },
      { name: 'open_webui:code_interpreter', input: { code: '1+1' }, output: '{"result":"2"}' },
    ],
    [
      { type: 'some_new_call', id: 'n', what: 1 },
      { name: 'some_new', input: { what: 1 } },
    ],
  ])('takes what others ran as a call: %j', async (item, call) => {
    const { items } = await read({ input: [item] });
    expect(items).toMatchObject([{ kind: 'call', call }]);
    expect(items[0]?.kept).toMatchObject(item);
  });

  it.each<[object, string]>([
    [{ type: 'reasoning', summary: [], encrypted_content: 'x' }, 'aside'],
    [{ type: 'mcp_list_tools', id: 'l', server_label: 's', tools: [] }, 'aside'],
    [{ type: 'mcp_approval_request', id: 'appr_1', name: 'write', arguments: '{}' }, 'aside'],
    [{ type: 'compaction', encrypted_content: 'x' }, 'note'],
    [{ role: 'developer', content: 'Be brief.' }, 'note'],
    [{ type: 'item_reference', id: 'msg_1' }, 'reference'],
    [{ id: 'msg_1' }, 'reference'],
    [{ role: 'assistant', content: [] }, 'reply'],
  ])('takes %j as %s', async (item, kind) => {
    expect((await read({ input: [item] })).items).toMatchObject([{ kind }]);
  });

  it.each<[unknown, string]>([
    [undefined, 'input'],
    [[], 'input'],
    [7, 'input'],
    [[7], 'input[0]'],
    [[{ type: 'item_reference' }], 'input[0].id'],
    [[{ type: 'audio' }], 'input[0].type'],
    [[user([{ type: 'input_audio' }])], 'input[0].content[0].type'],
    [
      [user([{ type: 'input_image', image_url: 'https://a.example/a.png' }])],
      'input[0].content[0].image_url',
    ],
    [[user([{ type: 'input_image', file_id: 'file-1' }])], 'input[0].content[0].image_url'],
    [
      [user([{ type: 'input_file', file_url: 'https://a.example/' }])],
      'input[0].content[0].file_data',
    ],
    [[user([{ type: 'input_file', file_data: '%' }])], 'input[0].content[0].file_data'],
    [[{ role: 'critic', content: 'x' }], 'input[0].role'],
    [[{ type: 'function_call_output', output: 'x' }], 'input[0].call_id'],
    [[{ type: 'mcp_approval_response', approval_request_id: 'x', approve: 1 }], 'input[0].approve'],
  ])('%j is refused by its field, %s', async (input, param) => {
    expect(await refusalOf({ input })).toMatchObject([expect.any(String), param]);
  });
});

const find = { type: 'function', name: 'find', parameters: { type: 'object' } };
const crm = { type: 'namespace', name: 'crm', description: 'Customers.', tools: [find] };

describe('the fields of a request', () => {
  it('become options of the turn', async () => {
    const tool = { type: 'function', name: 'pick', parameters: { type: 'object' }, strict: true };
    const { opts } = await read({
      parallel_tool_calls: false,
      reasoning: { effort: 'minimal', summary: 'auto' },
      max_output_tokens: 300,
      tools: [tool],
      service_tier: 'flex',
      background: true,
    });
    expect(compact(opts)).toEqual({
      thinking: { effort: 'low', display: 'summarized' },
      maxTokens: 300,
      clientTools: [{ name: 'pick', description: '', inputSchema: { type: 'object' } }],
      priority: 'background',
      onDisconnect: 'continue',
    });
    expect((await read({ tool_choice: 'none', tools: [tool] })).opts).toMatchObject({ tools: [] });
    expect((await read({ reasoning: { effort: 'none' } })).opts).toEqual({ thinking: false });
  });

  it.each([
    { store: true },
    { store: false },
    { parallel_tool_calls: false },
    { truncation: 'disabled', include: ['reasoning.encrypted_content'] },
    { text: { verbosity: 'low' } },
    { client_metadata: { a: 'b' } },
    { tools: [{ type: 'web_search' }] },
    { tools: [{ type: 'mcp', server_label: 'turnpike' }] },
    { store: null, max_tool_calls: null, conversation: null, prompt: null },
    { context_management: null, moderation: null, prompt_cache_options: { ttl: '24h' } },
    { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
    { truncation: 'auto', parallel_tool_calls: true, service_tier: 'auto', include: [] },
    { stream_options: { include_obfuscation: false }, prompt_cache_retention: '24h' },
    { text: { format: { type: 'text' }, verbosity: 'medium' }, tool_choice: 'auto' },
    { user: 'ann', safety_identifier: 's', prompt_cache_key: 'k', metadata: { a: 'b' } },
  ])('may be %j', async (fields) => {
    expect(compact((await read(fields)).opts)).toEqual({});
  });

  it('name tools that take text, with the grammar told to the model', async () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };
    const tool = { type: 'custom', name: 'patch', description: 'Patches.', format };
    const { opts, given } = await read({ tools: [tool] });
    expect(given.customTools).toEqual(['patch']);
    expect(opts['clientTools']).toMatchObject([
      {
        name: 'patch',
        description: 'Patches.\n\nThe input follows this grammar (lark):\nstart: /.+/',
        inputSchema: { required: ['input'] },
      },
    ]);
  });

  it('name tools in namespaces, which the model has under names of both parts', async () => {
    const long = { ...find, name: `find_${'x'.repeat(58)}` };
    const patch = { type: 'custom', name: 'patch', description: 'Patches.' };
    const tools = [find, { ...crm, tools: [find, long, patch] }];
    const { opts, given } = await read({ tools });
    const [, , cut] = opts['clientTools'] as { name: string }[];
    expect(opts['clientTools']).toMatchObject([
      { name: 'find' },
      { name: 'crm__find' },
      { name: expect.stringMatching(/^crm__find_x+_[0-9a-f]{8}$/) },
      { name: 'crm__patch', inputSchema: { required: ['input'] } },
    ]);
    expect(cut?.name).toHaveLength(64);
    expect(given.customTools).toEqual(['crm__patch']);
    const names = ['find', long.name, 'patch'];
    const offered = ['crm__find', cut?.name, 'crm__patch'];
    expect(given.namespaces).toEqual([
      {
        name: 'crm',
        description: 'Customers.',
        tools: names.map((name, index) => ({ name, offered: offered[index] })),
      },
    ]);
    // A request that answers has none any more.
    expect('namespaces' in (await read({ tools: [find] })).given).toBe(true);
    expect((await read({ tools: [find] })).given.namespaces).toBeUndefined();
  });

  it('are given back where they change nothing', async () => {
    const fields = { truncation: 'disabled', prompt_cache_retention: 'in-memory' };
    const { given } = await read(fields);
    expect(given).toMatchObject({ truncation: 'disabled', promptCacheRetention: 'in_memory' });
  });

  it('leave an option to the agent again where a request that answers says so', async () => {
    const plain = { text: { format: { type: 'text' } }, reasoning: {}, tools: [] };
    const { opts } = await read({ ...plain, background: false });
    expect(opts).toEqual({
      output: undefined,
      citations: undefined,
      thinking: undefined,
      tools: undefined,
      clientTools: undefined,
      onDisconnect: undefined,
    });
    expect((await read({})).opts).toEqual({});
  });

  it('has the format of an object, which the turn is to end with', async () => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } } };
    const format = { type: 'json_schema', name: 'counted', strict: true, schema };
    const { opts, given } = await read({ text: { format } });
    // An agent that cites does not in a turn that ends with an object.
    expect(opts).toEqual({ output: { schema, repairs: 1 }, citations: false });
    expect(given.format).toEqual(format);
    const wrong = { ...format, schema: { type: 'banana' } };
    expect(await refusalOf({ text: { format: wrong } })).toMatchObject([
      expect.any(String),
      'text.format.schema',
    ]);
  });

  it.each<[object, string]>([
    [{ temperature: 0.2 }, 'temperature'],
    [{ top_p: 0.5 }, 'top_p'],
    [{ presence_penalty: 1 }, 'presence_penalty'],
    [{ frequency_penalty: 1 }, 'frequency_penalty'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: { type: 'function', name: 'pick' } }, 'tool_choice'],
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ max_tool_calls: 3 }, 'max_tool_calls'],
    [{ conversation: { id: 'conv_1' } }, 'conversation'],
    [{ context_management: [{ type: 'compaction' }] }, 'context_management'],
    [{ moderation: {} }, 'moderation'],
    [{ include: ['message.output_text.logprobs'] }, 'include'],
    [{ store: false, background: true }, 'store'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    [{ truncation: 'end' }, 'truncation'],
    [{ text: { verbosity: 'huge' } }, 'text.verbosity'],
    [{ text: { format: { type: 'json_object' } } }, 'text.format'],
    [{ reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    [{ reasoning: { mode: 'x' } }, 'reasoning'],
    [{ tools: [{ type: 'local_shell' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'mcp', server_label: 'x' }] }, 'tools[0].server_label'],
    [{ tools: [{ type: 'custom', name: 'p', format: { type: 'x' } }] }, 'tools[0].format'],
    [{ tools: [{ type: 'function', name: 'x', parameters: 1 }] }, 'tools[0]'],
    [{ tools: [{ type: 'web_search' }, { type: 'function', name: 'x y' }] }, 'tools[1]'],
    [{ tools: [{ ...crm, name: 'c r m' }] }, 'tools[0].name'],
    [{ tools: [{ ...crm, tools: [] }] }, 'tools[0].tools'],
    [{ tools: [{ ...crm, tools: [{ type: 'mcp' }] }] }, 'tools[0].tools[0].type'],
    [{ tools: [{ ...crm, tools: [{ ...find, name: 'x y' }] }] }, 'tools[0].tools[0]'],
    [{ tools: [{ ...find, async: true }] }, 'tools[0].async'],
    [{ tools: [{ ...find, allowed_callers: ['programmatic'] }] }, 'tools[0].allowed_callers'],
    [{ stream_options: { include_all: true } }, 'stream_options'],
    [{ prompt_cache_retention: '7d' }, 'prompt_cache_retention'],
    [{ prompt_cache_options: { prewarm: true } }, 'prompt_cache_options'],
    [{ tools: [{ type: 'function', name: 'x', parameters: { type: 'banana' } }] }, 'tools[0]'],
    [{ tools: 'all' }, 'tools'],
    [{ metadata: { a: 1 } }, 'metadata'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ stream: 'yes' }, 'stream'],
    [{ model: '' }, 'model'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'p' } }, 'prompt'],
  ])('may not be %j: the error names %s', async (fields, param) => {
    expect(await refusalOf(fields)).toMatchObject([expect.any(String), param]);
  });
});
