import { describe, expect, it } from '@jest/globals';
import { decidePermission, type Verdict } from '../governance/permissions/decide-permission.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';
import { convertRule, type RuleList } from './convert-rule.js';

const place = { project: '/work/shop', settings: '/work/shop', home: '/home/ann' };

interface Call {
  tool: string;
  effect: 'read' | 'edit' | 'command';
  /** The argument of the call: an absolute path, a command or a name. */
  of: string;
}

const kinds = { read: 'path', edit: 'path', command: 'command' } as const;
const texts: ReadonlySet<string> = new Set(['task', 'load_skill']);

/** The verdict about a call where the converted rules are the only ones. */
function decide(rules: Partial<Record<RuleList, string>>, call: Call, mode = 'direct'): Verdict {
  const lists = Object.entries(rules).map(([list, rule]) => [
    list,
    convertRule(rule, list as RuleList, place).rules,
  ]);
  const session = Object.fromEntries(lists) as PermissionRules;
  const { tool: name, effect } = call;
  const deniedWith = name === 'grep' ? ['read'] : [];
  return decidePermission({
    tool: { name, effect, deniedWith },
    argument: {
      kind: texts.has(name) ? 'text' : kinds[effect],
      texts: [call.of],
      roots: [place.project],
    },
    layers: [{ mode, named: [name], agent: {} }],
    server: {},
    session,
    grants: [],
  }).verdict;
}

const edit = (of: string): Call => ({ tool: 'edit', effect: 'edit', of });
const write = (of: string): Call => ({ tool: 'write', effect: 'edit', of });
const read = (of: string): Call => ({ tool: 'read', effect: 'read', of });
const grep = (of: string): Call => ({ tool: 'grep', effect: 'read', of });
const bash = (of: string): Call => ({ tool: 'bash', effect: 'command', of });
const task = (of: string): Call => ({ tool: 'task', effect: 'read', of });
const skill = (of: string): Call => ({ tool: 'load_skill', effect: 'read', of });
const mcp = (tool: string): Call => ({ tool, effect: 'command', of: '' });

/** Rules, calls that they are about, and calls that they are not about. */
const rows: [rule: string, about: Call[], not: Call[]][] = [
  ['Bash(npm run *)', [bash('npm run build')], [bash('npm install'), bash('npx run x')]],
  ['Bash(ls:*)', [bash('ls'), bash('ls -la')], [bash('lsof'), bash('cat ls')]],
  ['Bash(git push)', [bash('git push')], [bash('git push --force x'), bash('git pull')]],
  ['Bash', [bash('anything at all')], [edit('/work/shop/a')]],
  ['Bash(*)', [bash('anything at all')], []],
  [
    'Edit(//etc/hosts)',
    [edit('/etc/hosts'), write('/etc/hosts')],
    [edit('/work/shop/etc/hosts'), edit('/etc/passwd')],
  ],
  ['Edit(~/notes/**)', [edit('/home/ann/notes/a/b.md')], [edit('/work/shop/notes/a')]],
  [
    'Edit(/src/**)',
    [edit('/work/shop/src/a/b.ts'), write('/work/shop/src/a.ts')],
    [edit('/src/a.ts'), edit('/work/shop/lib/src/a.ts')],
  ],
  ['Edit(src/**)', [edit('/work/shop/src/a.ts')], [edit('/work/shop/lib/src/a.ts')]],
  ['Edit(./src/*.ts)', [edit('/work/shop/src/a.ts')], [edit('/work/shop/src/a.js')]],
  ['Edit(../other/**)', [edit('/work/other/a')], [edit('/work/shop/other/a')]],
  ['Edit(docs/)', [edit('/work/shop/docs/a/b.md')], [edit('/work/shop/docs2/a')]],
  ['mcp__github', [mcp('mcp__github__push')], [mcp('mcp__gitlab__push')]],
  ['mcp__github__*', [mcp('mcp__github__push')], [mcp('mcp__gitlab__push')]],
  ['mcp__github__push', [mcp('mcp__github__push')], [mcp('mcp__github__pull')]],
];

/** The verdict of a mode where no rule is about the call. */
const otherwise = (mode: string, { effect }: Call): Verdict => {
  if (effect === 'read') return 'allow';
  if (mode === 'plan' || mode === 'dontAsk') return 'deny';
  return mode === 'acceptEdits' && effect === 'edit' ? 'allow' : 'ask';
};

describe.each(['direct', 'acceptEdits', 'plan', 'dontAsk'])('a rule in mode %s', (mode) => {
  it.each(rows)('%s denies what it is about, and nothing else', (rule, about, not) => {
    for (const call of about)
      expect([call, decide({ deny: rule }, call, mode)]).toEqual([call, 'deny']);
    for (const call of not) {
      expect([call, decide({ deny: rule }, call, mode)]).toEqual([call, otherwise(mode, call)]);
    }
  });

  it.each(rows)('%s allows what it is about, and nothing else', (rule, about, not) => {
    const allowed = mode === 'plan' ? 'deny' : 'allow';
    for (const call of about)
      expect([call, decide({ allow: rule }, call, mode)]).toEqual([call, allowed]);
    for (const call of not) {
      expect([call, decide({ allow: rule }, call, mode)]).toEqual([call, otherwise(mode, call)]);
    }
  });

  it.each(rows)('%s asks before what it is about', (rule, about) => {
    const asked = mode === 'plan' || mode === 'dontAsk' ? 'deny' : 'ask';
    for (const call of about)
      expect([call, decide({ ask: rule }, call, mode)]).toEqual([call, asked]);
  });
});

describe('a rule that denies', () => {
  it.each([
    [
      'Read(.env)',
      [read('/work/shop/.env'), read('/work/shop/a/b/.env'), edit('/work/shop/a/.env')],
    ],
    ['Read(secrets)', [read('/work/shop/secrets/a/key'), grep('/work/shop/secrets/a')]],
    ['Read(//etc/**)', [read('/etc/a/b'), write('/etc/a'), grep('/etc/a')]],
    ['Read(*.pem)', [read('/work/shop/deep/er/a.pem')]],
    ['Write(/src/**)', [write('/work/shop/src/a'), edit('/work/shop/src/a')]],
    ['Agent(spender)', [task('spender')]],
    ['Task(spender)', [task('spender')]],
    ['Skill(deploy)', [skill('deploy')]],
    ['Skill(deploy:*)', [skill('deploy')]],
  ])('%s holds back all that it governs there', (rule, calls) => {
    for (const call of calls) expect([call, decide({ deny: rule }, call)]).toEqual([call, 'deny']);
  });

  it.each([
    ['Edit([ab].ts)', 'edit(**/?.ts), edit(**/?.ts/**), write(**/?.ts), write(**/?.ts/**)'],
    ['Edit({a,b}.ts)', 'so it is about every call: edit, write'],
    ['Edit(!keep.ts)', 'so it is about every call: edit, write'],
    ['Edit(~bob/x)', 'so it is about every call: edit, write'],
    ['Edit(*/../../x)', 'so it is about every call: edit, write'],
    ['WebFetch(domain:a.example)', 'so it is about every call: web_fetch'],
    ['Agent(model:opus x)', 'so it is about every call: task'],
    ['Grep(pattern(x))', 'grep(**/pattern(x)), grep(**/pattern(x)/**)'],
  ])('%s is never weaker than there', (rule, how) => {
    const found = convertRule(rule, 'deny', place);
    expect(found.rules.length).toBeGreaterThan(0);
    expect(found.how).toContain(how);
  });

  it.each(['NotebookEdit', 'KillShell', 'NoSuchTool'])(
    '%s of what is not here does nothing',
    (rule) => {
      expect(convertRule(rule, 'deny', place)).toMatchObject({ rules: [], verdict: 'same' });
    },
  );
});

describe('a rule that allows', () => {
  it.each([
    ['*', 'a rule that allows every tool is not taken'],
    ['Edit([ab].ts)', 'no path pattern here is sure to match the same'],
    ['Edit({a,b}.ts)', 'no path pattern here is sure to match the same'],
    ['WebFetch(domain:a.example)', 'which pages are fetched is the operator’s choice'],
    ['Agent(model:opus x)', 'are not known here'],
    ['Foo(bar)', 'are not known here'],
    ['AskUserQuestion', 'people are asked by approvals'],
    ['say what', 'is no rule'],
  ])('%s is refused, with the reason', (rule, why) => {
    const found = convertRule(rule, 'allow', place);
    expect(found).toMatchObject({ rules: [], verdict: 'refused' });
    expect(found.how).toContain(why);
  });

  it('is of one folder only, where a rule that denies is of any', () => {
    expect(decide({ allow: 'Edit(notes.md)' }, edit('/work/shop/notes.md'))).toBe('allow');
    expect(decide({ allow: 'Edit(notes.md)' }, edit('/work/shop/a/notes.md'))).toBe('ask');
    expect(decide({ deny: 'Edit(notes.md)' }, edit('/work/shop/a/notes.md'))).toBe('deny');
  });

  it('about paths of Write does nothing, as there', () => {
    const found = convertRule('Write(src/**)', 'allow', place);
    expect(found).toMatchObject({ rules: [], verdict: 'same' });
    expect(found.how).toContain('write Edit(src/**)');
  });

  it('says what it becomes', () => {
    expect(convertRule('Bash(npm:*)', 'allow', place)).toEqual({
      rules: ['bash(npm *)'],
      verdict: 'mapped',
      how: 'bash(npm *)',
    });
    expect(convertRule('mcp__a__*', 'allow', place).verdict).toBe('same');
    expect(convertRule('Read', 'allow', place).rules).toEqual(['read']);
  });

  it('takes the wildcards of the project’s own path to the letter', () => {
    const odd = { ...place, project: '/work/a*b', settings: '/work/a*b' };
    expect(convertRule('Edit(../c/**)', 'allow', odd).rules).toEqual([
      'edit(/work/c/**)',
      'write(/work/c/**)',
    ]);
    expect(convertRule('Edit(//work/a*b/c)', 'allow', odd).rules).toEqual([
      'edit(/work/a*b/c)',
      'write(/work/a*b/c)',
    ]);
    expect(convertRule('Edit(src/**)', 'allow', odd).rules).toEqual([
      'edit(src/**)',
      'write(src/**)',
    ]);
  });
});
