import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';

const repository = fileURLToPath(new URL('../../', import.meta.url));
let page: string;
let scripts: string[];
let suites: string[];
beforeAll(async () => {
  page = await readFile(path.join(repository, 'test/evidence.md'), 'utf8');
  const manifest: unknown = JSON.parse(
    await readFile(path.join(repository, 'package.json'), 'utf8'),
  );
  scripts = Object.keys((manifest as { scripts: object }).scripts);
  const found = await Promise.all(
    ['src', 'test'].map(async (root) =>
      (await readdir(path.join(repository, root), { recursive: true })).map(
        (file) => `${root}/${file}`,
      ),
    ),
  );
  suites = found.flat().filter((file) => file.endsWith('.test.ts'));
});

/** Why an entry shows nothing; undefined for a suite, or a script, that can be run. */
function faultOf(entry: string): string | undefined {
  const [, script] = /^npm run (\S+)/.exec(entry) ?? [];
  if (script !== undefined) return scripts.includes(script) ? undefined : 'no such script';
  return suites.some((file) => file.includes(entry)) ? undefined : 'no such suite';
}

describe('the page of claims and their tests', () => {
  it('has suites and scripts that can be run', () => {
    const entries = [...page.matchAll(/\| `([^`]+)` \|$/gm)].map(([, entry = '']) => entry);
    expect(entries.length).toBeGreaterThan(20);
    const faults = entries.map((entry) => ({ entry, fault: faultOf(entry) }));
    expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });
});
