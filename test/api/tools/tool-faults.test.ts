import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cliProgram } from '../../support/processes/built-programs.js';
import { runProgram } from '../../support/processes/run-program.js';
import { manifest as own } from '../../support/package/manifest.js';
import { newFolder } from '../../support/suite.js';

/** A project with a folder of tools. @returns its folder. */
function projectWith(manifest: object, files: Readonly<Record<string, string>>): string {
  const project = newFolder();
  mkdirSync(path.join(project, 'tools'));
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(path.join(project, 'tools', name), text);
  }
  return project;
}

/** Loads the tools of a project with Node alone: the tests' own loader compiles TypeScript. */
function check(project: string, ...args: string[]) {
  const given = { TURNPIKE_TOOLS_DIR: path.join(project, 'tools') };
  return runProgram(cliProgram, ['check', ...args], given);
}

const tool = "defineTool({ description: 'A.', input: { type: 'object' }, run: () => help })";

describe('a folder of tools', () => {
  it.each([[{ type: 'commonjs' }], [{}], [{ type: 'module' }]])(
    'loads, with what it imports, in a package of %j, and only what was looked at is printed beside',
    async (manifest) => {
      const project = projectWith(manifest, {
        'typed.ts': `import { defineTool } from 'turnpike';\nimport { help } from './_help.ts';\nexport default ${tool};`,
        'plain.js': `import { defineTool } from 'turnpike';\nimport { help } from './_help.ts';\nexport default ${tool};`,
        '_help.ts': `import { defineExtension } from '${own.name}/extend';\nexport const help: string = typeof defineExtension;`,
      });
      expect(await check(project)).toEqual({
        code: 0,
        stdout: 'No faults. Tools of your own: plain, typed.\n',
        stderr: expect.stringMatching(/^Agents: .+\nMCP servers: none.*\nTools: .+tools\n$/),
      });
    },
  );

  it('is named where none was looked at', async () => {
    const { stdout, stderr } = await runProgram(cliProgram, ['check'], {});
    expect(stdout).toBe('No faults. Tools of your own: none.\n');
    expect(stderr).toMatch(/\nTools: none looked at; set TURNPIKE_TOOLS_DIR to their folder\n$/);
  });

  it('is not all that is looked at: so are the folder of agents and the list of MCP servers', async () => {
    const list = path.join(newFolder(), 'mcp.json');
    writeFileSync(list, '{');
    for (const [name, value] of [
      ['TURNPIKE_INSTRUCTION_ROOT', '/no/such/folder'],
      ['TURNPIKE_MCP_FILE', list],
    ] as const) {
      const { code, stderr } = await runProgram(cliProgram, ['check'], { [name]: value });
      expect([name, code]).toEqual([name, 1]);
      expect(stderr).toContain(name);
      expect(stderr).toContain(value);
    }
  });

  it('may have CommonJS where its package is that', async () => {
    const project = projectWith(
      { type: 'commonjs' },
      {
        'old.js':
          "const text = `\nexport default`;\nmodule.exports = { description: text, inputSchema: { type: 'object' }, run: () => text };",
      },
    );
    expect((await check(project)).stdout).toBe('No faults. Tools of your own: old.\n');
  });
});

describe('a fault of a tool', () => {
  it.each<[string, Record<string, string>, string, string]>([
    [
      'a package that is missing',
      { 'a.ts': "import { defineTool } from 'turnpike';\nimport { z } from 'zod/mini';" },
      'a.ts:2:19',
      'it imports the package zod, which is not installed. Run `npm install zod` in PROJECT',
    ],
    [
      'a package that CommonJS is missing',
      { 'a.js': "const z = require('zod');\nmodule.exports = {};" },
      'a.js:1:19',
      'it imports the package zod, which is not installed. Run `npm install zod` in PROJECT',
    ],
    [
      'a package that is nearly turnpike: a stranger may have that name',
      { 'a.ts': "import { defineTool } from 'turnpik';\nexport default {};" },
      'a.ts:1:28',
      'it imports the package turnpik, which is not installed; did you mean turnpike?',
    ],
    [
      'a file that is missing',
      { 'a.ts': "export default {};\n  import './_none.ts';" },
      'a.ts:2:10',
      'it imports ./_none.ts, and there is no such file',
    ],
    [
      'a file under the name that a compiler would give it',
      { 'a.ts': "import './_b.js'; export default {};", '_b.ts': '' },
      'a.ts:1:8',
      'it imports ./_b.js, and there is no such file; name the file as it is: ./_b.ts',
    ],
    [
      'a syntax error in TypeScript',
      { 'a.ts': 'export default {};\nconst a: number = 5 5;' },
      'a.ts:2:21',
      'it has a syntax error: ',
    ],
    [
      'a syntax error in JavaScript',
      { 'a.js': 'export default {};\nconst a = 5 5;' },
      'a.js:2:13',
      'it has a syntax error: Unexpected number',
    ],
    [
      'a syntax error in a file that it imports',
      { 'a.js': "import './_b.js';\nexport default {};", '_b.js': 'export {};\n\nconst 7;' },
      '_b.js:3:7',
      'it has a syntax error: Unexpected number',
    ],
    [
      'an import of what is not exported',
      { 'a.js': "import { x } from './_b.js';\nexport default {};", '_b.js': 'export {};' },
      'a.js:1:10',
      "it has a syntax error: The requested module './_b.js' does not provide an export named 'x'",
    ],
    [
      'TypeScript that has to be compiled',
      { 'a.ts': 'export default {};\nenum A { B }' },
      'a.ts:2:1',
      'Node runs TypeScript with types alone (',
    ],
    [
      'an error of its own',
      { 'a.ts': "export default {};\n  throw new Error('no database');" },
      'a.ts:2:9',
      'it cannot be loaded: no database',
    ],
  ])('says its place, and what helps: %s', async (_what, files, place, fault) => {
    const project = projectWith({ type: 'commonjs' }, files);
    const { code, stderr } = await check(project);
    expect([code, stderr]).toEqual([1, expect.stringContaining(fault.replace('PROJECT', project))]);
    expect(stderr).toMatch(new RegExp(`^tools/${place}: `, 'm'));
    const { faults } = JSON.parse((await check(project, '--json')).stdout) as { faults: object[] };
    const [file, line, column] = place.split(':');
    expect(faults).toMatchObject([
      { file: `tools/${file}`, line: Number(line), column: Number(column) },
    ]);
  });
});

describe('turnpike check', () => {
  it('has the faults of agents, too', async () => {
    const project = projectWith({}, {});
    mkdirSync(path.join(project, 'agents'));
    writeFileSync(path.join(project, 'agents/desk.md'), '---\ntools: [none_such]\n---\nYou help.');
    const { code, stderr } = await runProgram(cliProgram, ['check'], {
      TURNPIKE_INSTRUCTION_ROOT: project,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('agents/desk.md:2: ')]);
  });
});
