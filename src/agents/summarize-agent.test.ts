import { describe, expect, it } from '@jest/globals';
import { summarizeAgent } from './summarize-agent.js';
import { parsePersona } from '../../test/support/agents/parse-persona.js';

describe('summarizeAgent', () => {
  it('shows what the file says, by the names of the wire', () => {
    const file = [
      '---',
      'title: Reader',
      'description: Reads',
      'model: claude-x',
      'tools: []',
      'max_turns: 7',
      'limits: { token_budget: 5000, max_iterations: 9 }',
      'subagents: [a, b]',
      'decision_tree: two-looks',
      'AGENT_TYPE: 0',
      '---',
      'You read.',
    ].join('\n');
    expect(summarizeAgent(parsePersona('reader', file), 'agents/reader.md')).toEqual({
      name: 'reader',
      file: 'agents/reader.md',
      title: 'Reader',
      description: 'Reads',
      model: 'claude-x',
      tools: [],
      limits: { token_budget: 5000, max_iterations: 7 },
      subagents: ['a', 'b'],
      decision_tree: 'two-looks',
      type: 0,
    });
  });

  it('says so where the file says nothing', () => {
    expect(summarizeAgent(parsePersona('reader', 'You read.'), 'agents/reader.md')).toEqual({
      name: 'reader',
      file: 'agents/reader.md',
      title: null,
      description: null,
      model: null,
      tools: null,
      limits: {},
      subagents: [],
      decision_tree: 'default',
      type: null,
    });
  });
});
