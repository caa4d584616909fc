import type { Json, Mode } from '../agent-sdk.js';
import type { Case, Group } from '../case.js';
import { no } from './answers.js';
import { bash, calls, edit, read, says, script, write } from './say.js';

interface Row {
  rule: string;
  allow?: string[];
  deny?: string[];
  probes: readonly (readonly [string, Json])[];
  tools?: string[];
}

const modes: readonly Mode[] = ['default', 'acceptEdits', 'plan', 'dontAsk'];

const files = {
  'a.txt': 'one\n',
  'src/b.txt': 'two\n',
  'src/deep/c.txt': 'three\n',
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
    rule: 'deny WebFetch(domain:a.example)',
    deny: ['WebFetch(domain:a.example)'],
    tools: ['WebFetch'],
    probes: [
      ['WebFetch', { url: 'https://a.example/', prompt: 'What?' }],
      ['WebFetch', { url: 'https://b.example/', prompt: 'What?' }],
    ],
  },
];

function caseOf({ rule, allow = [], deny = [], probes, tools }: Row, mode: Mode): Case {
  return {
    name: `${mode}: ${rule}`,
    files,
    script: script(calls(...probes), says('Done.')),
    run: async (sdk, place) =>
      void (await place.ask(sdk, 'Go', {
        permissionMode: mode,
        allowedTools: allow,
        disallowedTools: deny,
        canUseTool: no,
        ...(tools === undefined ? {} : { tools }),
      })),
  };
}

/** (6) Each kind of rule in each mode. */
export const rules: Group = {
  name: 'rules',
  aspects: ['calls', 'asked', 'files'],
  cases: rows.flatMap((row) => modes.map((mode) => caseOf(row, mode))),
};
