import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path, { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { PersonaLibrary, openAgents } from './persona-library.js';
import { newFolder } from '../../test/support/suite.js';

let folder: string;
let root: string;
let problems: string[];
let library: PersonaLibrary;

beforeEach(async () => {
  folder = newFolder();
  root = join(folder, 'root');
  await mkdir(join(root, 'agents'), { recursive: true });
  problems = [];
  library = new PersonaLibrary(root, {
    onProblem: (place, problem) => problems.push(`${place}: ${problem}`),
  });
});

const agentFile = (name: string) => join(root, 'agents', `AGENT_${name}.md`);

describe('PersonaLibrary.load', () => {
  it('reads the file of the name, `-` for `_`', async () => {
    await writeFile(agentFile('WORKING_ITEMS'), '---\nmax_turns: 3\n---\nYou help.');
    const persona = await library.load(' WORKING-ITEMS ');
    expect(persona).toMatchObject({ name: 'WORKING_ITEMS', maxTurns: 3, prompt: 'You help.' });
  });

  it('reads UTF-16 with its mark, and names the file that is no text', async () => {
    const text = '---\nmax_turns: 3\n---\nYou help.';
    for (const [name, mark, bytes] of [
      ['LITTLE', [0xff, 0xfe], Buffer.from(text, 'utf16le')],
      ['BIG', [0xfe, 0xff], Buffer.from(text, 'utf16le').swap16()],
    ] as const) {
      await writeFile(agentFile(name), Buffer.concat([Buffer.from(mark), bytes]));
      expect(await library.load(name)).toMatchObject({ maxTurns: 3, prompt: 'You help.' });
    }
    await writeFile(agentFile('BARE'), Buffer.from(text, 'utf16le'));
    expect(await library.load('BARE')).toMatchObject({ prompt: '', permissions: { deny: ['*'] } });
    const fault =
      'the file is not text in UTF-8: it is binary, or UTF-16 without a byte order mark; save it as UTF-8';
    expect(problems).toEqual([
      `agents/AGENT_BARE.md: ${fault}; the agent gets no tools until this is corrected`,
    ]);
    await expect(openAgents(root, { knownTools: [], knownTrees: [] })).rejects.toThrow(
      `agents/AGENT_BARE.md: ${fault}`,
    );
  });

  it.each(['MISSING', '../secret', 'a/b', '', 'x'.repeat(65), 'a\u0000b'])(
    'refuses %j with what exists',
    async (name) => {
      await writeFile(agentFile('B'), 'b');
      await writeFile(agentFile('A'), 'a');
      await writeFile(join(root, 'secret'), 'secret');
      await expect(library.load(name)).rejects.toMatchObject({
        type: 'PERSONA_NOT_FOUND',
        status: 404,
        message: expect.stringContaining('Available: A, B.'),
        details: { persona: name, instructionRoot: root },
      });
    },
  );

  it.each(['file', 'folder'])('refuses a link of a %s that leaves the root', async (kind) => {
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside', 'AGENT_SPY.md'), 'outside');
    if (kind === 'file') {
      await symlink(join(folder, 'outside', 'AGENT_SPY.md'), agentFile('SPY'));
    } else {
      await rm(join(root, 'agents'), { recursive: true });
      await symlink(join(folder, 'outside'), join(root, 'agents'));
    }
    await expect(library.load('SPY')).rejects.toMatchObject({ type: 'PERSONA_NOT_FOUND' });
  });

  it('follows a link that stays in the root, and a root that is a link', async () => {
    await writeFile(join(root, 'agents', 'text.md'), 'inside');
    await symlink('text.md', agentFile('LINKED'));
    await symlink(root, join(folder, 'alias'));
    const persona = await new PersonaLibrary(join(folder, 'alias')).load('LINKED');
    expect(persona).toMatchObject({ name: 'LINKED', prompt: 'inside' });
  });

  it('gives each name of one file its own persona', async () => {
    await writeFile(agentFile('ONE'), 'shared');
    await symlink('AGENT_ONE.md', agentFile('TWO'));
    expect((await library.load('ONE')).name).toBe('ONE');
    expect((await library.load('TWO')).name).toBe('TWO');
  });

  it.each(['a folder', 'a named pipe', 'a link to itself'])('refuses %s', async (kind) => {
    if (kind === 'a folder') await mkdir(agentFile('ODD'));
    else if (kind === 'a named pipe') execFileSync('sh', ['-c', 'mkfifo "$0"', agentFile('ODD')]);
    else await symlink('AGENT_ODD.md', agentFile('ODD'));
    await expect(library.load('ODD')).rejects.toMatchObject({ type: 'PERSONA_NOT_FOUND' });
  });

  it('parses a version once and shows an edit at once', async () => {
    await writeFile(agentFile('A'), 'first');
    const first = await library.load('A');
    expect(await library.load('A')).toBe(first);
    await writeFile(agentFile('A'), 'second version');
    expect((await library.load('A')).prompt).toBe('second version');
  });

  it('shows an edit of the same size, and one that keeps the time by replacing the file', async () => {
    await writeFile(agentFile('A'), 'aaa');
    await utimes(agentFile('A'), 1000, 1000);
    await library.load('A');
    await writeFile(agentFile('A'), 'bbb');
    await utimes(agentFile('A'), 2000, 2000);
    expect((await library.load('A')).prompt).toBe('bbb');
    await writeFile(join(folder, 'new'), 'ccc');
    await rename(join(folder, 'new'), agentFile('A'));
    await utimes(agentFile('A'), 2000, 2000);
    expect((await stat(agentFile('A'))).mtimeMs).toBe(2_000_000);
    expect((await library.load('A')).prompt).toBe('ccc');
  });

  it('is gone with its file', async () => {
    await writeFile(agentFile('A'), 'a');
    await library.load('A');
    await rm(agentFile('A'));
    await expect(library.load('A')).rejects.toMatchObject({ type: 'PERSONA_NOT_FOUND' });
  });

  it('reports the problems of a version once', async () => {
    await writeFile(agentFile('A'), '---\nmax_turns: no\n---\na');
    await library.load('A');
    await library.load('A');
    expect(problems).toEqual([
      'agents/AGENT_A.md:2: max_turns must be an integer greater than 0, not "no"; the agent gets no tools until this is corrected',
    ]);
  });
});

describe('PersonaLibrary', () => {
  it('lists the names that have a file, sorted', async () => {
    await Promise.all(['B', 'A', 'NO-DASH'].map((name) => writeFile(agentFile(name), name)));
    await writeFile(join(root, 'agents', 'notes.md'), '');
    await writeFile(join(root, 'agents', 'README.md'), '');
    expect((await library.agents()).map(({ name }) => name)).toEqual([
      'A',
      'B',
      'NO_DASH',
      'notes',
    ]);
  });

  it('lists nothing without a folder', async () => {
    await rm(join(root, 'agents'), { recursive: true });
    expect((await library.agents()).map(({ name }) => name)).toEqual([]);
  });

  it('reads the global model as it is now', async () => {
    expect(await library.globalDefaults()).toBeUndefined();
    await writeFile(join(root, 'AGENTS.md'), '---\nmodel: claude-a\n---\n');
    expect(await library.globalDefaults()).toMatchObject({ model: 'claude-a' });
    await writeFile(join(root, 'AGENTS.md'), '---\nmodel: claude-bb\n---\n');
    expect(await library.globalDefaults()).toMatchObject({ model: 'claude-bb' });
  });

  it('knows an incomplete root', async () => {
    await writeFile(join(root, 'agents', 'notes.md'), 'You note.');
    await expect(library.loadForTurn('notes')).resolves.toMatchObject({ file: 'agents/notes.md' });
    await writeFile(join(root, 'agents', 'AGENT_LEAD.md'), 'You lead.');
    await expect(library.loadForTurn('LEAD')).rejects.toMatchObject({
      type: 'INSTRUCTION_ROOT_INVALID',
      message: expect.stringContaining('rename the file to agents/LEAD.md'),
    });
  });

  it('has its only agent for the default, and no other one', async () => {
    await rm(join(root, 'agents'), { recursive: true });
    await expect(library.loadForTurn('WORKING_ITEMS')).rejects.toMatchObject({
      type: 'INSTRUCTION_ROOT_INVALID',
      message: expect.stringContaining('Add agents/NAME.md, which is enough for a turn'),
    });
    await mkdir(join(root, 'agents'));
    await writeFile(join(root, 'agents', 'mine.md'), 'You help.');
    expect(await library.loadForTurn('WORKING-ITEMS')).toMatchObject({ name: 'mine' });
    await expect(library.load('OTHER')).rejects.toMatchObject({ type: 'PERSONA_NOT_FOUND' });
    await writeFile(join(root, 'agents', 'second.md'), 'You help.');
    await expect(library.loadForTurn('WORKING_ITEMS')).rejects.toMatchObject({
      message:
        "Persona 'WORKING_ITEMS', the default, does not exist. Name an agent that does: mine, second (in a command: --agent mine).",
    });
  });

  it('ships personas without problems', async () => {
    const shipped = new PersonaLibrary('instructions');
    await shipped.loadForTurn('WORKING_ITEMS');
    const names = (await shipped.agents()).map(({ name }) => name);
    expect(names).toEqual(['EDITOR', 'WORKING_ITEMS', 'reader', 'reviewer']);
    expect(await shipped.globalDefaults()).toEqual({ problems: [] });
    expect(await shipped.load('WORKING_ITEMS')).toMatchObject({
      agentType: 1,
      agentClass: 'PERSONA',
      subagents: [],
      problems: [],
    });
    expect(await shipped.load('EDITOR')).toMatchObject({
      permissions: { allow: ['edit', 'write'] },
      problems: [],
    });
  });
});

describe('PersonaLibrary.problems', () => {
  it('has the faults of the files as they are now', async () => {
    await writeFile(agentFile('A'), '---\nmax_turns: 3\n---\nYou help.');
    await library.load('A');
    expect(await library.problems()).toEqual([]);
    await writeFile(agentFile('A'), '---\nmax_turns: many\nsubagents: [nobody]\n---\nYou help.');
    const file = 'agents/AGENT_A.md';
    expect(await library.problems()).toEqual([
      { file, line: 2, message: expect.stringContaining('max_turns') },
      { file, line: 3, message: expect.stringContaining('nobody') },
    ]);
    // The last version without faults is used.
    expect(await library.agents()).toMatchObject([
      { name: 'A', file, limits: { max_iterations: 3 } },
    ]);
  });
});

describe('openAgents', () => {
  let root: string;
  beforeEach(async () => {
    root = newFolder();
    await mkdir(path.join(root, 'agents'));
  });

  it('says that there is no root', async () => {
    const none = path.join(root, 'none');
    await expect(openAgents(none, { knownTools: [], knownTrees: [] })).rejects.toThrow(
      `TURNPIKE_INSTRUCTION_ROOT names ${none}, and there is no such folder. Make it`,
    );
  });

  it('says which files are no agents for their names', async () => {
    for (const file of ['reader.md', 'my agent.md', 'größe.md', 'SHOUT.MD', 'README.md', 'a.txt']) {
      await writeFile(path.join(root, 'agents', file), 'You read.');
    }
    const said: string[] = [];
    const known = { knownTools: [], knownTrees: [] };
    const library = await openAgents(root, {
      ...known,
      onProblem: (place, problem) => void said.push(`${place} ${problem}`),
    });
    expect((await library.agents()).map(({ name }) => name)).toEqual(['reader']);
    const ofFiles = said.filter((line) => line.startsWith('agents/'));
    expect(ofFiles.map((line) => line.replace(/this .* for example /, ''))).toEqual([
      'agents/SHOUT.MD SHOUT.md',
      'agents/größe.md grosse.md',
      'agents/my agent.md my-agent.md',
    ]);
  });
});
