import { describe, expect, it } from '@jest/globals';
import { readMessage } from './messages.js';

const read = (message: object): unknown => readMessage(JSON.stringify(message));
const frame = { jsonrpc: '2.0', id: 1 };
const result = (given: unknown): unknown => {
  const message = read({ ...frame, result: given }) as { result: unknown };
  return message.result;
};

describe('null in a message of a server', () => {
  it('is a field that is absent, at any depth', () => {
    const nulls = { title: null, icons: null, _meta: null };
    expect(
      result({
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: null }, prompts: null, experimental: null },
        serverInfo: { name: 'x', version: '1', ...nulls },
        instructions: null,
        _meta: null,
      }),
    ).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
    });
    expect(
      result({
        prompts: [{ name: 'p', ...nulls, arguments: [{ name: 'a', required: null }] }],
        nextCursor: null,
      }),
    ).toEqual({ prompts: [{ name: 'p', arguments: [{ name: 'a' }] }] });
    const text = { type: 'text', text: 'went' };
    expect(
      result({
        content: [
          { ...text, annotations: null, _meta: null },
          { type: 'resource', resource: { uri: 'a:b', mimeType: null, text: 'x' } },
        ],
        structuredContent: null,
        isError: null,
      }),
    ).toEqual({ content: [text, { type: 'resource', resource: { uri: 'a:b', text: 'x' } }] });
  });

  it('is left out of a schema where it is no value', () => {
    const kept = {
      type: 'object',
      properties: {
        default: { type: 'string', default: null, examples: [null], enum: ['a', null] },
        none: { const: null },
      },
      $defs: { A: { anyOf: [{ type: 'null' }, { type: 'string' }] } },
    };
    const { properties } = kept;
    const inputSchema = {
      ...kept,
      required: null,
      properties: { ...properties, gone: null, default: { ...properties.default, title: null } },
      $defs: { A: { anyOf: [{ type: 'null', title: null }, { type: 'string' }], items: null } },
    };
    const tool = {
      name: 'go',
      description: null,
      annotations: { readOnlyHint: null },
      inputSchema,
    };
    const read = { name: 'go', annotations: {}, inputSchema: kept };
    expect(result({ tools: [{ ...tool, outputSchema: null }] })).toEqual({ tools: [read] });
    const params = { message: 'Which?', requestedSchema: inputSchema };
    expect(readMessage(JSON.stringify({ ...frame, method: 'elicitation/create', params }))).toEqual(
      { ...frame, method: 'elicitation/create', params: { ...params, requestedSchema: kept } },
    );
  });

  it('stays in what is of the tool', () => {
    const payload = { a: null, b: [{ c: null }] };
    const whole = {
      structuredContent: payload,
      _meta: { 'example/of': null, deep: payload },
      content: [{ type: 'tool_use', id: 't', name: 'x', input: payload }],
    };
    expect(result(whole)).toEqual(whole);
    const log = { jsonrpc: '2.0', method: 'notifications/message' };
    const params = { level: 'info', data: payload };
    expect(read({ ...log, params: { ...params, logger: null } })).toEqual({ ...log, params });
    expect(read({ ...log, params: { level: 'info', data: null } })).toEqual({
      ...log,
      params: { level: 'info', data: null },
    });
    const error = { code: -1, message: 'no', data: payload };
    expect(read({ ...frame, result: null, error })).toEqual({ ...frame, error });
  });

  it('is no part of the frame', () => {
    expect(read({ ...frame, result: {}, error: null })).toEqual({ ...frame, result: {} });
    expect(read({ ...frame, result: null })).toEqual({ ...frame, result: {} });
    const ping = { ...frame, method: 'ping' };
    expect(read({ ...ping, params: null })).toEqual(ping);
    expect(read({ ...ping, params: { _meta: { progressToken: null, x: null } } })).toEqual({
      ...ping,
      params: { _meta: { x: null } },
    });
    const faulty = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } };
    expect(read(faulty)).toEqual(faulty);
    expect(readMessage(JSON.stringify([{ ...frame, result: null }]))).toEqual([
      { ...frame, result: {} },
    ]);
    expect(read({ token: null })).toEqual({ token: null });
  });
});
