import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openAgents } from './persona-library.js';

describe('openAgents', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'turnpike-agents-'));
    await mkdir(path.join(root, 'agents'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

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
