import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProject, runWith } from '../../packages/create-turnpike/create-project.mjs';
import { newFolder } from '../support/suite.js';

describe('create-turnpike', () => {
  it.each([
    ['USAGE', []],
    ['USAGE', ['--help']],
    ['USAGE', ['a', 'b']],
    ['NAME_INVALID', ['My App']],
    ['NAME_INVALID', ['../a']],
    ['NAME_INVALID', ['.a']],
    ['NAME_INVALID', ['node_modules']],
    ['NAME_INVALID', ['favicon.ico']],
  ])('refuses with %s what is no name: %j', (code, given) => {
    expect(() => createProject(given)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses a Node that does not run TypeScript, and says which one does', () => {
    const code = 'NODE_TOO_OLD';
    expect(runWith('npm run dev', '/home/ann/.npm/_npx/0a1b/node_modules/.bin/node')).toMatch(
      /^npx -y --package=node-\S+@24 -c 'npm run dev'$/,
    );
    expect(runWith('npm run dev', '/usr/bin/node')).toBe('npm run dev');
    const given = '../turnpike/create-turnpike-0.1.0.tgz';
    for (const [node, packages, own] of [
      ['20.20.2', '', '--package=create-turnpike'],
      ['22.17.9', given, `--package=${given}`],
      ['22.17.9', `${given}\n\n/a b/c.tgz`, `--package=${given} "--package=/a b/c.tgz"`],
    ] as const) {
      const message = expect.stringMatching(
        new RegExp(
          `Install Node 22\\.18 [^]* npx -y --package=node-\\S+@24 ${own} -c 'create-turnpike my-app'\n` +
            "[^]* npx -y --package=node-\\S+@24 -c 'npm run dev'$",
        ),
      );
      expect(() => createProject(['my-app'], { node, packages })).toThrow(
        expect.objectContaining({ code, message }),
      );
    }
  });

  /** Runs the program in a folder. @returns what it said, and its exit code. */
  async function create(
    folder: string,
    name: string,
    environment: Record<string, string> = {},
  ): Promise<[string, number]> {
    const program = path.resolve('packages/create-turnpike/create-turnpike.mjs');
    const child = spawn(process.execPath, [program, name], { cwd: folder, env: environment });
    const ended = once(child, 'exit') as Promise<[number]>;
    const said = (await child.stderr.setEncoding('utf8').toArray()).join('');
    return [said, (await ended)[0]];
  }

  it('writes into a folder with a repository alone, and through a link to an empty one', async () => {
    const folder = newFolder();
    await mkdir(path.join(folder, 'repo/.git'), { recursive: true });
    await mkdir(path.join(folder, 'real'));
    await symlink('real', path.join(folder, 'linked'));
    for (const name of ['repo', 'linked']) {
      expect(await create(folder, name)).toEqual(['', 0]);
      const manifest = await readFile(path.join(folder, name, 'package.json'), 'utf8');
      expect(JSON.parse(manifest)).toMatchObject({ name });
    }
    expect(await readdir(path.join(folder, 'real'))).toContain('.gitignore');
  });

  it('says in a line what is in the way: a file, a link to a file or to nothing', async () => {
    const folder = newFolder();
    await writeFile(path.join(folder, 'file'), 'mine');
    await symlink('file', path.join(folder, 'to-file'));
    await symlink('nowhere', path.join(folder, 'to-nothing'));
    for (const name of ['file', 'to-file', 'to-nothing']) {
      expect(await create(folder, name)).toEqual([
        expect.stringMatching(/^NOT_A_FOLDER: .*, and is no folder\. Choose another name.*\n$/),
        1,
      ]);
    }
    expect(await readFile(path.join(folder, 'file'), 'utf8')).toBe('mine');
  });

  it('makes a project on the Turnpike of a clone, where its own tarball has that beside it', async () => {
    const folder = newFolder();
    const { version } = JSON.parse(
      await readFile('packages/create-turnpike/package.json', 'utf8'),
    ) as { version: string };
    // As `npx --package` has it.
    const environment = { npm_config_package: `./create-turnpike-${version}.tgz` };
    const turnpikeOf = async (name: string) => {
      expect(await create(folder, name, environment)).toEqual(['', 0]);
      const manifest = await readFile(path.join(folder, name, 'package.json'), 'utf8');
      return (JSON.parse(manifest) as { dependencies: { turnpike: string } }).dependencies.turnpike;
    };
    expect(await turnpikeOf('published')).toBe(`^${version}`);
    await writeFile(path.join(folder, `turnpike-${version}.tgz`), '');
    expect(await turnpikeOf('packed')).toBe(`file:../turnpike-${version}.tgz`);
  });

  it('writes into no folder with files', async () => {
    const folder = newFolder();
    await mkdir(path.join(folder, 'mine'));
    await writeFile(path.join(folder, 'mine/notes.txt'), 'Hello');
    const [said, code] = await create(folder, 'mine');
    expect(said).toMatch(/^FOLDER_NOT_EMPTY: There are files in .*mine\. Choose another name/);
    expect(code).toBe(1);
    await expect(readFile(path.join(folder, 'mine/package.json'))).rejects.toThrow('ENOENT');
  });
});
