import type { AgentSdk, Json, Mode } from '../agent-sdk.js';
import type { Case, Group, Place } from '../case.js';
import { no } from './answers.js';
import { bash, calls, edit, read, says, script, write } from './say.js';

interface Row {
  rule: string;
  allow?: string[];
  deny?: string[];
  ask?: string[];
  probes: readonly (readonly [string, Json])[];
  tools?: string[];
}

const modes: readonly Mode[] = ['default', 'acceptEdits', 'plan', 'dontAsk'];

const files = {
  'a.txt': 'one\n',
  'src/b.txt': 'two\n',
  'src/deep/c.txt': 'three\n',
  '.claude/skills/case-fix/SKILL.md': '---\nname: case-fix\ndescription: fixes\n---\nFix.\n',
  '.claude/skills/case-more/SKILL.md': '---\nname: case-more\ndescription: more\n---\nMore.\n',
  '.claude/agents/case-fix.md': '---\nname: case-fix\ndescription: fixes\n---\nFix.\n',
};

/** One row of the rules: what it says, and calls inside and outside of it. The person says no to what is asked. */
const rows: readonly Row[] = [
  { rule: 'none', probes: [read('a.txt'), write('new.txt'), bash('touch made.txt')] },
  {
    rule: 'allow Bash(touch *)',
    allow: ['Bash(touch *)'],
    probes: [
      bash('touch made.txt'),
      bash('touch made.txt && cp a.txt copy.txt'),
      bash('cp a.txt copy.txt'),
    ],
  },
  {
    rule: 'allow Bash(touch:*)',
    allow: ['Bash(touch:*)'],
    probes: [bash('touch made.txt'), bash('touchy')],
  },
  {
    rule: 'deny Bash(touch *), allow Bash',
    allow: ['Bash'],
    deny: ['Bash(touch *)'],
    probes: [
      bash('touch made.txt'),
      bash('cp a.txt copy.txt'),
      bash('cp a.txt d.txt && touch made.txt'),
    ],
  },
  {
    rule: 'allow Edit(src/**)',
    allow: ['Edit(src/**)'],
    probes: [write('src/new.txt'), write('src/deep/new.txt'), write('new.txt')],
  },
  {
    rule: 'allow Edit(/src/**)',
    allow: ['Edit(/src/**)'],
    probes: [write('src/new.txt'), write('new.txt')],
  },
  {
    rule: 'deny Edit(new.txt), allow Edit',
    allow: ['Edit'],
    deny: ['Edit(new.txt)'],
    probes: [write('new.txt'), write('src/new.txt'), write('other.txt')],
  },
  {
    rule: 'deny Edit(/new.txt), allow Edit',
    allow: ['Edit'],
    deny: ['Edit(/new.txt)'],
    probes: [write('new.txt'), write('src/new.txt')],
  },
  {
    rule: 'allow Write(src/**)',
    allow: ['Write(src/**)'],
    probes: [write('src/new.txt'), write('new.txt')],
  },
  {
    rule: 'deny Write(new.txt), allow Edit',
    allow: ['Edit'],
    deny: ['Write(new.txt)'],
    probes: [write('new.txt')],
  },
  {
    rule: 'deny Read(src/**), allow Edit',
    allow: ['Edit'],
    deny: ['Read(src/**)'],
    probes: [
      read('src/b.txt'),
      edit('src/b.txt', 'two', 'four'),
      write('src/new.txt'),
      read('a.txt'),
    ],
  },
  {
    rule: 'deny Edit(~/new.txt), allow Edit',
    allow: ['Edit'],
    deny: ['Edit(~/new.txt)'],
    probes: [write('new.txt')],
  },
  {
    rule: 'deny Edit(//<project>/src/**), allow Edit',
    allow: ['Edit(**)'],
    deny: ['Edit(/<project>/src/**)'],
    probes: [write('src/new.txt'), write('new.txt')],
  },
  {
    rule: 'deny Edit(/<project>/src/**), allow Edit: its one slash is of the settings',
    allow: ['Edit(**)'],
    deny: ['Edit(<project>/src/**)'],
    probes: [write('src/new.txt')],
  },
  {
    rule: 'allow Edit(//<project>/src/**)',
    allow: ['Edit(/<project>/src/**)'],
    probes: [write('src/new.txt'), write('new.txt')],
  },
  {
    rule: 'allow Read(//etc/**)',
    allow: ['Read(//etc/**)'],
    probes: [
      ['Read', { file_path: '/etc/hostname' }],
      ['Read', { file_path: '/usr/lib/os-release' }],
    ],
  },
  {
    rule: 'ask Bash(touch *), allow Bash',
    allow: ['Bash'],
    ask: ['Bash(touch *)'],
    probes: [bash('touch made.txt'), bash('cp a.txt copy.txt')],
  },
  {
    rule: 'ask Edit(src/**), allow Edit',
    allow: ['Edit(**)'],
    ask: ['Edit(src/**)'],
    probes: [write('src/new.txt'), write('new.txt')],
  },
  {
    rule: 'allow mcp__shop',
    allow: ['mcp__shop'],
    tools: ['Read', 'mcp'],
    probes: [['mcp__shop__order', {}]],
  },
  {
    rule: 'allow mcp__shop__*',
    allow: ['mcp__shop__*'],
    tools: ['Read', 'mcp'],
    probes: [['mcp__shop__order', {}]],
  },
  {
    rule: 'deny mcp__shop__*',
    deny: ['mcp__shop__*'],
    tools: ['Read', 'mcp'],
    probes: [['mcp__shop__order', {}]],
  },
  {
    rule: 'deny Skill(case-fix)',
    deny: ['Skill(case-fix)'],
    tools: ['Read', 'Skill'],
    probes: [
      ['Skill', { skill: 'case-fix' }],
      ['Skill', { skill: 'case-more' }],
    ],
  },
  {
    rule: 'deny Agent(case-fix)',
    deny: ['Agent(case-fix)'],
    tools: ['Read', 'Agent'],
    probes: [
      [
        'Agent',
        {
          description: 'Fixes',
          prompt: 'Fix it',
          subagent_type: 'case-fix',
          run_in_background: false,
        },
      ],
    ],
  },
  {
    rule: 'deny WebFetch(domain:a.example)',
    deny: ['WebFetch(domain:a.example)'],
    tools: ['WebFetch'],
    probes: [
      ['WebFetch', { url: 'https://a.example/', prompt: 'What?' }],
      ['WebFetch', { url: 'https://b.example/', prompt: 'What?' }],
    ],
  },
];

function caseOf({ rule, allow = [], deny = [], ask = [], probes, tools }: Row, mode: Mode): Case {
  return {
    name: `${mode}: ${rule}`,
    files,
    script: script(calls(...probes), says('Done.')),
    run: async (sdk, place) => {
      const here = (rules: string[]): string[] =>
        rules.map((rule) => rule.replaceAll('<project>', place.folder));
      await place.ask(sdk, 'Go', {
        permissionMode: mode,
        allowDangerouslySkipPermissions: mode === 'bypassPermissions',
        allowedTools: here(allow),
        disallowedTools: here(deny),
        canUseTool: no,
        settingSources: ['project'],
        ...(ask.length === 0 ? {} : { settings: { permissions: { ask: here(ask) } } }),
        ...(tools === undefined ? {} : { tools }),
        ...(tools?.includes('mcp') === true ? { mcpServers: { shop: shopOf(sdk, place) } } : {}),
      });
    },
  };
}

function shopOf(sdk: AgentSdk, place: Place): unknown {
  const order = sdk.tool('order', 'Finds an order.', {}, async () => {
    place.note('called');
    return { content: [{ type: 'text', text: 'ours: order found.' }] };
  });
  return sdk.createSdkMcpServer({ name: 'shop', tools: [order] });
}

/** Rows that are for the mode that asks about nothing, too. */
const ofBypass = [
  'none',
  'deny Bash(touch *), allow Bash',
  'deny Edit(new.txt), allow Edit',
  'ask Bash(touch *), allow Bash',
  'deny mcp__shop__*',
];

/** (6) Each kind of rule in each mode. */
export const rules: Group = {
  name: 'rules',
  aspects: ['calls', 'asked', 'files'],
  cases: [
    ...rows.flatMap((row) => modes.map((mode) => caseOf(row, mode))),
    ...rows
      .filter(({ rule }) => ofBypass.includes(rule))
      .map((row) => caseOf(row, 'bypassPermissions')),
  ],
};
