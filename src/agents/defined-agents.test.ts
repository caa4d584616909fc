import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../../test/support/suite.js';
import type { AgentDefinition } from './define-agent.js';
import { agentsOfHost, loadDefinedAgents } from './defined-agents.js';
import { openAgents } from './persona-library.js';

const known = { knownTools: [{ name: 'read' }], knownTrees: [] };
const reader = '---\ndescription: Reads.\ntools: [read]\n---\nYou read.\n';

function rootWith(files: Readonly<Record<string, string>>): string {
  const root = newFolder();
  mkdirSync(path.join(root, 'agents'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(root, 'agents', name), text);
  }
  return root;
}

/** Opens the agents of a root and of a host, as a start does. */
async function open(instructionRoot: string, ofHost: readonly AgentDefinition[] = []) {
  const nowhere = { projectsDir: newFolder(), projectRoot: undefined, projectRoots: [] };
  const inFiles = await loadDefinedAgents({ instructionRoot, ...nowhere });
  const defined = [...agentsOfHost(ofHost), ...inFiles];
  return openAgents(instructionRoot, { defined, ...known });
}

describe('agents that are modules', () => {
  it('are beside Markdown agents; tests and files that begin with _ are none', async () => {
    const library = await open(
      rootWith({
        'reader.md': reader,
        'desk.mjs': 'export default { prompt: "You help.", tools: ["read"], max_turns: 3 }',
        '_shared.mjs': 'throw new Error("no agent")',
        'desk.test.mjs': 'throw new Error("no agent")',
      }),
    );
    expect(await library.agents()).toEqual([
      expect.objectContaining({ name: 'desk', file: 'agents/desk.mjs', tools: ['read'] }),
      expect.objectContaining({ name: 'reader', file: 'agents/reader.md' }),
    ]);
    expect(await library.load('desk')).toMatchObject({ prompt: 'You help.', maxTurns: 3 });
  });

  it.each([
    [{ 'a.mjs': 'export default { prompt: "P.", max_turns: 0 }' }, 'a.mjs: max_turns must be'],
    [{ 'a.mjs': 'export default { prompt: "P.", tols: [] }' }, 'a.mjs: tols is not a field'],
    [{ 'a.mjs': 'export default { prompt: "P.", tools: ["raed"] }' }, 'a.mjs: tools names'],
    [{ 'a.mjs': 'export default { tools: [] }' }, 'a.mjs: the prompt is empty: write it as'],
    [{ 'a.mjs': 'export default { prompt: 7 }' }, 'a.mjs: prompt must be text'],
    [{ 'a.mjs': 'export default () => 7' }, 'a.mjs: it must be an agent, as `export default'],
    [{ 'a.mjs': 'export default { name: "b", prompt: "P." }' }, 'a.mjs: name must be that of'],
    [{ 'a.mjs': 'export default {' }, 'a.mjs:1: it has a syntax error'],
    [{ 'a b.mjs': '' }, 'a b.mjs: a name is 1 to 64 letters, digits'],
    [
      { 'reader.md': reader, 'reader.ts': 'export default { prompt: "P." }' },
      'reader.md:1: the agent reader has a file already, agents/reader.ts: remove or rename',
    ],
    [
      { 'my-reader.mjs': 'export default { prompt: "P." }', 'my_reader.ts': 'export default {}' },
      'my_reader.ts: the agent my_reader has a file already, agents/my-reader.mjs: remove',
    ],
  ])('stop the start by their file and their fault: %j', async (files, fault) => {
    await expect(open(rootWith(files))).rejects.toThrow(`agents/${fault}`);
  });

  it('are not where an agent writes, nor links to there', async () => {
    const instructionRoot = rootWith({ 'a.mjs': 'export default { prompt: "P." }' });
    const within = { instructionRoot, projectsDir: newFolder(), projectRoot: undefined };
    await expect(loadDefinedAgents({ ...within, projectRoots: [instructionRoot] })).rejects.toThrow(
      'and has agents/a.mjs; agents write in',
    );

    const linking = rootWith({});
    symlinkSync(path.join(instructionRoot, 'agents/a.mjs'), path.join(linking, 'agents/a.mjs'));
    await expect(open(linking)).rejects.toThrow(
      'agents/a.mjs: it is a link to a file outside of the folder',
    );
  });
});

describe('agents of an application', () => {
  const desk = { name: 'desk', prompt: 'You help.' };

  it.each<[object[], Record<string, string>, string]>([
    [[{ prompt: 'You help.' }], {}, 'createTurnpike.agents[0]: name must be that of the agent'],
    [[{ ...desk, tools: 'read' }], {}, 'createTurnpike.agents.desk: tools must be a list'],
    [[desk], { 'desk.md': reader }, 'agents/desk.md:1: the agent desk has a file already'],
    [[desk, desk], {}, 'createTurnpike.agents.desk: the agent desk has a file already'],
  ])('stop the start by their names and their faults: %j, %j', async (agents, files, fault) => {
    // A host in JavaScript may give anything.
    await expect(open(rootWith(files), agents as AgentDefinition[])).rejects.toThrow(fault);
  });
});
