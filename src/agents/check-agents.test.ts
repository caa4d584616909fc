import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtinTools } from '../tools/builtin/builtin-tools.js';
import { shellsOff } from '../tools/shells.js';
import { AgentsInvalidError, checkAgents } from './check-agents.js';
import { newFolder } from '../../test/support/suite.js';

const known = {
  knownTools: [
    { name: 'read', permissionArgument: { name: 'file_path', kind: 'path' } },
    { name: 'grep' },
    { name: 'bash', permissionArgument: { name: 'command', kind: 'command' } },
  ],
  knownTrees: ['default', 'two-looks'],
} as const;

let root: string;
beforeEach(async () => {
  root = newFolder();
  await mkdir(join(root, 'agents'));
});

const write = (file: string, ...lines: string[]) =>
  writeFile(join(root, 'agents', file), lines.join('\n'));

/** The problems of a file with these lines as its front matter, as `line: message`. */
async function problemsOf(...lines: string[]): Promise<string[]> {
  await write('one.md', '---', ...lines, '---', 'You are one.');
  await write('AGENT_READER.md', 'You read.');
  const problems = await checkAgents(root, known);
  expect(problems.every(({ file }) => file === 'agents/one.md')).toBe(true);
  return problems.map(({ line, message }) => `${line}: ${message}`);
}

describe('checkAgents', () => {
  it('finds nothing wrong in the agents that are shipped', async () => {
    const knownTools = builtinTools(shellsOff('not here'));
    expect(await checkAgents('instructions', { knownTools, knownTrees: ['default'] })).toEqual([]);
  });

  it('has nothing to say without a folder, and of an empty one', async () => {
    expect(await checkAgents(root, known)).toEqual([]);
    expect(await checkAgents(join(root, 'nowhere'), known)).toEqual([]);
  });

  it('takes what is there', async () => {
    expect(
      await problemsOf(
        'name: one',
        'tools: [read, grep]',
        'permissions: { deny: bash, ask: [mcp__any__*, "bash(git push*)", read(docs/**)] }',
        'subagents: [reader, one]',
        'decision_tree: two-looks',
      ),
    ).toEqual([]);
  });

  it.each([
    ['max_turns: many', 'max_turns must be an integer greater than 0, not "many"'],
    [
      'tools: [read, greb]',
      'tools names the tool "greb", which does not exist; did you mean grep?',
    ],
    [
      'tools: [sing]',
      'tools names the tool "sing", which does not exist; there is read, grep, bash',
    ],
    [
      'permissions: { allow: sh }',
      'permissions.allow names the tool "sh", which does not exist; there is read, grep, bash',
    ],
    [
      'permissions: { ask: "greb(docs/**), bash(rm *)" }',
      'permissions.ask names the tool "greb", which does not exist; did you mean grep?',
    ],
    [
      'permissions: { deny: [r*, x*] }',
      'permissions.deny names the tool "x*", which does not exist; there is read, grep, bash',
    ],
    [
      'permissions: { deny: [read(docs/)] }',
      'permissions.deny has a path that ends in /: write docs/** for what is in the folder; it is "read(docs/)"',
    ],
    [
      'permissions: { deny: [grep(x)] }',
      'permissions.deny has a pattern, and grep no argument that patterns are about: write grep for every call; it is "grep(x)"',
    ],
    [
      'disallowed_tools: Bash',
      'disallowed_tools names the tool "Bash", which does not exist; did you mean bash?',
    ],
    [
      'decision_tree: twolooks',
      'decision_tree names the decision tree "twolooks", which does not exist; did you mean two-looks?',
    ],
    [
      'subagents: [nobody]',
      'subagents names the agent "nobody", which does not exist; there is READER, one',
    ],
    ['name: two', 'name must be that of the file, one, not "two"; leave it out or rename the file'],
  ])('refuses %s', async (line, message) => {
    expect(await problemsOf('description: One', line)).toEqual([`3: ${message}`]);
  });

  it('knows the line of each item', async () => {
    const lines = ['tools:', '  - read', '  - rad', '  - rid', 'citations: 1'];
    expect((await problemsOf(...lines)).map((problem) => problem.slice(0, 2))).toEqual([
      '4:',
      '5:',
      '6:',
    ]);
  });

  it('takes YAML that is none for a fault', async () => {
    const [problem, ...others] = await problemsOf('tools: [read', 'max_turns: 1');
    expect(problem).toMatch(/^\d: the front matter cannot be read: /);
    expect(others).toEqual([]);
  });

  it('refuses two files for one name, and names both', async () => {
    await write('AGENT_A-B.md', 'a');
    await write('A_B.md', 'b');
    await write('a_b.md', 'another, by its case');
    expect(await checkAgents(root, known)).toEqual([
      {
        file: 'agents/A_B.md',
        line: 1,
        message:
          'the agent A_B has a file already, agents/AGENT_A-B.md: remove or rename one of them',
      },
    ]);
  });

  it('refuses what is no file of this root', async () => {
    await mkdir(join(root, 'agents', 'folder.md'));
    await symlink('/etc/hostname', join(root, 'agents', 'link.md'));
    const message = 'this must be a regular file inside the instruction root';
    expect(await checkAgents(root, known)).toEqual([
      { file: 'agents/folder.md', line: 1, message },
      { file: 'agents/link.md', line: 1, message },
    ]);
  });

  it('leaves other files alone', async () => {
    await write('README.md', '');
    await write('two words.md', '');
    await write('notes.txt', '');
    expect(await checkAgents(root, known)).toEqual([]);
  });
});

describe('AgentsInvalidError', () => {
  it('lists the faults, one a line, and says what to do', () => {
    const error = new AgentsInvalidError([
      { file: 'agents/a.md', line: 4, message: 'max_turns must be …' },
      { file: 'agents/b.md', line: 1, message: 'the prompt is empty' },
    ]);
    expect(error.name).toBe('AgentsInvalidError');
    expect(error.message.split('\n')).toEqual([
      'The agents of the instruction root are not valid:',
      '  - agents/a.md:4: max_turns must be …',
      '  - agents/b.md:1: the prompt is empty',
      'Correct these files, or remove them, and start again.',
    ]);
  });
});
