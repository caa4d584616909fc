import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/json.js';
import type { ToolDefinition } from '../tool.js';
import { editTool, readTool, writeTool } from './file-tools.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';

let base: string;
let workdir: string;
let outside: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'file-tools-')));
  workdir = join(base, 'project');
  outside = join(base, 'outside');
  await mkdir(join(workdir, 'src'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'TOP SECRET');
  await symlink(join(outside, 'secret.txt'), join(workdir, 'link.txt'));
  await symlink(outside, join(workdir, 'linkdir'));
  await symlink(join(outside, 'not-yet.txt'), join(workdir, 'dangling.txt'));
});

afterEach(() => rm(base, { recursive: true }));

function run(tool: ToolDefinition, input: JsonObject): Promise<string> {
  const { signal } = new AbortController();
  return tool.open({ workdir }).run(input, {
    callId: 'call_1',
    idempotencyKey: 'turn_1:call_1',
    signal,
    progress: () => undefined,
  });
}

describe('read, write and edit', () => {
  it('go round: what is written is read, what is edited is read', async () => {
    const file_path = 'new/deep/a.txt';
    await run(writeTool, { file_path, content: 'one\ntwo\nthree\n' });
    expect(await run(readTool, { file_path })).toBe('one\ntwo\nthree\n');
    await run(editTool, { file_path, old_string: 'two', new_string: '$& 2' });
    expect(await run(readTool, { file_path, view_range: [2, 2] })).toBe('$& 2');
    expect(await readFile(join(workdir, file_path), 'utf8')).toBe('one\n$& 2\nthree\n');
  });

  it('take an absolute path inside the workdir', async () => {
    const file_path = join(workdir, 'src', 'a.txt');
    await run(writeTool, { file_path, content: 'x' });
    expect(await run(readTool, { file_path })).toBe('x');
  });

  it.each([
    [
      'edit what is not there',
      editTool,
      { file_path: 'none.txt', old_string: 'a', new_string: 'b' },
    ],
    ['read what is not there', readTool, { file_path: 'none.txt' }],
    ['read a folder', readTool, { file_path: 'src' }],
  ])('%s: a failure that names the path as given', async (_name, tool, input) => {
    const failure = run(tool, input);
    await expect(failure).rejects.toThrow(input.file_path);
    await expect(failure).rejects.not.toThrow(workdir);
  });

  it('refuse an edit whose place is not unique', async () => {
    await run(writeTool, { file_path: 'a.txt', content: 'x x' });
    const input = { file_path: 'a.txt', old_string: 'x', new_string: 'y' };
    await expect(run(editTool, input)).rejects.toThrow('2 times');
    await run(editTool, { ...input, replace_all: true });
    expect(await run(readTool, { file_path: 'a.txt' })).toBe('y y');
  });
});

describe('a path that leaves the workdir', () => {
  const ways = (): [string, string][] => [
    ['..', '../outside/secret.txt'],
    ['.. in the middle', 'src/../../outside/secret.txt'],
    ['an absolute path', join(outside, 'secret.txt')],
    ['a link to a file', 'link.txt'],
    ['a link to a folder', 'linkdir/secret.txt'],
    ['a link to what is not there yet', 'dangling.txt'],
    ['a new file below a link', 'linkdir/new/file.txt'],
  ];

  it.each([0, 1, 2, 3, 4, 5, 6])('is refused by every file tool (way %#)', async (way) => {
    const file_path = ways()[way]?.[1] ?? '';
    const attempts = {
      read: run(readTool, { file_path }),
      write: run(writeTool, { file_path, content: 'PWNED' }),
      edit: run(editTool, { file_path, old_string: 'TOP', new_string: 'PWNED' }),
      grep: run(grepTool, { pattern: 'SECRET', path: file_path }),
      glob: run(globTool, { pattern: '*', path: file_path }),
    };
    for (const attempt of Object.values(attempts)) {
      await expect(attempt).rejects.toThrow("is outside the session's working directory");
    }
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('TOP SECRET');
    await expect(readFile(join(outside, 'not-yet.txt'))).rejects.toThrow('ENOENT');
    await expect(readFile(join(outside, 'new/file.txt'))).rejects.toThrow('ENOENT');
  });
});

describe('grep', () => {
  it('finds lines, with paths relative to the workdir', async () => {
    await writeFile(join(workdir, 'src', 'a.ts'), 'one\nconst needle = 1;\n');
    expect((await run(grepTool, { pattern: 'need.e' })).trim()).toBe(
      'src/a.ts:2:const needle = 1;',
    );
    expect((await run(grepTool, { pattern: 'need.e', path: 'src' })).trim()).toBe(
      'src/a.ts:2:const needle = 1;',
    );
  });

  it('follows no link out of the workdir', async () => {
    expect(await run(grepTool, { pattern: 'SECRET' })).toBe('no matches');
  });

  it('shows relative paths in a workdir that is itself a link', async () => {
    await writeFile(join(workdir, 'src', 'a.ts'), 'needle\n');
    const real = workdir;
    workdir = join(base, 'alias');
    await symlink(real, workdir);
    expect((await run(grepTool, { pattern: 'needle' })).trim()).toBe('src/a.ts:1:needle');
    expect((await run(grepTool, { pattern: 'needle', path: 'src' })).trim()).toBe(
      'src/a.ts:1:needle',
    );
  });
});
