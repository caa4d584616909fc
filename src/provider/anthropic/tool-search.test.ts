import { describe, expect, it } from '@jest/globals';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ModelEvent, ModelRequest } from '../model-types.js';
import { fromStreamEvent, newStreamState } from './from-stream-event.js';
import { toBody, toRequest } from './to-request.js';
import { wrappedTools } from './tool-search.js';

const tool = (name: string) => ({ name, description: '', inputSchema: { type: 'object' } });
const call: AssistantPart = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'late',
  input: { a: 1 },
  isWrapped: true,
};
const base: ModelRequest = {
  model: 'm',
  system: '',
  maxTokens: 10,
  tools: [tool('read'), { ...tool('late'), deferred: true }, tool('write')],
  serverTools: [{ name: 'code_execution' }],
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
    { role: 'assistant', parts: [call] },
  ],
};
const provider: ModelRequest = { ...base, toolSearch: 'provider' };
const own: ModelRequest = { ...base, toolSearch: 'own' };

describe('a request with deferred tools', () => {
  it('has the search of the provider, and the deferred tools behind all others', () => {
    expect(toRequest(provider).tools).toMatchObject([
      { name: 'read' },
      { name: 'write' },
      { type: 'code_execution_20260521' },
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
      { name: 'late', defer_loading: true },
    ]);
    expect(toBody(provider)).toBe(JSON.stringify(toRequest(provider)));
  });

  it('has no deferred tool where the server searches, and calls of them as the model made them', () => {
    const { tools, messages } = toRequest(own);
    expect(tools).toMatchObject([
      { name: 'read' },
      { name: 'write' },
      { type: 'code_execution_20260521' },
    ]);
    const input = { tool: 'late', input: { a: 1 } };
    expect(messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'use_tool', input },
    ]);
    expect(toBody(own)).toBe(JSON.stringify(toRequest(own)));
  });

  it('keeps a call that the model made by its name, before the tool was one to search for', () => {
    const { isWrapped: _isWrapped, ...byName } = call;
    const messages: ModelRequest['messages'] = [{ role: 'assistant', parts: [byName] }];
    expect(toRequest({ ...own, messages }).messages[0]?.content).toMatchObject([{ name: 'late' }]);
  });

  it('has the same message in either form, whichever was made before', () => {
    expect(toRequest(provider).messages[1]?.content).toMatchObject([{ name: 'late' }]);
    expect(toRequest(own).messages[1]?.content).toMatchObject([{ name: 'use_tool' }]);
    expect(toRequest(provider).messages[1]?.content).toMatchObject([{ name: 'late' }]);
  });
});

describe('a reply with a call of use_tool', () => {
  function read(json: string): ModelEvent[] {
    const state = newStreamState(wrappedTools(own));
    const events: ModelEvent[] = [];
    for (const event of [
      { type: 'message_start', message: {} },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'use_tool', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: json },
      },
      { type: 'content_block_stop', index: 0 },
    ]) {
      fromStreamEvent(state, event, events);
    }
    return events.slice(1);
  }

  it('is a call of the tool that it names', () => {
    expect(read('{"tool":"late","input":{"a":1}}')).toEqual([
      { type: 'tool.requested', callId: 'toolu_1', name: 'late' },
      { type: 'tool.args.delta', callId: 'toolu_1', json: '{"a":1}' },
      { type: 'part.ended', part: call },
    ]);
  });

  it.each([
    ['names no deferred tool', '{"tool":"read","input":{}}'],
    ['names nothing', '{"input":{}}'],
    ['has no object for an input', '{"tool":"late","input":"x"}'],
    ['is broken', '{"tool":"la'],
  ])('stays what it is where it %s', (_what, json) => {
    expect(read(json).at(-1)).toMatchObject({ part: { name: 'use_tool' } });
  });
});
