import { describe, expect, it } from '@jest/globals';
import { nameOf } from '../../platform/parsing/parse-value.js';
import { parsePermissionRule, validatePermissionRules } from './permission-rules.js';

describe('parsePermissionRule', () => {
  it.each([
    ['read', { tool: 'read' }],
    [' read ', { tool: 'read' }],
    ['mcp__github__*', { tool: 'mcp__github__*' }],
    ['*', { tool: '*' }],
    ['bash(git status*)', { tool: 'bash', pattern: 'git status*' }],
    ['bash(echo (a) \n b)', { tool: 'bash', pattern: 'echo (a) \n b' }],
    ['write(docs/**)', { tool: 'write', pattern: 'docs/**' }],
  ])('reads %j', (text, rule) => {
    expect(parsePermissionRule(text)).toEqual({ rule });
  });

  it.each([
    ['', 'must begin with the name of a tool, for example read, write(docs/**)'],
    ['(x)', 'must begin with the name of a tool'],
    ['bash(x', 'must be a tool, or a tool and a pattern in parentheses, for example read'],
    ['bash x', 'must be a tool, or a tool and a pattern'],
    ['bash (x)', 'must be a tool, or a tool and a pattern'],
    ['bash(x) y', 'must be a tool, or a tool and a pattern'],
    ['rëad', 'must be a tool, or a tool and a pattern'],
    ['bash()', 'has an empty pattern: write bash for every call'],
    ['bash(  )', 'has an empty pattern'],
    ['mcp__a__*(x)', 'names tools with *, which takes no pattern: write mcp__a__* for every call'],
  ])('refuses %j', (text, fault) => {
    expect(parsePermissionRule(text)).toEqual({ fault: expect.stringContaining(fault) });
  });
});

const tools = [
  { name: 'read', permissionArgument: { name: 'file_path', kind: 'path' } },
  { name: 'bash', permissionArgument: { name: 'command', kind: 'command' } },
  { name: 'todo_write' },
] as const;

const faultsOf = (given: unknown): string[] =>
  (validatePermissionRules(given, tools).faults ?? []).map(
    ({ path, message }) => `${nameOf(path)}: ${message}`,
  );

describe('validatePermissionRules', () => {
  it('takes the lists that are there', () => {
    const given = {
      allow: ['bash(git *)', 'read(docs/**)', 'read(/etc/hosts)', 'mcp__any__tool', '*'],
      ask: null,
      deny: [],
    };
    expect(validatePermissionRules(given, tools)).toEqual({
      value: { allow: given.allow, deny: [] },
    });
    expect(validatePermissionRules({}, tools)).toEqual({ value: {} });
  });

  it.each([
    [[], /^: must be a map of allow, ask and deny, for example \{/],
    ['read', /^: must be a map/],
    [{ alow: [] }, /^alow: is not a field; did you mean allow\?$/],
    [{ allow: 'read' }, /^allow: must be a list of rules, for example \["read"\], not "read"$/],
    [{ deny: ['read', 5] }, /^deny\.1: must be text, for example "bash\(git status\*\)", not 5$/],
    [
      { ask: ['sh'] },
      /^ask\.0: names the tool "sh", which does not exist; there is read, bash, tod/,
    ],
    [{ ask: ['s*'] }, /^ask\.0: names the tool "s\*", which does not exist/],
    [{ ask: ['bash('] }, /^ask\.0: must be a tool, .*; it is "bash\("$/],
    [{ ask: ['todo_write(x)'] }, /^ask\.0: has a pattern, and todo_write no argument/],
    [{ ask: ['mcp__a__b(x)'] }, /^ask\.0: has a pattern, and mcp__a__b no argument/],
    [{ ask: ['bash(git )'] }, /^ask\.0: has a pattern that begins or ends with a blank/],
    [{ ask: ['read(../x)'] }, /^ask\.0: has \.\. in its path: write what is outside/],
    [{ ask: ['read(~/x)'] }, /^ask\.0: has a path that begins with ~/],
    [{ ask: ['read(!x)'] }, /^ask\.0: begins its path with !/],
    [{ ask: ['read(*.{a,b})'] }, /^ask\.0: has \{…\} in its path: write a rule for each/],
    [{ ask: ['read(docs/)'] }, /^ask\.0: has a path that ends in \/: write docs\/\*\* for/],
    [{ ask: [`bash(${'x'.repeat(495)})`] }, /^ask\.0: must have at most 500 characters$/],
    [{ ask: ['bash(\0)'] }, /^ask\.0: must not have the character NUL$/],
    [{ ask: Array.from({ length: 101 }, () => 'read') }, /^: has 101 rules; at most 100 are/],
  ])('refuses %j', (given, fault) => {
    expect(faultsOf(given)).toEqual([expect.stringMatching(fault)]);
  });

  it('counts the rules of all lists together, and names every fault', () => {
    const some = Array.from({ length: 50 }, () => 'read');
    expect(faultsOf({ allow: some, deny: some })).toEqual([]);
    expect(faultsOf({ allow: some, deny: [...some, 'read'] })).toHaveLength(1);
    expect(faultsOf({ allow: ['sh'], deny: ['sh', 5], other: [] })).toHaveLength(4);
  });

  it('checks no names without tools', () => {
    expect(validatePermissionRules({ deny: ['sh(x)'] }, undefined).faults).toBeUndefined();
  });
});
