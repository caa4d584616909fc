import { describe, expect, it } from '@jest/globals';
import { validatePermissionRules } from '../governance/permissions/permission-rules.js';
import { deniedTools, toOurRules } from './allowed-tools.js';

const cwd = '/work/shop';
const rule = (text: string, folder: string | undefined = cwd): string[] =>
  toOurRules(text, { option: 'allowedTools', list: 'allow', cwd: folder });
const denial = (text: string): string[] =>
  toOurRules(text, { option: 'disallowedTools', list: 'deny', cwd });

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
    ['Edit(/src/**)', ['edit(src/**)', 'write(src/**)']],
    ['Edit(//etc/hosts)', ['edit(/etc/hosts)', 'write(/etc/hosts)']],
    ['Edit(../lib/**)', ['edit(/work/lib/**)', 'write(/work/lib/**)']],
    ['Write(src/**)', []],
    ['NotebookEdit', []],
    ['order_status', ['order_status']],
  ])('are those of the server: %s', (text, rules) => {
    expect(rule(text)).toEqual(rules);
    expect(validatePermissionRules({ allow: rules }, undefined).faults).toBeUndefined();
  });

  it.each([
    'Glob(~/x)',
    'Edit([ab].ts)',
    'WebFetch(domain:example.com)',
    'mcp__a__b(c)',
    'order_status(7*)',
    'not a rule',
    '',
  ])('are refused by name where they would mean something else here: %s', (text) => {
    expect(() => rule(text)).toThrow(`allowedTools ${JSON.stringify(text)}`);
  });

  it('need the folder of the session where they lead out of it', () => {
    const of = (text: string): string[] =>
      toOurRules(text, { option: 'allowedTools', list: 'allow' });
    expect(of('Edit(/src/**)')).toEqual(['edit(src/**)', 'write(src/**)']);
    expect(() => of('Edit(../lib/**)')).toThrow('give the folder of the session as cwd');
  });

  it('never deny less than there', () => {
    expect(denial('Read(.env)')).toEqual(
      expect.arrayContaining(['read(**/.env)', 'write(**/.env)']),
    );
    expect(denial('Edit({a,b}.ts)')).toEqual(['edit', 'write']);
    expect(denial('Edit(~/x)')).toEqual(['edit', 'write']);
  });

  it('take a tool away that they deny as a whole', () => {
    const rules = ['Bash(rm:*)', 'Write', 'Edit(*)', 'mcp__*'];
    expect(deniedTools(rules, 'disallowedTools')).toEqual(['write', 'edit']);
  });
});
