import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../support/suite.js';

const program = fileURLToPath(new URL('../../turnpike', import.meta.url));

/** A clone whose preparation and command line say that they were called. */
describe('./turnpike of a clone', () => {
  const folder = newFolder();
  const at = (name: string): string => path.join(folder, name);

  async function makeClone(name: string): Promise<string> {
    for (const inside of ['scripts', 'dist', 'node_modules/.bin']) {
      await mkdir(at(`${name}/${inside}`), { recursive: true });
    }
    await copyFile(program, at(`${name}/turnpike`));
    const prepare = "console.error(['prepared', ...process.argv.slice(2)].join(' '));";
    await writeFile(at(`${name}/scripts/prepare.mjs`), prepare);
    const cli =
      'console.log(JSON.stringify([process.cwd(), process.env.BROUGHT, process.argv.slice(2)]));';
    await writeFile(at(`${name}/dist/cli.js`), cli);
    return at(`${name}/turnpike`);
  }

  it('prepares the clone, and keeps the folder and the words of its call', async () => {
    const clone = await makeClone('a clone');
    await symlink(path.relative(folder, clone), at('linked'));
    await mkdir(at('elsewhere'));
    const { status, stdout, stderr } = spawnSync(at('linked'), ['turn', 'two words', '$HOME'], {
      cwd: at('elsewhere'),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, 'prepared --build\n']);
    expect(JSON.parse(stdout)).toEqual([at('elsewhere'), null, ['turn', 'two words', '$HOME']]);
  });

  it('runs on the Node that the clone brought', async () => {
    const clone = await makeClone('old');
    const brought = at('old/node_modules/.bin/node');
    await writeFile(brought, `#!/bin/sh\nBROUGHT=yes exec '${process.execPath}' "$@"\n`);
    await chmod(brought, 0o755);
    const { stdout } = spawnSync(clone, ['chat'], { cwd: folder, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual([folder, 'yes', ['chat']]);
  });
});
