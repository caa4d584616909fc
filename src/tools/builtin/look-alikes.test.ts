import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newFolder } from '../../../test/support/suite.js';
import { testTurn } from '../../../test/support/tools/test-turn.js';
import type { JsonObject } from '../../platform/json.js';
import { outputText } from '../../platform/parsing/tool-output.js';
import type { ToolContext, ToolDefinition } from '../tool.js';
import { editTool, readTool, writeTool } from './file-tools.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';

let workdir: string;
beforeEach(() => {
  workdir = newFolder();
});

const put = (name: string, text = `WORD of ${name}`): void => {
  mkdirSync(path.dirname(path.join(workdir, name)), { recursive: true });
  writeFileSync(path.join(workdir, name), text);
};

async function run(
  tool: ToolDefinition,
  input: JsonObject,
  more: Partial<ToolContext> = {},
): Promise<string> {
  const { signal } = new AbortController();
  const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
  return outputText(await tool.open({ turn: testTurn, workdir, ...more }).run(input, call));
}
const read = (name: string, more = {}) => run(readTool, { file_path: name }, more);

/** Names of files, each with the name that people and models write. */
const pairs: [string, string][] = [
  ['Screenshot at 9.22.20\u202FPM.txt', 'Screenshot at 9.22.20 PM.txt'],
  ['Sn\u00EDmek v\u00A013.05.05.txt', 'Sn\u00EDmek v 13.05.05.txt'],
  ['re\u0301sume\u0301.txt', 'r\u00E9sum\u00E9.txt'],
  ['\u00E9t\u00E9.txt', 'e\u0301te\u0301.txt'],
  ['Capture d\u2019\u00E9cran.txt', "Capture d'\u00E9cran.txt"],
  ['\u201Cquoted\u201D.txt', '"quoted".txt'],
  ['wide\u3000blank.txt', 'wide blank.txt'],
  ['a\u00A0folder/of\u202Ffiles/x.txt', 'a folder/of files/x.txt'],
];

describe('a name that looks like another', () => {
  it.each(pairs)('is read, and the output has the name that there is: %j', async (real, typed) => {
    put(real);
    expect(await read(real)).toBe(`WORD of ${real}`);
    expect(await read(typed)).toBe(`[the name is ${JSON.stringify(real)}]\nWORD of ${real}`);
    const searched = await run(grepTool, { pattern: 'WORD', path: typed });
    expect(searched).toContain(`${real}:1:WORD of`);
    expect(searched).toContain(`[the name is ${JSON.stringify(real)}]`);
  });

  it.each(pairs)('is not written, nor changed: %j', async (real, typed) => {
    put(real);
    const change = { file_path: typed, old_string: 'WORD', new_string: 'WORT' };
    const name = JSON.stringify(real);
    await expect(run(editTool, change)).rejects.toThrow(
      `edit: ${typed}: no such file or directory; there is ${name}`,
    );
    expect(readFileSync(path.join(workdir, real), 'utf8')).toContain('WORD');
    await run(writeTool, { file_path: typed, content: 'new' });
    expect(readFileSync(path.join(workdir, typed), 'utf8')).toBe('new');
    expect(readFileSync(path.join(workdir, real), 'utf8')).toContain('WORD');
  });

  it('is taken by itself where both are there, and none where two look alike', async () => {
    put('a b.txt', 'plain');
    put('a\u00A0b.txt', 'hard');
    expect(await read('a b.txt')).toBe('plain');
    expect(await read('a\u00A0b.txt')).toBe('hard');
    await expect(read('a\u202Fb.txt')).rejects.toThrow(
      'no such file or directory; there is "a b.txt", "a\u00A0b.txt"',
    );
  });

  it('is not taken, nor named, where the rules deny it, or a link leads out', async () => {
    put('secret\u00A0key.txt');
    const isDenied = (_tool: unknown, texts: readonly string[]): boolean =>
      texts.some((text) => text.includes('secret'));
    await expect(read('secret key.txt', { isDenied })).rejects.toThrow(/permission denied/);
    const outside = newFolder();
    writeFileSync(path.join(outside, 'x'), 'outside');
    symlinkSync(path.join(outside, 'x'), path.join(workdir, 'out\u00A0side'));
    await expect(read('out side')).rejects.toThrow("is outside the session's working directory");
    // What is in the other place, or is not, is not told either.
    symlinkSync(outside, path.join(workdir, 'out\u00A0folder'));
    for (const name of ['x', 'missing']) {
      await expect(read(`out folder/${name}`)).rejects.toThrow(
        "is outside the session's working directory",
      );
    }
  });
});

describe('what is not there', () => {
  it.each(['missing.txt', 'no/such/folder', 'notes.md/x'])(
    'is no empty search: %s',
    async (name) => {
      put('notes.md');
      const where = `${name}: no such file or directory`;
      await expect(run(grepTool, { pattern: 'x', path: name })).rejects.toThrow(`grep: ${where}`);
      await expect(run(globTool, { pattern: '*', path: name })).rejects.toThrow(`glob: ${where}`);
      await expect(read(name)).rejects.toThrow(`read: ${where}`);
    },
  );

  it('is told with the names that are near', async () => {
    for (const name of ['README.md', 'readme.txt', 'other.md']) put(name);
    await expect(read('Readme')).rejects.toThrow(
      'read: Readme: no such file or directory; there is "README.md", "readme.txt"',
    );
  });

  it('is a folder, where a file is named to glob', async () => {
    put('notes.md');
    await expect(run(globTool, { pattern: '*', path: 'notes.md' })).rejects.toThrow(
      'glob: "notes.md" is a file: name the folder to search in',
    );
    expect(existsSync(path.join(workdir, 'notes.md'))).toBe(true);
  });
});
