import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/platform/process/package-root.js';
import { documentedBlocks } from '../support/clients/documented-blocks.js';
import { runProgram } from '../support/processes/run-program.js';
import { manifest } from '../support/package/manifest.js';
import { newFolder } from '../support/suite.js';

const typed = `import { defineTool } from 'turnpike';
import { defineExtension, type ExtensionTool } from '${manifest.name}/extend';
import { z } from 'zod';
import { shout } from './_shout.ts';

export const helper = defineExtension((turnpike) => turnpike.addTool({} as ExtensionTool));

export default defineTool({
  description: 'The state of a ticket.',
  input: z.object({ number: z.int() }),
  run: ({ number }, call) => shout(number.toFixed(0) + call.principal),
});
`;
const wrong = `import { defineTool } from 'turnpike';
import { z } from 'zod';

export default defineTool({
  description: 'The state of a ticket.',
  input: z.object({ number: z.int() }),
  run: ({ number }) => number.toUpperCase(),
});
`;

/** A project beside this clone, as the page says, without what the page has it install from the network. */
function projectWith(manifest: object, files: Readonly<Record<string, string>>): string {
  const project = newFolder();
  mkdirSync(path.join(project, 'tools'));
  const put = (name: string, text: string): void => writeFileSync(path.join(project, name), text);
  put('package.json', JSON.stringify(manifest));
  const tsconfig = documentedBlocks()
    .get('docs/guide/your-own-tool.md')
    ?.find(({ language }) => language === 'json');
  put('tsconfig.json', tsconfig?.code ?? '');
  for (const [name, text] of Object.entries(files)) put(path.join('tools', name), text);
  const local = [packageRoot, path.join(packageRoot, 'node_modules/zod')];
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', [...install, ...local], { cwd: project });
  return project;
}

const compile = (project: string) =>
  runProgram(
    [process.execPath, path.join(packageRoot, 'node_modules/typescript/bin/tsc')],
    ['-p', project],
    {},
  );

describe('a project of tools beside a clone', () => {
  it.each([[{ type: 'module' }], [{ type: 'commonjs' }], [{}]])(
    'has the types of turnpike and turnpike/extend, and runs: a package of %j',
    async (manifest) => {
      const project = projectWith(manifest, {
        'ticket.ts': typed,
        '_shout.ts': 'export const shout = (text: string): string => `${text}!`;',
      });
      expect(await compile(project)).toEqual({ code: 0, stdout: '', stderr: '' });
      const program = path.join(project, 'node_modules/.bin/turnpike');
      const tried = await runProgram(
        [process.execPath, program],
        ['tools', 'try', '--dir', path.join(project, 'tools'), 'ticket', '{"number":7}'],
        {},
      );
      expect(tried).toEqual({ code: 0, stdout: '7you!\n', stderr: '' });
    },
  );

  it('has a wrong use of the input found', async () => {
    const project = projectWith({ type: 'module' }, { 'ticket.ts': wrong });
    const { code, stdout } = await compile(project);
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/tools\/ticket\.ts\(7,31\): error TS2339/);
  });
});
