import { describe, expect, it } from '@jest/globals';
import { isTypedError } from '../../errors/typed-error.js';
import { readRequest, type ResponseRequest } from './read-request.js';

const png = 'data:image/png;base64,iVBORw0KGgo=';
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

async function textOf(body: object): Promise<string> {
  const { input } = await read(body);
  if (input.type !== 'message') throw new Error('It is no message');
  return input.message.text;
}

describe('the input of a request', () => {
  it('is a text, or the messages of the user', async () => {
    expect(await textOf({ input: 'Hello' })).toBe('Hello');
    const parts = [
      { type: 'input_text', text: 'one' },
      { type: 'input_text', text: 'two' },
    ];
    expect(await textOf({ input: [user(parts), user('three')] })).toBe('one\n\ntwo\n\nthree');
  });

  it('comes after what the application says beside it, and after earlier conversation', async () => {
    const input = [
      { role: 'developer', content: 'Be brief.' },
      user('My name is Alice.'),
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Hello Alice!' }] },
      user('What is my name?'),
    ];
    expect(await textOf({ input, instructions: 'Answer in German.' })).toBe(
      [
        'Instructions from the application:',
        'Answer in German.',
        'Be brief.',
        '---',
        'The conversation so far:',
        'user: My name is Alice.',
        'assistant: Hello Alice!',
        '---',
        'What is my name?',
      ].join('\n\n'),
    );
  });

  it('has files, whose bytes are not given back', async () => {
    const file = { type: 'input_file', filename: 'a/plan.txt', file_data: 'SGVsbG8=' };
    const image = { type: 'input_image', image_url: png };
    const { input, stored } = await read({ input: [user([file, image])] });
    expect(input).toMatchObject({
      type: 'message',
      message: { text: '', files: [{ name: 'plan.txt' }, { name: 'file.png' }] },
    });
    expect(JSON.stringify(stored.input)).not.toContain('iVBORw0KGgo');
  });

  it('has answers where a response asked, and only these', async () => {
    const output = { type: 'function_call_output', call_id: 'appr_1', output: 'red' };
    const approval = {
      type: 'mcp_approval_response',
      approval_request_id: 'appr_2',
      approve: false,
      reason: 'No',
    };
    const call = { type: 'function_call', call_id: 'appr_1', name: 'pick', arguments: '{}' };
    const { input } = await read({ input: [user('Pick'), call, output, approval] });
    expect(input).toMatchObject({
      type: 'answers',
      answers: [
        { approvalId: 'appr_1', given: { decision: 'answer', output: 'red' } },
        { approvalId: 'appr_2', given: { decision: 'deny', message: 'No' } },
      ],
    });
    expect(await refusalOf({ input: [output, user('And?')] })).toMatchObject([
      expect.stringContaining('send the answers first'),
      'input',
    ]);
  });

  it.each<[unknown, string]>([
    [undefined, 'input'],
    [[], 'input'],
    [7, 'input'],
    [[user('')], 'input'],
    [[{ role: 'assistant', content: 'Hi' }], 'input'],
    [[7], 'input[0]'],
    [[{ type: 'item_reference', id: 'x' }], 'input[0].type'],
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

describe('the fields of a request', () => {
  it('become options of the turn', async () => {
    const tool = { type: 'function', name: 'pick', parameters: { type: 'object' }, strict: true };
    const { opts } = await read({
      reasoning: { effort: 'minimal', summary: 'auto' },
      max_output_tokens: 300,
      tools: [tool],
      service_tier: 'flex',
      background: true,
    });
    expect(opts).toEqual({
      thinking: { effort: 'low', display: 'summarized' },
      maxTokens: 300,
      clientTools: [{ name: 'pick', description: '', inputSchema: { type: 'object' } }],
      priority: 'background',
      onDisconnect: 'continue',
    });
    expect((await read({ tool_choice: 'none', tools: [tool] })).opts).toEqual({ tools: [] });
    expect((await read({ reasoning: { effort: 'none' } })).opts).toEqual({ thinking: false });
  });

  it.each([
    { store: true },
    { store: null },
    { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
    { truncation: 'auto', parallel_tool_calls: true, service_tier: 'auto', include: [] },
    { stream_options: { include_obfuscation: false }, prompt_cache_retention: '24h' },
    { text: { format: { type: 'text' }, verbosity: 'medium' }, tool_choice: 'auto' },
    { user: 'ann', safety_identifier: 's', prompt_cache_key: 'k', metadata: { a: 'b' } },
  ])('may be %j', async (fields) => {
    expect((await read(fields)).opts).toEqual({});
  });

  it('has the format of an object, which the turn is to end with', async () => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } } };
    const format = { type: 'json_schema', name: 'counted', strict: true, schema };
    const { opts, stored } = await read({ text: { format } });
    expect([opts, stored.format]).toEqual([{ output: { schema, repairs: 1 } }, format]);
    const wrong = { ...format, schema: { type: 'banana' } };
    expect(await refusalOf({ text: { format: wrong } })).toMatchObject([
      expect.any(String),
      'text.format.schema',
    ]);
  });

  it.each<[object, string]>([
    [{ store: false }, 'store'],
    [{ temperature: 0.2 }, 'temperature'],
    [{ top_p: 0.5 }, 'top_p'],
    [{ presence_penalty: 1 }, 'presence_penalty'],
    [{ frequency_penalty: 1 }, 'frequency_penalty'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: { type: 'function', name: 'pick' } }, 'tool_choice'],
    [{ parallel_tool_calls: false }, 'parallel_tool_calls'],
    [{ truncation: 'disabled' }, 'truncation'],
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ max_tool_calls: 3 }, 'max_tool_calls'],
    [{ include: ['reasoning.encrypted_content'] }, 'include'],
    [{ text: { verbosity: 'low' } }, 'text.verbosity'],
    [{ text: { format: { type: 'json_object' } } }, 'text.format'],
    [{ reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    [{ reasoning: { mode: 'x' } }, 'reasoning'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'function', name: 'x', parameters: 1 }] }, 'tools'],
    [{ tools: [{ type: 'function', name: 'x y' }] }, 'tools'],
    [{ tools: [{ type: 'function', name: 'x', parameters: { type: 'banana' } }] }, 'tools'],
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
