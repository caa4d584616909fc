import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ManualClock } from '../../test/support/manual-clock.js';
import { PersonaLibrary } from './persona-library.js';
import { newFolder } from '../../test/support/suite.js';

let root: string;
let problems: string[];
let library: PersonaLibrary;

const known = {
  knownTools: ['read', 'write', 'bash'].map((name) => ({ name })),
  knownTrees: ['default'],
};
const onProblem = (place: string, problem: string) => problems.push(`${place}: ${problem}`);

beforeEach(async () => {
  root = newFolder();
  await mkdir(join(root, 'agents'));
  problems = [];
  library = new PersonaLibrary(root, { ...known, onProblem });
});

const write = (file: string, ...lines: string[]) =>
  writeFile(join(root, 'agents', file), lines.join('\n'));
const writeGood = (prompt: string, ...fields: string[]) =>
  write('a.md', '---', 'disallowed_tools: [bash]', ...fields, '---', prompt);
const stays = 'the last good version stays';

describe('an agent that is edited', () => {
  it.each([
    ['malformed YAML', ['---', 'tools: [read', '---', 'b'], /^agents\/a\.md:3: the front matter/],
    ['a wrong field', ['---', 'max_turns: no', '---', 'b'], /^agents\/a\.md:2: max_turns must/],
    ['an unknown field', ['---', 'deny: [bash]', '---', 'b'], /^agents\/a\.md:2: deny is not/],
    ['a tool that is not', ['---', 'tools: [rad]', '---', 'b'], /^agents\/a\.md:2: tools names/],
    ['an empty file', [], /^agents\/a\.md:1: the prompt is empty/],
  ])('keeps its last good version over %s', async (_name, lines, problem) => {
    await writeGood('first');
    const good = await library.load('a');
    await write('a.md', ...lines);
    expect(await library.load('a')).toBe(good);
    expect(await library.load('a')).toBe(good);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems[0]?.endsWith(`; ${stays}`)).toBe(true);
    await writeGood('the second');
    expect((await library.load('a')).prompt).toBe('the second');
    expect(problems).toHaveLength(1);
  });

  it('reports each version, also when the fault is the same', async () => {
    await write('a.md', '---', 'x: 1', '---', 'one');
    await library.load('a');
    await write('a.md', '---', 'x: 1', '---', 'longer');
    await library.load('a');
    expect(problems).toHaveLength(2);
  });

  it('reports once to many who ask at once', async () => {
    await write('a.md', '---', 'x: 1', '---', 'one');
    await Promise.all(Array.from({ length: 20 }, () => library.load('a')));
    expect(problems).toHaveLength(1);
  });

  it('becomes good with the agent it names, and stays when that one goes', async () => {
    await writeGood('first');
    await library.load('a');
    await writeGood('second', 'subagents: [b]');
    expect((await library.load('a')).prompt).toBe('first');
    await write('b.md', 'You are b.');
    const second = await library.load('a');
    expect(second.prompt).toBe('second');
    await rm(join(root, 'agents', 'b.md'));
    expect(await library.load('a')).toBe(second);
    expect(problems).toEqual([
      `agents/a.md:3: subagents names the agent "b", which does not exist; there is a; ${stays}`,
      `agents/a.md:3: subagents names the agent "b", which does not exist; there is a; ${stays}`,
    ]);
  });

  it('is forgotten with its file', async () => {
    await writeGood('first', 'tools: [read]');
    await library.load('a');
    await rm(join(root, 'agents', 'a.md'));
    await expect(library.load('a')).rejects.toMatchObject({ type: 'PERSONA_NOT_FOUND' });
    await write('a.md', '---', 'x: 1', '---', 'new');
    expect(await library.load('a')).toMatchObject({ prompt: 'new', tools: [] });
  });

  it('shows after the time for which an answer is fresh', async () => {
    const clock = new ManualClock();
    const slow = new PersonaLibrary(root, { ...known, freshMs: 1_000, clock });
    await writeGood('first');
    await slow.load('a');
    expect(await slow.agents()).toMatchObject([{ name: 'a', description: null }]);
    await writeGood('second', 'description: New');
    expect((await slow.load('a')).prompt).toBe('first');
    expect(await slow.agents()).toMatchObject([{ description: null }]);
    await clock.advance(1_001);
    expect((await slow.load('a')).prompt).toBe('second');
    expect(await slow.agents()).toMatchObject([{ description: 'New' }]);
  });
});

describe('an agent that was never good', () => {
  it.each([
    ['malformed YAML', ['tools: [read', 'disallowed_tools: [bash]']],
    ['a wrong list of what it must not do', ['disallowed_tools: { bash: true }']],
    ['a misspelt field', ['dissallowed_tools: [bash]', 'auto_approve_tools: [write]']],
  ])('gets no tools, whatever the turn asks: %s', async (_name, lines) => {
    await write('a.md', '---', ...lines, '---', 'You are a.');
    const persona = await library.load('a');
    expect(persona).toMatchObject({
      prompt: 'You are a.',
      tools: [],
      permissions: { deny: ['*'] },
    });
    expect(problems).toEqual([
      expect.stringMatching(/; the agent gets no tools until this is corrected$/),
    ]);
  });

  it('keeps what could be read of it', async () => {
    await write('a.md', '---', 'max_turns: 3', 'x: 1', '---', 'You are a.');
    expect(await library.load('a')).toMatchObject({ maxTurns: 3, prompt: 'You are a.' });
  });

  it('needs no tools and trees to be known', async () => {
    await write('a.md', '---', 'tools: [dig]', 'decision_tree: none', '---', 'You are a.');
    const persona = await new PersonaLibrary(root, { onProblem }).load('a');
    expect(persona).toMatchObject({ tools: ['dig'], decisionTree: 'none', problems: [] });
    expect(problems).toEqual([]);
  });
});

describe('the names of agents', () => {
  it('finds a name in another case where there is one such agent', async () => {
    await write('AGENT_WORKING_ITEMS.md', 'w');
    await write('my-reader.md', 'r');
    expect(await library.load('working-items')).toMatchObject({ name: 'WORKING_ITEMS' });
    expect(await library.load('My_Reader')).toMatchObject({ name: 'my_reader', prompt: 'r' });
  });

  it('asks for the spelling where there are two', async () => {
    await write('AGENT_READER.md', 'big');
    await write('reader.md', 'small');
    expect((await library.load('READER')).prompt).toBe('big');
    expect((await library.load('reader')).prompt).toBe('small');
    await expect(library.load('Reader')).rejects.toMatchObject({
      type: 'PERSONA_NOT_FOUND',
      message: expect.stringContaining("'Reader' may be READER or reader"),
    });
  });

  it('takes AGENT_<NAME>.md of two files for one name, and says so once', async () => {
    await write('A.md', 'plain');
    await write('AGENT_A.md', 'first');
    expect(await library.load('A')).toMatchObject({ prompt: 'first' });
    await library.load('A');
    expect(problems).toEqual([
      'agents/A.md:1: the agent A has a file already, agents/AGENT_A.md: remove or rename one of them',
    ]);
  });

  it('refuses a link that leaves the root, by either form', async () => {
    await symlink('/etc/hostname', join(root, 'agents', 'spy.md'));
    await expect(library.load('spy')).rejects.toMatchObject({ type: 'PERSONA_NOT_FOUND' });
    expect(await library.agents()).toEqual([]);
  });
});
