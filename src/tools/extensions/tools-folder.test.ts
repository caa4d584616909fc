import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { newFolder } from '../../../test/support/suite.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { CustomAuthenticators } from '../../access/custom-authenticators.js';
import { openVerifier } from '../../access/tokens/open-verifier.js';
import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { systemClock } from '../../platform/clock.js';
import { ToolRegistry } from '../registry.js';
import { loadToolsFolder, readToolsFolder } from './tools-folder.js';

function newRegistries() {
  const outside = { clock: systemClock, logger: silentLogger };
  return {
    trees: new DecisionTrees(),
    tools: new ToolRegistry(),
    triggers: [],
    authenticators: new CustomAuthenticators(openVerifier([], { authPrivateHosts: [] }, outside)),
    logger: silentLogger,
  };
}

it('loadToolsFolder refuses a link into a folder that agents write, and a link that leads beside it not', async () => {
  const folder = newFolder();
  const [written, link] = [path.join(folder, 'projects'), path.join(folder, 'tools')];
  await mkdir(path.join(written, 'ann/tools'), { recursive: true });
  await symlink(path.join(written, 'ann/tools'), link);
  const named = path.join(folder, 'named-projects');
  await symlink(written, named);
  for (const roots of [[written], [path.join(folder, 'none'), named]]) {
    await expect(loadToolsFolder(link, newRegistries(), roots)).rejects.toThrow(
      /TURNPIKE_TOOLS_DIR: .*it leads to .*projects\/ann\/tools, where agents write in/,
    );
  }
  const beside = [path.join(folder, 'other'), path.join(folder, 'none')];
  await expect(loadToolsFolder(link, newRegistries(), beside)).resolves.toBeUndefined();
});

it('loadToolsFolder refuses a file whose name no tool may have', async () => {
  const folder = newFolder();
  const tool = 'export default { description: "A.", inputSchema: {}, run: () => "" }';
  await writeFile(path.join(folder, 'mcp__a.mjs'), tool);
  const registries = newRegistries();
  await expect(loadToolsFolder(folder, registries)).rejects.toThrow(
    /TURNPIKE_TOOLS_DIR: .*mcp__a\.mjs: name of the tool mcp__a begins with mcp__/,
  );
});

const described = "description: 'A.', inputSchema: { type: 'object' }";

it.each([
  [
    `${described}, run: () => '', effekt: 'read'`,
    'effekt is no field of a tool; did you mean effect? Correct',
  ],
  [described, 'run is missing. Correct'],
  [
    "description: 'A.', inputSchema: { type: 'object', properties: { n: { type: 'integr' } } }, run() {}",
    'The input schema of tool mine is not valid: /properties/n: type "integr" is unknown; did you mean integer? Correct',
  ],
])(
  'a folder of tools has its file named, and what names the folder: { %s }',
  async (text, fault) => {
    const folder = newFolder();
    const file = path.join(folder, 'mine.mjs');
    await writeFile(file, `export default { ${text} }`);
    const reading = readToolsFolder(folder, newRegistries(), '--dir');
    await expect(reading).rejects.toThrow(`${file}: ${fault} the file`);
  },
);
