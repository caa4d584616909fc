import { describe, expect, it } from '@jest/globals';
import { validatePermissionRules } from '../governance/permissions/permission-rules.js';
import { deniedTools, toOurRules } from './allowed-tools.js';

const rule = (text: string): string[] => toOurRules(text, 'allowedTools');

describe('rules of programs', () => {
  it.each<[string, string[]]>([
    ['Read', ['read']],
    ['Edit', ['edit']],
    ['Bash', ['bash']],
    ['Bash(*)', ['bash']],
    ['Bash()', ['bash']],
    ['Bash(npm run *)', ['bash(npm run *)']],
    ['Bash(ls:*)', ['bash(ls *)']],
    ['Bash(git commit -m "a(b)")', ['bash(git commit -m "a(b)")']],
    ['Task(reviewer)', ['task(reviewer)']],
    ['Agent(reviewer)', ['task(reviewer)']],
    ['Skill(pdf)', ['load_skill(pdf)']],
    ['mcp__github', ['mcp__github__*']],
    ['mcp__github__*', ['mcp__github__*']],
    ['mcp__*', ['mcp__*']],
    ['mcp__github__get_issue', ['mcp__github__get_issue']],
    ['NotebookEdit', []],
    ['order_status', ['order_status']],
  ])('are those of the server: %s', (text, rules) => {
    expect(rule(text)).toEqual(rules);
    expect(validatePermissionRules({ allow: rules }, undefined).faults).toBeUndefined();
  });

  it.each([
    'Read(src/**)',
    'Edit(/src/**)',
    'Write(//etc/**)',
    'Glob(~/x)',
    'WebFetch(domain:example.com)',
    'mcp__a__b(c)',
    'order_status(7*)',
    'not a rule',
    '',
  ])('are refused by name where they would mean something else here: %s', (text) => {
    expect(() => rule(text)).toThrow(`allowedTools ${JSON.stringify(text)}`);
  });

  it('take a tool away that they deny as a whole', () => {
    const rules = ['Bash(rm:*)', 'Write', 'Edit(*)', 'mcp__*'];
    expect(deniedTools(rules, 'disallowedTools')).toEqual(['write', 'edit']);
  });
});
