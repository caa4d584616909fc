import type { QueryOptions } from '../agent-sdk.js';
import type { Case, Group } from '../case.js';
import { calls, read, says, script } from './say.js';

function ofFiles(
  name: string,
  files: Readonly<Record<string, string>>,
  options: QueryOptions = { settingSources: ['project'] },
): Case {
  return {
    name,
    files,
    script: script(says('Hello.')),
    run: async (sdk, place) => void (await place.ask(sdk, 'Hi', options)),
  };
}

const skill = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: MARK-OF-${name.toUpperCase()} helps\n${more}---\nMARK-BODY of it. $ARGUMENTS\n`;

const agent = (name: string): string =>
  `---\nname: ${name}\ndescription: MARK-OF-${name.toUpperCase()} helps\ntools: Read\n---\nMARK-BODY of it.\n`;

/** (12) Instructions of files, in which order, and which skills and agents are offered. */
export const instructions: Group = {
  name: 'instructions',
  aspects: ['marks', 'init'],
  cases: [
    ofFiles('CLAUDE.md', { 'CLAUDE.md': 'MARK-A' }),
    ofFiles('CLAUDE.md without sources', { 'CLAUDE.md': 'MARK-A' }, { settingSources: [] }),
    ofFiles(
      'CLAUDE.md and CLAUDE.local.md',
      { 'CLAUDE.md': 'MARK-A', 'CLAUDE.local.md': 'MARK-B' },
      {
        settingSources: ['project', 'local'],
      },
    ),
    ofFiles('CLAUDE.local.md without the source of it', {
      'CLAUDE.md': 'MARK-A',
      'CLAUDE.local.md': 'MARK-B',
    }),
    ofFiles('CLAUDE.md in .claude, too', { 'CLAUDE.md': 'MARK-A', '.claude/CLAUDE.md': 'MARK-B' }),
    ofFiles('a rule', { 'CLAUDE.md': 'MARK-A', '.claude/rules/one.md': 'MARK-B' }),
    ofFiles(
      'all of them',
      {
        'CLAUDE.md': 'MARK-A\n@more.md\n',
        'more.md': 'MARK-B',
        '.claude/CLAUDE.md': 'MARK-C',
        '.claude/rules/one.md': 'MARK-D',
        'CLAUDE.local.md': 'MARK-E',
      },
      { settingSources: ['project', 'local'], systemPrompt: 'MARK-SYSTEM' },
    ),
    ofFiles('a rule for some paths', {
      'CLAUDE.md': 'MARK-A',
      '.claude/rules/one.md': '---\npaths: src/**\n---\nMARK-B',
    }),
    ofFiles('an import', {
      'CLAUDE.md': 'MARK-A\n@docs/more.md\nMARK-B\n',
      'docs/more.md': 'MARK-C',
    }),
    ofFiles('an import of an import', {
      'CLAUDE.md': 'MARK-A\n@docs/more.md\n',
      'docs/more.md': 'MARK-B\n@deep/most.md\n',
      'docs/deep/most.md': 'MARK-C',
    }),
    ofFiles('imports in a ring', {
      'CLAUDE.md': 'MARK-A\n@b.md\n',
      'b.md': 'MARK-B\n@CLAUDE.md\n',
    }),
    ofFiles('an import that is not there', { 'CLAUDE.md': 'MARK-A\n@missing.md\nMARK-B\n' }),
    ofFiles('an import in a block of code', {
      'CLAUDE.md': 'MARK-A\n```\n@b.md\n```\n',
      'b.md': 'MARK-B',
    }),
    ofFiles('a comment', { 'CLAUDE.md': 'MARK-A\n<!-- MARK-HIDDEN -->\nMARK-B\n' }),
    ofFiles('AGENTS.md alone', { 'AGENTS.md': 'MARK-A' }),
    ofFiles('AGENTS.md beside CLAUDE.md', { 'CLAUDE.md': 'MARK-A', 'AGENTS.md': 'MARK-B' }),
    {
      name: 'CLAUDE.md of a folder below, at the first read there',
      files: { 'CLAUDE.md': 'MARK-A', 'sub/CLAUDE.md': 'MARK-B', 'sub/b.txt': 'hello\n' },
      script: script(calls(read('sub/b.txt')), says('Done.')),
      run: async (sdk, place) => void (await place.ask(sdk, 'Hi', { settingSources: ['project'] })),
    },
    {
      name: 'CLAUDE.md of the folders above',
      files: { 'CLAUDE.md': 'MARK-A', 'sub/CLAUDE.md': 'MARK-B', 'sub/b.txt': 'hello\n' },
      script: script(says('Done.')),
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Hi', {
          cwd: `${place.folder}/sub`,
          settingSources: ['project'],
        })),
    },
    ofFiles(
      'a skill',
      { '.claude/skills/case-fix/SKILL.md': skill('case-fix') },
      {
        settingSources: ['project'],
        tools: ['Read', 'Skill'],
      },
    ),
    ofFiles(
      'a skill that the model may not use',
      { '.claude/skills/case-fix/SKILL.md': skill('case-fix', 'disable-model-invocation: true\n') },
      { settingSources: ['project'], tools: ['Read', 'Skill'] },
    ),
    {
      name: 'a skill that the model loads',
      files: { '.claude/skills/case-fix/SKILL.md': skill('case-fix') },
      script: script(calls(['Skill', { skill: 'case-fix', args: 'MARK-ARGUMENT' }]), says('Done.')),
      also: ['calls', 'order', 'end'],
      run: async (sdk, place) =>
        void (await place.ask(sdk, 'Hi', {
          settingSources: ['project'],
          tools: ['Read', 'Skill'],
          allowedTools: ['Skill'],
        })),
    },
    {
      name: 'a skill that the prompt names',
      files: { '.claude/skills/case-fix/SKILL.md': skill('case-fix') },
      script: script(says('Done.')),
      also: ['order', 'end'],
      run: async (sdk, place) =>
        void (await place.ask(sdk, '/case-fix MARK-ARGUMENT', { settingSources: ['project'] })),
    },
    {
      name: 'a command that the prompt names',
      files: { '.claude/commands/case-go.md': 'MARK-BODY with $ARGUMENTS and $1.\n' },
      script: script(says('Done.')),
      also: ['order', 'end'],
      run: async (sdk, place) =>
        void (await place.ask(sdk, '/case-go MARK-ARGUMENT', { settingSources: ['project'] })),
    },
    {
      name: 'a command that is not there',
      script: script(says('Done.')),
      also: ['order', 'end'],
      run: async (sdk, place) => void (await place.ask(sdk, '/case-missing MARK-ARGUMENT')),
    },
    ofFiles(
      'an agent of a file',
      { '.claude/agents/case-help.md': agent('case-help') },
      {
        settingSources: ['project'],
        tools: ['Read', 'Agent'],
      },
    ),
    ofFiles(
      'an agent of the program, and one of a file with its name',
      { '.claude/agents/case-help.md': agent('case-help') },
      {
        settingSources: ['project'],
        tools: ['Read', 'Agent'],
        agents: { 'case-help': { description: 'MARK-OF-PROGRAM helps', prompt: 'You help.' } },
      },
    ),
    ofFiles('a rule of a settings file that denies', {
      '.claude/settings.json': JSON.stringify({ permissions: { deny: ['Bash'] } }),
    }),
    ofFiles('the system prompt', {}, { systemPrompt: 'MARK-SYSTEM' }),
    ofFiles(
      'the system prompt before CLAUDE.md',
      { 'CLAUDE.md': 'MARK-A' },
      {
        systemPrompt: 'MARK-SYSTEM',
        settingSources: ['project'],
      },
    ),
    ofFiles(
      'text after the preset prompt',
      { 'CLAUDE.md': 'MARK-A' },
      {
        systemPrompt: { type: 'preset', preset: 'claude_code', append: 'MARK-SYSTEM' },
        settingSources: ['project'],
      },
    ),
  ],
};
