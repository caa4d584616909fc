import { describe, expect, it } from '@jest/globals';
import { parsePersona } from '../../test/support/agents/parse-persona.js';
import type { Persona } from './parse-agent-file.js';

const withFields = (...lines: string[]): Persona =>
  parsePersona('P', ['---', ...lines, '---', 'Prompt'].join('\n'));

describe('parseAgentFile', () => {
  it('reads who decides about a call', () => {
    const { permissions, problems } = withFields(
      'permissions:',
      '  ask:',
      '    - read',
      '    - { rule: "bash(git push*)", by: [release], count: 2, notRequester: true }',
    );
    expect([permissions, problems]).toEqual([
      {
        ask: ['read', { rule: 'bash(git push*)', by: ['release'], count: 2, notRequester: true }],
      },
      [],
    ]);
    const wrong = withFields('permissions:', '  ask:', '    - { rule: bash, by: [] }');
    expect(wrong.problems).toEqual([
      { line: 4, message: expect.stringContaining('must name at least one role') },
    ]);
  });

  it('reads a whole file', () => {
    const file = [
      '---',
      'description: Plans the work',
      'tools: [read, " write ", read, ""]',
      'max_turns: 20',
      'subagents: PREPARATION, 4_DOCUMENTS, PREPARATION',
      'disallowed_tools:',
      '  - bash',
      'model: some-model',
      'fallback_model: other-model',
      'permissions: { mode: plan, allow: edit, ask: ["bash(git push*)", mcp__a__*] }',
      'limits: { max_iterations: 9 }',
      'decision_tree: other',
      'attachments: text',
      'citations: true',
      'name: PLANNER',
      '---',
      '# Plans',
      'AGENT_TYPE: 1',
      'AGENT_CLASS: PERSONA',
    ].join('\n');
    expect(parsePersona('PLANNER', file)).toEqual({
      name: 'PLANNER',
      version: 'b30fb1fa78a1',
      file: 'agents/PLANNER.md',
      description: 'Plans the work',
      tools: ['read', 'write'],
      maxTurns: 20,
      subagents: ['PREPARATION', '4_DOCUMENTS'],
      permissionMode: 'plan',
      permissions: {
        allow: ['edit'],
        ask: ['bash(git push*)', 'mcp__a__*'],
        deny: ['bash'],
      },
      agentConfig: { maxIterations: 9 },
      decisionTree: 'other',
      attachments: 'text',
      citations: true,
      model: 'some-model',
      fallbackModel: 'other-model',
      agentType: 1,
      agentClass: 'PERSONA',
      prompt: '# Plans\nAGENT_TYPE: 1\nAGENT_CLASS: PERSONA',
      problems: [],
    });
  });

  it('needs no front matter', () => {
    expect(parsePersona('P', 'Just a prompt')).toEqual({
      name: 'P',
      // `printf 'Just a prompt' | sha256sum`
      version: '7c77483bdbe6',
      file: 'agents/P.md',
      subagents: [],
      permissions: {},
      prompt: 'Just a prompt',
      problems: [],
    });
  });

  it('treats malformed front matter as empty and says so', () => {
    const persona = withFields('tools: [read', 'max_turns: 3');
    expect(persona).toMatchObject({ prompt: 'Prompt', subagents: [] });
    expect(persona.tools).toBeUndefined();
    expect(persona.maxTurns).toBeUndefined();
    expect(persona.problems).toEqual([
      { line: 3, message: expect.stringMatching(/^the front matter cannot be read: /) },
    ]);
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
    ['auto_approve_tools: write, edit', 'permissions', { allow: ['write', 'edit'] }],
    ['disallowed_tools: bash', 'permissions', { deny: ['bash'] }],
    ['AGENT_TYPE: 2', 'agentType', 2],
    ['AGENT_CLASS: TASK', 'agentClass', 'TASK'],
    ['permissions: { allow: [write] }', 'permissions', { allow: ['write'] }],
    ['permissions: { deny: "bash, write" }', 'permissions', { deny: ['bash', 'write'] }],
    [
      'permissions: { ask: "bash(a, b*), write(docs/**), read" }',
      'permissions',
      { ask: ['bash(a, b*)', 'write(docs/**)', 'read'] },
    ],
    ['permissions: { ask: [" write ", write] }', 'permissions', { ask: ['write'] }],
    ['permissions: { allow: [], deny: }', 'permissions', {}],
    ['permissions:', 'permissionMode', undefined],
    ['permissions: { mode: acceptEdits }', 'permissionMode', 'acceptEdits'],
    ['agent_config: { token_budget: 5000 }', 'agentConfig', { tokenBudget: 5000 }],
    ['limits: {}', 'agentConfig', {}],
    ['attachments: native', 'attachments', 'native'],
    ['citations: false', 'citations', false],
  ] as const)('takes %s', (line, field, value) => {
    const persona = withFields(line);
    expect(persona[field]).toEqual(value);
    expect(persona.problems).toEqual([]);
  });

  it.each([
    ['tools: read, write', 'tools', undefined, 'tools must be a list of tool names'],
    ['tools: [read, 1]', 'tools', undefined, 'not ["read",1]'],
    ['max_turns: 0', 'maxTurns', undefined, 'max_turns must be an integer greater than 0, not 0'],
    ['max_turns: -1', 'maxTurns', undefined, 'not -1'],
    ['max_turns: 1.5', 'maxTurns', undefined, 'not 1.5'],
    ['max_turns: .inf', 'maxTurns', undefined, 'not Infinity'],
    ['max_turns: "3"', 'maxTurns', undefined, 'not "3"'],
    ['description: [a]', 'description', undefined, 'description must be text'],
    ['model: 3', 'model', undefined, 'model must be text'],
    ['fallback_model: []', 'fallbackModel', undefined, 'fallback_model must be text'],
    [
      'fallback_models: [a, b, c, d, e, f]',
      'fallbackModels',
      undefined,
      'fallback_models must be a list of five names at most',
    ],
    ['subagents: { a: 1 }', 'subagents', [], 'subagents must be a list of names'],
    [
      'disallowed_tools: [bash, [x]]',
      'permissions',
      { deny: ['bash'] },
      'disallowed_tools.1 must be a name',
    ],
    [
      'permissions: { deny: [bash, {rm: x}] }',
      'permissions',
      { deny: ['bash'] },
      'permissions.deny.1 must be a rule, for example read or "bash(git status*)", not {"rm":"x"}',
    ],
    [
      'permissions: { allow: [write, "bash(rm"] }',
      'permissions',
      { allow: ['write'] },
      'permissions.allow.1 must be a tool, or a tool and a pattern in parentheses, for example read, write(docs/**) or bash(git status*); it is "bash(rm"',
    ],
    [
      'permissions: { deny: "bash(, write" }',
      'permissions',
      { deny: ['write'] },
      'permissions.deny.0 must be a tool, or a tool and a pattern in parentheses',
    ],
    [
      'permissions: { ask: { a: 1 } }',
      'permissions',
      {},
      'permissions.ask must be a list of rules',
    ],
    ['AGENT_TYPE: 3', 'agentType', undefined, 'AGENT_TYPE must be one of 0, 1, 2, not 3'],
    ['AGENT_TYPE: [2]', 'agentType', undefined, 'AGENT_TYPE must be one of'],
    ['AGENT_CLASS: BOSS', 'agentClass', undefined, 'AGENT_CLASS must be one of PERSONA, TASK'],
    ['limits: 3', 'agentConfig', undefined, 'limits must be a map, for example'],
    ['limits: { max_iterations: 51 }', 'agentConfig', {}, 'limits.max_iterations must be a whole'],
    ['limits: { max_iteration: 5 }', 'agentConfig', {}, 'did you mean max_iterations?'],
    ['agent_config: { x: 5 }', 'agentConfig', {}, 'agent_config.x is not a field; use max_iter'],
    ['permissions: [plan]', 'permissionMode', undefined, 'permissions must be a map'],
    ['permissions: { mode: Plan }', 'permissionMode', undefined, 'permissions.mode must be one of'],
    ['permissions: { denied: [a] }', 'permissions', {}, 'permissions.denied is not a field'],
    ['attachments: txt', 'attachments', undefined, 'attachments must be one of native, text'],
    ['citations: yes', 'citations', undefined, 'citations must be true or false, not "yes"'],
    ['tool: [read]', 'tools', undefined, 'tool is not a field; did you mean tools?'],
    [
      'temperature: 1',
      'tools',
      undefined,
      'temperature is not a field; use name, title, description',
    ],
    ['name: ""', 'name', 'P', 'name must be text'],
  ] as const)('leaves %s out and names it', (line, field, value, problem) => {
    const persona = withFields(line);
    expect(persona[field]).toEqual(value);
    expect(persona.problems).toEqual([{ line: 2, message: expect.stringContaining(problem) }]);
  });

  it.each([
    [
      'auto_approve_tools: [edit]',
      'permissions: { allow: [write] }',
      'permissions',
      { allow: ['write', 'edit'] },
    ],
    [
      'disallowed_tools: bash',
      'permissions: { deny: [grep] }',
      'permissions',
      { deny: ['grep', 'bash'] },
    ],
    [
      'agent_config: { max_iterations: 3 }',
      'limits: { max_iterations: 4 }',
      'agentConfig',
      { maxIterations: 4 },
    ],
  ] as const)('takes one name for one thing: %s, %s', (old, newer, field, value) => {
    const persona = withFields(newer, old);
    expect(persona[field]).toEqual(value);
    expect(persona.problems).toEqual([
      { line: 3, message: expect.stringMatching(/is the old name of .* keep one of the two$/) },
    ]);
  });

  it('knows the line of each fault, in their order', () => {
    const { problems } = withFields(
      'limits:',
      '  token_budget: 5000',
      '  timeout_seconds: 1',
      'permissions:',
      '  mode: later',
      '  deny: [bash,',
      '    {}]',
      'max_turns: many',
    );
    expect(problems.map(({ line }) => line)).toEqual([4, 6, 8, 9]);
    expect(problems.at(-1)?.message).toBe(
      'max_turns must be an integer greater than 0, not "many"',
    );
  });

  it('knows the line of a fault in the body', () => {
    expect(parsePersona('P', '---\n---\n\n# P\n\nAGENT_TYPE: 7\n').problems).toEqual([
      { line: 6, message: 'AGENT_TYPE must be one of 0, 1, 2, not "7"' },
    ]);
  });

  it('cuts what it shows of a long value', () => {
    const [problem] = withFields(`max_turns: ${'x'.repeat(10_000)}`).problems;
    expect(problem?.message.length).toBeLessThan(120);
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
      { line: 4, message: expect.stringContaining('the prompt is empty') },
    ]);
  });
});

function persona(...lines: string[]): Persona {
  return parsePersona('P', ['---', ...lines, '---', 'Prompt'].join('\n'));
}

describe('mcp_servers of an agent', () => {
  it('is absent where the file says nothing', () => {
    expect(persona('max_turns: 1')).not.toHaveProperty('mcpServers');
  });

  it('is a list of names', () => {
    expect(persona('mcp_servers: [github, docs]')).toMatchObject({
      mcpServers: { named: ['github', 'docs'], own: {} },
      problems: [],
    });
    expect(persona('mcp_servers: []').mcpServers).toEqual({ named: [], own: {} });
  });

  it('is a map of definitions', () => {
    const { mcpServers, problems } = persona(
      'mcp_servers:',
      '  docs: { url: "https://mcp.example.com/mcp" }',
      '  box: { command: box, args: [-v] }',
    );
    expect(problems).toEqual([]);
    expect(mcpServers).toMatchObject({
      named: [],
      own: { docs: { kind: 'http' }, box: { kind: 'stdio', args: ['-v'] } },
    });
  });

  it('is none at all where something is wrong in it, which is named by its line', () => {
    const { mcpServers, problems } = persona(
      'mcp_servers:',
      '  box: { command: box }',
      '  docs:',
      '    url: mcp.example.com',
    );
    expect(mcpServers).toEqual({ named: [], own: {} });
    expect(problems).toEqual([
      { line: 5, message: 'mcp_servers.docs.url must be a URL, https://host/path' },
    ]);
  });

  it.each([
    ['mcp_servers: github', 'mcp_servers must be a list of names or a map, for example [github]'],
    ['mcp_servers: [1]', 'mcp_servers.0 must be the name of a server, not 1'],
  ])('refuses %s', (line, fault) => {
    const { mcpServers, problems } = persona(line);
    expect(mcpServers).toEqual({ named: [], own: {} });
    expect(problems).toEqual([{ line: 2, message: expect.stringContaining(fault) }]);
  });
});
