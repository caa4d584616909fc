import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { expectSoon } from '../../support/expect-soon.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';

describe('an instruction file that is edited while no turn runs', () => {
  const root = instructionRootWith({ EDITED: ['max_turns: 3'] });
  const server = useServer({ environment: { TURNPIKE_INSTRUCTION_ROOT: root } });
  const warnings = (place: string): string[] =>
    server.logLines.filter((line) => line.includes(`"${place}"`));
  const put = async (file: string, ...lines: string[]): Promise<void> => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), lines.join('\n'));
  };

  it.each([
    ['a wrong field', 'agents/AGENT_EDITED.md', ['---', 'max_turns: no', '---', 'x'], ':2'],
    ['broken front matter', 'agents/AGENT_EDITED.md', ['---', 'tools: [', '---', 'x'], ':3'],
    ['a new file', 'agents/fresh.md', ['---', 'colour: red', '---', 'x'], ':2'],
    ['a name that no agent has', 'agents/my agent.md', ['x'], ''],
    ['the file of all agents', 'AGENTS.md', ['---', 'model: 7', '---', 'x'], ':2'],
    ['a skill', 'skills/odd/SKILL.md', ['---', 'name: odd', '---', 'x'], ':1'],
  ])('is named in the log, once: %s', async (_what, file, lines, line) => {
    await put(file, ...lines);
    await expectSoon(async () => {
      expect(warnings(`${file}${line}`)).toHaveLength(1);
    });
    expect(warnings(`${file}${line}`)[0]).toContain('Correct it');
    // The faults are those that the page Agents and tools shows.
    if (!line || !file.startsWith('agents/')) return;
    const { body } = await server.client.get('/agents');
    expect(body['problems']).toContainEqual(expect.objectContaining({ file }));
  });

  it('keeps its last good version', async () => {
    const { body } = await server.client.get('/agents');
    expect(body['agents']).toContainEqual(
      expect.objectContaining({ name: 'EDITED', limits: { max_iterations: 3 } }),
    );
    await rm(path.join(root, 'agents/fresh.md'));
  });
});
