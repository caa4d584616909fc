import { testTurn } from '../../../test/support/tools/test-turn.js';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/json.js';
import { globTool } from './glob.js';
import { outputText } from '../../platform/parsing/tool-output.js';
import { newFolder } from '../../../test/support/suite.js';

let base: string;
let workdir: string;

/** Sets a file's mtime, in seconds, so that the order does not depend on the disk. */
async function put(path: string, modified = 0): Promise<void> {
  const full = join(workdir, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, path);
  await utimes(full, modified, modified);
}

beforeEach(async () => {
  base = newFolder();
  workdir = join(base, 'project');
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside', 'secret.ts'), '');
  await put('src/old.ts', 100);
  await put('src/deep/new.ts', 300);
  await put('src/deep/mid.ts', 200);
  await put('.github/ci.yml', 50);
  await put('node_modules/x/x.ts', 900);
  await put('src/node_modules/y.ts', 900);
  await put('.git/z.ts', 900);
});

async function glob(input: JsonObject, signal = new AbortController().signal): Promise<string> {
  const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
  return outputText(await globTool.open({ turn: testTurn, workdir }).run(input, call));
}

describe('glob', () => {
  it.each([
    ['**/*.ts', 'src/deep/new.ts\nsrc/deep/mid.ts\nsrc/old.ts'],
    ['src/*.ts', 'src/old.ts'],
    ['src/{deep/m*,o*}.ts', 'src/deep/mid.ts\nsrc/old.ts'],
    ['**/*.yml', '.github/ci.yml'],
    ['src', 'no matches'],
    ['**/*.md', 'no matches'],
    ['node_modules/**', 'no matches'],
    ['src/link.ts', 'no matches'],
  ])('%s, newest first', async (pattern, found) => {
    expect(await glob({ pattern })).toBe(found);
  });

  it('searches below path and shows paths from the workdir', async () => {
    expect(await glob({ pattern: '*.ts', path: 'src/deep' })).toBe(
      'src/deep/new.ts\nsrc/deep/mid.ts',
    );
  });

  it('shows relative paths in a workdir that is itself a link', async () => {
    await symlink(workdir, join(base, 'alias'));
    workdir = join(base, 'alias');
    expect(await glob({ pattern: 'src/*.ts' })).toBe('src/old.ts');
  });

  it.each([
    ['/etc/*', 'use a relative pattern'],
    ['../outside/*', '".." is not permitted'],
    ['src/../../outside/*', '".." is not permitted'],
    ['{..,src}/outside/*', '".." is not permitted'],
    ['@(..|src)/outside/*', '".." is not permitted'],
    ['!../outside/*', '".." is not permitted'],
    ['+(s*)/*.ts', 'the pattern is refused: it has +(…), an extended pattern: use *, **'],
  ])('refuses the pattern %s', async (pattern, why) => {
    await expect(glob({ pattern })).rejects.toThrow(why);
  });

  it.each([
    '{a,aa}*{a,aa}*{a,aa}*{a,aa}*{a,aa}*b',
    `${'*a'.repeat(60)}*b`,
    `${'[a]*?'.repeat(60)}b`,
  ])('is not held up by a name that almost fits %s', async (pattern) => {
    await put(`${'a'.repeat(240)}!.txt`);
    expect(await glob({ pattern })).toBe('no matches');
  });

  it('finds nothing through a link that leads out', async () => {
    await symlink(join(base, 'outside'), join(workdir, 'out'));
    await symlink(join(base, 'outside', 'secret.ts'), join(workdir, 'secret.ts'));
    await symlink(join(base, 'nowhere.ts'), join(workdir, 'dangling.ts'));
    for (const pattern of ['out/*', 'out/secret.ts', 'out/**/*', '*.ts', 'o*/*']) {
      expect(await glob({ pattern })).toBe('no matches');
    }
  });

  it('lists files, not the links to them', async () => {
    await symlink(join(workdir, 'src', 'old.ts'), join(workdir, 'src', 'alias.ts'));
    expect(await glob({ pattern: 'src/*.ts' })).toBe('src/old.ts');
  });

  it('shows the newest 200 and says so', async () => {
    const names = Array.from({ length: 205 }, (_one, index) => `many/${1000 + index}.txt`);
    await Promise.all(names.map((name, index) => put(name, index)));
    const lines = (await glob({ pattern: 'many/*' })).split('\n');
    expect(lines).toHaveLength(201);
    expect(lines[0]).toBe('many/1204.txt');
    expect(lines[199]).toBe('many/1005.txt');
    expect(lines[200]).toContain('200 of 205 matches shown');
  });

  it('rejects with the reason of an abort', async () => {
    const reason = new Error('cancelled');
    await expect(glob({ pattern: '**/*' }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
