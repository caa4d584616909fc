import { describe, expect, it } from '@jest/globals';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { buildMessages } from './build-messages.js';

const tool = (name: string): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
});

describe('buildMessages with searches for tools', () => {
  const block = (type: string, more: object): AssistantPart => ({
    type: 'opaque',
    block: { type, ...more },
  });
  const searched = [
    block('server_tool_use', { id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: {} }),
    block('tool_search_tool_result', {
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: ['mcp__band__horn', 'mcp__band__bell'].map((name) => ({
          type: 'tool_reference',
          tool_name: name,
        })),
      },
    }),
  ];
  const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const turn = {
    turnId: 'turn_1',
    userParts: [{ type: 'text' as const, text: 'Hello' }],
    steps: [
      {
        step: 1,
        parts: [...searched, { type: 'text' as const, text: 'Found.' }],
        stopReason: 'end_turn' as const,
        usage: noUsage,
        sent: null,
      },
    ],
    results: new Map(),
    notices: [],
    steered: [],
    status: 'completed' as const,
    endReason: null,
  };
  const repliesOf = (names: readonly string[], toolSearch: boolean) => {
    const tools = names.map((name) => ({ ...tool(name), deferred: true as const }));
    const model = { takesSystemMessages: true, bindsThinking: false, toolSearch };
    const next = { ...turn, turnId: 'turn_2', steps: [], status: 'running' as const };
    const { messages } = buildMessages([turn, next], { model, system: '', tools });
    return messages.flatMap((one) => (one.role === 'assistant' ? one.parts : []));
  };

  it('sends them as they came where all that they found is defined', () => {
    expect(repliesOf(['mcp__band__horn', 'mcp__band__bell'], true).slice(0, 2)).toEqual(searched);
  });

  it('sends no reference to a tool without a definition, for the same turns', () => {
    const [call, result] = repliesOf(['mcp__band__bell'], true);
    expect(call).toEqual(searched[0]);
    expect(result).toMatchObject({
      block: { content: { tool_references: [{ tool_name: 'mcp__band__bell' }] } },
    });
  });

  it.each([
    ['no tool is deferred', [], true],
    ['the model has no search', ['mcp__band__horn'], false],
  ])('sends none where %s', (_what, names, toolSearch) => {
    expect(repliesOf(names, toolSearch)).toEqual([{ type: 'text', text: 'Found.' }]);
  });
});
