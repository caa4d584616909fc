import { describe, expect, it } from '@jest/globals';
import { parsePersona, type Persona } from './parse-persona.js';

const withFields = (...lines: string[]): Persona =>
  parsePersona('P', ['---', ...lines, '---', 'Prompt'].join('\n'));

describe('parsePersona', () => {
  it('reads a whole file', () => {
    const file = [
      '---',
      'description: Plans the work',
      'tools: [read, " write ", read, ""]',
      'max_turns: 20',
      'subagents: PREPARATION, 4_DOCUMENTS, PREPARATION',
      'auto_approve_tools: [write]',
      'disallowed_tools:',
      '  - bash',
      'model: some-model',
      'permissions: { anything: else }',
      '---',
      '# Plans',
      'AGENT_TYPE: 1',
      'AGENT_CLASS: PERSONA',
    ].join('\n');
    expect(parsePersona('PLANNER', file)).toEqual({
      name: 'PLANNER',
      description: 'Plans the work',
      tools: ['read', 'write'],
      maxTurns: 20,
      subagents: ['PREPARATION', '4_DOCUMENTS'],
      autoApproveTools: ['write'],
      disallowedTools: ['bash'],
      model: 'some-model',
      agentType: 1,
      agentClass: 'PERSONA',
      prompt: '# Plans\nAGENT_TYPE: 1\nAGENT_CLASS: PERSONA',
      problems: [],
    });
  });

  it('needs no front matter', () => {
    expect(parsePersona('P', 'Just a prompt')).toEqual({
      name: 'P',
      subagents: [],
      autoApproveTools: [],
      disallowedTools: [],
      prompt: 'Just a prompt',
      problems: [],
    });
  });

  it('treats malformed front matter as empty and says so', () => {
    const persona = withFields('tools: [read', 'max_turns: 3');
    expect(persona).toMatchObject({ prompt: 'Prompt', subagents: [] });
    expect(persona.tools).toBeUndefined();
    expect(persona.maxTurns).toBeUndefined();
    expect(persona.problems).toEqual([expect.stringMatching(/^front matter ignored: /)]);
  });

  it.each([
    ['tools: []', 'tools', []],
    ['tools: ["", " "]', 'tools', []],
    ['tools:', 'tools', undefined],
    ['max_turns: 1', 'maxTurns', 1],
    ['model: " m "', 'model', 'm'],
    ['model:', 'model', undefined],
    ['subagents: [A, B, A]', 'subagents', ['A', 'B']],
    ['subagents: A', 'subagents', ['A']],
    ['subagents: 4', 'subagents', ['4']],
    ['subagents: []', 'subagents', []],
    ['subagents: " , "', 'subagents', []],
    ['auto_approve_tools: write, edit', 'autoApproveTools', ['write', 'edit']],
    ['disallowed_tools: bash', 'disallowedTools', ['bash']],
    ['AGENT_TYPE: 2', 'agentType', 2],
    ['AGENT_CLASS: TASK', 'agentClass', 'TASK'],
  ] as const)('takes %s', (line, field, value) => {
    const persona = withFields(line);
    expect(persona[field]).toEqual(value);
    expect(persona.problems).toEqual([]);
  });

  it.each([
    ['tools: read, write', 'tools', undefined, 'tools ignored: must be a list of tool names'],
    ['tools: [read, 1]', 'tools', undefined, 'tools ignored'],
    ['max_turns: 0', 'maxTurns', undefined, 'max_turns ignored: must be an integer greater than 0'],
    ['max_turns: -1', 'maxTurns', undefined, 'max_turns ignored'],
    ['max_turns: 1.5', 'maxTurns', undefined, 'max_turns ignored'],
    ['max_turns: "3"', 'maxTurns', undefined, 'max_turns ignored'],
    ['description: [a]', 'description', undefined, 'description ignored'],
    ['model: 3', 'model', undefined, 'model ignored'],
    ['subagents: { a: 1 }', 'subagents', [], 'subagents ignored'],
    ['disallowed_tools: [bash, [x]]', 'disallowedTools', ['bash'], 'an item of disallowed_tools'],
    ['AGENT_TYPE: 3', 'agentType', undefined, 'AGENT_TYPE ignored: must be one of 0, 1, 2'],
    ['AGENT_TYPE: [2]', 'agentType', undefined, 'AGENT_TYPE ignored'],
    ['AGENT_CLASS: BOSS', 'agentClass', undefined, 'AGENT_CLASS ignored'],
  ] as const)('leaves %s out and names it', (line, field, value, problem) => {
    const persona = withFields(line);
    expect(persona[field]).toEqual(value);
    expect(persona.problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['AGENT_TYPE: 0', 0],
    ['AGENT_TYPE: TYPE 2', 2],
    ['| **AGENT_TYPE** | TYPE 2 |', 2],
    ['**AGENT_TYPE** | TYPE 1', 1],
    ['| AGENT_TYPE | 1 |', 1],
    ['The AGENT_TYPE: 1 of this file', undefined],
    ['XAGENT_TYPE: 1', undefined],
  ])('finds the type in the body line %s', (line, type) => {
    expect(parsePersona('P', `# Title\n\n${line}\nMore`).agentType).toBe(type);
  });

  it.each([
    ['AGENT_CLASS: TASK', 'TASK'],
    ['| **AGENT_CLASS** | PERSONA |', 'PERSONA'],
    ['none here', undefined],
  ])('finds the class in the body line %s', (line, agentClass) => {
    expect(parsePersona('P', `# Title\n${line}`).agentClass).toBe(agentClass);
  });

  it('lets the body decide over the front matter', () => {
    expect(parsePersona('P', '---\nAGENT_TYPE: 1\n---\nAGENT_TYPE: 2').agentType).toBe(2);
  });

  it('says that the prompt is empty', () => {
    expect(parsePersona('P', '---\nmax_turns: 1\n---\n').problems).toEqual([
      expect.stringContaining('the prompt is empty'),
    ]);
  });
});
