import { testTurn } from '../../../test/support/tools/test-turn.js';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ToolFailure } from '../tool.js';
import { grep } from './grep.js';
import { newFolder } from '../../../test/support/suite.js';

let workdir: string;
beforeEach(async () => {
  workdir = newFolder();
});

const put = (name: string, content: string | Uint8Array) => writeFile(join(workdir, name), content);
const quiet = new AbortController().signal;
const find = (pattern: string, { timeoutMs = 60_000, signal = quiet, path = '.' } = {}) =>
  grep(pattern, path, { context: { turn: testTurn, workdir }, signal, timeoutMs });

describe('grep finds lines', () => {
  it.each<[string, string, string]>([
    ['without their ends', 'b$', 'a.txt:2:b'],
    ['in any case', '(?i)NEEDLE', 'a.txt:3:needle'],
    ['that are empty', '^$', 'a.txt:4:'],
    ['in no line after the last end', '^(?!.)', 'a.txt:4:'],
    ['and says where there is none', 'nothing', 'no matches'],
  ])('%s', async (_name, pattern, expected) => {
    await put('a.txt', 'a\r\nb\r\nneedle\n\n');
    expect(await find(pattern)).toBe(expected);
    expect(await find(pattern, { path: 'a.txt' })).toBe(expected);
  });

  it('of text in other encodings, and says that these are a guess', async () => {
    await put('latin1.js', Buffer.from('caf\xe9 needle', 'latin1'));
    await put('utf16.txt', Buffer.from('\uFEFFcafé needle', 'utf16le'));
    const found = (await find('caf. needle')).split('\n').sort();
    expect(found).toEqual([
      '[not UTF-8, read as Windows-1252: latin1.js]',
      'latin1.js:1:café needle',
      'utf16.txt:1:café needle',
    ]);
  });

  it('of no binary file, and names those that are too large', async () => {
    await put('a.bin', 'needle\0');
    await put('large.log', 'needle');
    await truncate(join(workdir, 'large.log'), 33 * 1024 * 1024);
    expect(await find('needle')).toBe('no matches\n[over 33554432 bytes, not searched: large.log]');
  });

  it('cut where they are long', async () => {
    await put('a.txt', `needle${'x'.repeat(3_000)}\n`.repeat(100));
    const found = await find('needle');
    expect(found.length).toBeLessThan(103_000);
    expect(found).toContain('xx [1006 more characters]\n');
    expect(found).toContain('[output truncated at 102400 characters]');
  });

  it('and refuses what is no expression', async () => {
    await expect(find('(')).rejects.toThrow('grep: SyntaxError: Invalid regular expression');
  });
});

describe('a search that would take for ever', () => {
  beforeEach(() => put('a.txt', `${'a'.repeat(40)}!\nneedle\n`));

  it('is ended at its timeout, thread and all, whatever its pattern does', async () => {
    await expect(find('(a+)+$', { timeoutMs: 200 })).rejects.toThrow(ToolFailure);
    await expect(find('(a+)+$', { timeoutMs: 200 })).rejects.toThrow('stopped after 200 ms');
    const before = process.cpuUsage();
    await setTimeout(500);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(250);
  });

  it('ends with its call', async () => {
    const reason = new Error('cancelled');
    await expect(find('(a+)+$', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stop = new AbortController();
    const ended = find('(a+)+$', { signal: stop.signal });
    stop.abort(reason);
    await expect(ended).rejects.toBe(reason);
  });
});
