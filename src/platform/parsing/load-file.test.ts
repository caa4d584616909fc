import { expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { loadFile } from './load-file.js';
import { parseYaml } from './parse-text.js';
import { parseValue } from './parse-value.js';
import { newFolder } from '../../../test/support/suite.js';

const folder = newFolder();

const shape = z.record(z.string(), z.strictObject({ size: z.number(), on: z.boolean() }));

async function load(text: string | Buffer) {
  const file = path.join(folder, 'sizes.yaml');
  await writeFile(file, text);
  const kind = { variable: 'SIZES', parseText: parseYaml };
  return loadFile(file, { ...kind, check: (value) => parseValue(shape, value) }).catch(
    (error: unknown) => String(error).replaceAll(file, 'sizes.yaml'),
  );
}

it('gives the value of a file', async () => {
  expect(await load('a: { size: 1, on: true }')).toEqual({ a: { size: 1, on: true } });
});

it('takes UTF-16 with its mark, and names the file in it without', async () => {
  const wide = Buffer.from('a: { size: 1, on: true }', 'utf16le');
  const value = { a: { size: 1, on: true } };
  expect(await load(Buffer.concat([Buffer.from([0xff, 0xfe]), wide]))).toEqual(value);
  expect(await load(wide)).toContain(
    'sizes.yaml: the file is not text in UTF-8: it is binary, or UTF-16 without a byte order mark; save it as UTF-8',
  );
});

it('lists all faults by line, and says what to do', async () => {
  expect(await load('a:\n  on: yes\n  sise: 1\nb: 5')).toBe(
    [
      'FileInvalidError: SIZES is not valid:',
      '  - sizes.yaml:1: a.size is required',
      '  - sizes.yaml:2: a.on must be true or false, not "yes"',
      '  - sizes.yaml:3: a.sise is not a field; did you mean size?',
      '  - sizes.yaml:4: b must be a map, not 5',
      'Correct the file, and start again.',
    ].join('\n'),
  );
});

it.each([
  ['# nothing', 'sizes.yaml:1: the file must be a map, not null'],
  ['a: [1', 'sizes.yaml:1: the file cannot be parsed: '],
  [`# ${'x'.repeat(1_048_576)}`, 'sizes.yaml: the file is larger than 1 MiB'],
])('refuses %.20s', async (text, fault) => {
  expect(await load(text)).toContain(fault);
});

it('says that there is no file', async () => {
  const file = path.join(folder, 'none.yaml');
  const kind = { variable: 'SIZES', parseText: parseYaml, check: () => ({ value: 1 }) };
  await expect(loadFile(file, kind)).rejects.toThrow('none.yaml: the file cannot be read (ENOENT)');
});
