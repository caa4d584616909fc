import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { useConsole } from './use-console.js';

describe('the page Agents and tools', () => {
  let root = '';
  const on = useConsole(async () => {
    root = instructionRootWith({ READER: ['tools: [read]'] });
    return { environment: { TURNPIKE_INSTRUCTION_ROOT: root } };
  });

  it('shows the fault of a file that changes while it is open', async () => {
    const { page, faults } = await on.console.visit('/agents');
    await page.getByRole('heading', { name: 'READER', exact: true }).waitFor();
    const file = path.join(root, 'agents', 'AGENT_READER.md');
    await writeFile(file, '---\ncolour: red\n---\nYou read.');
    const shown = page.getByRole('list', { name: 'Faults of agent files' });
    await shown.getByText('agents/AGENT_READER.md:2').waitFor();
    expect(await shown.innerText()).toContain('colour is not');
    expect(faults).toEqual([]);
  });
});
