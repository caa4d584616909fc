import { testTurn } from '../../../test/support/tools/test-turn.js';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/json.js';
import type { ToolDefinition } from '../tool.js';
import { editTool, readTool, writeTool } from './file-tools.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { outputText } from '../../platform/parsing/tool-output.js';
import { newFolder } from '../../../test/support/suite.js';

let base: string;
let workdir: string;
let outside: string;

beforeEach(async () => {
  base = newFolder();
  workdir = join(base, 'project');
  outside = join(base, 'outside');
  await mkdir(join(workdir, 'src'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'TOP SECRET');
  await symlink(join(outside, 'secret.txt'), join(workdir, 'link.txt'));
  await symlink(outside, join(workdir, 'linkdir'));
  await symlink(join(outside, 'not-yet.txt'), join(workdir, 'dangling.txt'));
});

async function run(tool: ToolDefinition, input: JsonObject): Promise<string> {
  const { signal } = new AbortController();
  const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
  return outputText(await tool.open({ turn: testTurn, workdir }).run(input, call));
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

const at = (name: string) => join(workdir, name);
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPgPAAEDAQDr6yGUAAAAAElFTkSuQmCC',
  'base64',
);

describe('a file that is no UTF-8', () => {
  it.each<[string, Buffer, string]>([
    ['latin1.js', Buffer.from('x = 1 // caf\xe9 \xa9', 'latin1'), 'another encoding than UTF-8'],
    ['cp1252.txt', Buffer.from([0x78, 0x20, 0x3d, 0x20, 0x31, 0x0a, 0x80, 0x93]), 'iconv -f'],
    ['sjis.txt', Buffer.from([0x78, 0x0a, 0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea]), 'no UTF-8 text'],
    ['cut.txt', Buffer.from('x = 1\n😀').subarray(0, 8), 'no UTF-8 text'],
    ['utf32.txt', Buffer.from([0xff, 0xfe, 0, 0, 0x78, 0, 0, 0]), 'UTF-32LE text'],
    ['nul.bin', Buffer.from([0x78, 0, 0x78]), 'is binary, or text in UTF-16 without a mark'],
    ['a.png', png, 'a PNG file (image/png), 69 bytes'],
    ['a.sqlite', Buffer.from('SQLite format 3\0x'), 'a SQLITE file (application/x-sqlite3)'],
  ])('%s: is named by each tool, and not changed', async (file_path, bytes, named) => {
    await writeFile(at(file_path), bytes);
    await expect(run(readTool, { file_path })).rejects.toThrow(named);
    const kind = named.startsWith('iconv') ? 'no UTF-8 text' : named.split(',')[0];
    for (const attempt of [
      run(editTool, { file_path, old_string: 'x', new_string: 'y' }),
      run(writeTool, { file_path, content: 'y' }),
    ]) {
      await expect(attempt).rejects.toThrow('nothing was changed');
      await expect(attempt).rejects.toThrow(kind);
    }
    expect(await readFile(at(file_path))).toEqual(bytes);
    expect(await readdir(workdir)).toHaveLength(5);
  });

  it.each(['utf16le', 'utf-16be'])('in %s with a mark is shown as what it says', async (name) => {
    const bytes = Buffer.from('\uFEFFx = 1\ncafé\n', 'utf16le');
    if (name === 'utf-16be') bytes.swap16();
    await writeFile(at('a.txt'), bytes);
    const shown = await run(readTool, { file_path: 'a.txt' });
    expect(shown).toMatch(
      /^\[a.txt is UTF-16[LB]E text, shown here as UTF-8; .*\]\nx = 1\ncafé\n$/,
    );
    const edit = run(editTool, { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
    await expect(edit).rejects.toThrow(
      /is UTF-16[LB]E text, and no UTF-8 text; nothing was changed/,
    );
    expect(await readFile(at('a.txt'))).toEqual(bytes);
  });

  it('is none because a large one is cut within a letter', async () => {
    await writeFile(at('large.txt'), `x${'é'.repeat(200_000)}`);
    await run(writeTool, { file_path: 'large.txt', content: 'y' });
    expect(await readFile(at('large.txt'), 'utf8')).toBe('y');
  });

  it('cannot be written: half of a surrogate pair', async () => {
    const half = run(writeTool, { file_path: 'a.txt', content: 'x\ud800' });
    await expect(half).rejects.toThrow('half of a surrogate pair');
  });
});

describe('the lines of a file', () => {
  it.each<[string, before: string, old_string: string, new_string: string, after: string]>([
    ['match across their ends', 'a\r\nb\r\nc\r\n', 'a\nb', 'A\nB\nN', 'A\r\nB\r\nN\r\nc\r\n'],
    ['keep them where one is added', 'a\r\nb\r\nc\r\n', 'c', 'c\nd', 'a\r\nb\r\nc\r\nd\r\n'],
    ['also after the last', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
    ['match with their ends', 'a\r\nb\r\n', 'a\r\nb', 'A\nB', 'A\r\nB\r\n'],
    ['stay LF', 'a\nb\n', 'a\r\nb', 'A\r\nB', 'A\nB\n'],
    ['keep each its own if mixed', 'a\nb\r\nc\nd', 'a\nb\nc', 'A\nB\nC', 'A\nB\r\nC\nd'],
    ['take those around them if mixed', 'a\nb\r\nc\n', 'b', 'B\nN', 'a\nB\r\nN\r\nc\n'],
    ['keep a return that ends none', 'a\rb\r\n', 'b\n', 'c\n', 'a\rc\r\n'],
    ['stand behind a mark that stays', '\uFEFFx = 1\ncafé\n', '1', '2', '\uFEFFx = 2\ncafé\n'],
  ])('%s', async (_name, before, old_string, new_string, after) => {
    await writeFile(at('a.txt'), before);
    await run(editTool, { file_path: 'a.txt', old_string, new_string });
    expect(await readFile(at('a.txt'), 'utf8')).toBe(after);
  });

  it('are replaced everywhere', async () => {
    await writeFile(at('a.txt'), 'a\r\nb\r\na\r\nb\r\n');
    const edit = { old_string: 'a\nb\n', new_string: '', replace_all: true };
    await run(editTool, { file_path: 'a.txt', ...edit });
    expect(await readFile(at('a.txt'), 'utf8')).toBe('');
  });

  it('and their mark are kept by what is written over them', async () => {
    await writeFile(at('a.txt'), '\uFEFFa\r\nb\r\n');
    expect(await run(readTool, { file_path: 'a.txt' })).toBe('a\r\nb\r\n');
    const said = await run(writeTool, { file_path: 'a.txt', content: 'x\ny\n' });
    expect(said).toContain('its line ends and byte order mark are kept');
    expect(await readFile(at('a.txt'), 'utf8')).toBe('\uFEFFx\r\ny\r\n');
  });

  it('are shown by their numbers, of a small file and a large one', async () => {
    for (const count of [10, 60_000]) {
      const lines = Array.from({ length: count }, (_one, index) => `line ${index + 1}`);
      await writeFile(at('a.txt'), lines.join('\n'));
      const show = (view_range: number[]) => run(readTool, { file_path: 'a.txt', view_range });
      expect(await show([2, 3])).toBe('line 2\nline 3');
      expect(await show([count, -1])).toBe(`line ${count}`);
      expect(await show([count - 1, count])).toBe(`line ${count - 1}\nline ${count}`);
    }
    const whole = run(readTool, { file_path: 'a.txt' });
    await expect(whole).rejects.toThrow('Use the view_range parameter');
    const most = run(readTool, { file_path: 'a.txt', view_range: [1, 50_000] });
    await expect(most).rejects.toThrow('Narrow the view_range');
  });
});

describe('a file that is changed', () => {
  const change = { file_path: 'a.txt', old_string: 'x', new_string: 'y' };
  const changes: [string, () => Promise<string>][] = [
    ['edit', () => run(editTool, change)],
    ['write', () => run(writeTool, { file_path: 'a.txt', content: 'y' })],
  ];
  beforeEach(() => writeFile(at('a.txt'), 'x'));

  it.each(changes)('keeps its mode and its owner: %s', async (_name, work) => {
    await chmod(at('a.txt'), 0o764);
    const before = await stat(at('a.txt'));
    await work();
    const after = await stat(at('a.txt'));
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    expect(await readFile(at('a.txt'), 'utf8')).toBe('y');
  });

  it.each(changes)('must not be read-only, whoever the server is: %s', async (_name, work) => {
    await chmod(at('a.txt'), 0o444);
    await expect(work()).rejects.toThrow('a.txt is read-only (mode 0444); nothing was changed');
    expect(await readFile(at('a.txt'), 'utf8')).toBe('x');
  });

  it.each(changes)('stays one under all its names: %s', async (_name, work) => {
    await writeFile(at('a.txt'), 'x and more');
    await link(at('a.txt'), at('other.txt'));
    await work();
    expect((await stat(at('a.txt'))).nlink).toBe(2);
    expect(await readFile(at('other.txt'), 'utf8')).toMatch(/^y( and more)?$/);
  });

  it.each(changes)('is the target of a link, which stays: %s', async (_name, work) => {
    await writeFile(at('target.txt'), 'x');
    await rm(at('a.txt'));
    await symlink('target.txt', at('a.txt'));
    await work();
    expect((await lstat(at('a.txt'))).isSymbolicLink()).toBe(true);
    expect(await readFile(at('target.txt'), 'utf8')).toBe('y');
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
