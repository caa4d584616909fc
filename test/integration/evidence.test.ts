import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const suiteForm =
  /^(?:TEST_RELEASE=1 )?npm run jest -- (\S+)(?: -t "([^"]+)")?(?: --selectProjects release)?$/;

let page: string;
let scripts: string[];
let suites: string[];
beforeAll(async () => {
  page = await readFile(path.join(repository, 'docs/operate/evidence.md'), 'utf8');
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

/** Why a command shows nothing; undefined for one that can be run. */
async function faultOf(command: string): Promise<string | undefined> {
  const [, pattern, title] = suiteForm.exec(command) ?? [];
  if (pattern === undefined) {
    const [, script = ''] = /^npm run (\S+)/.exec(command) ?? [];
    return scripts.includes(script) && script !== 'jest' ? undefined : 'no such script';
  }
  const files = suites.filter((file) => file.includes(pattern));
  if (files.length === 0) return 'no such suite';
  if (title === undefined) return undefined;
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(repository, file), 'utf8')),
  );
  return texts.some((text) => text.includes(title)) ? undefined : 'no such test';
}

describe('the page of claims and their tests', () => {
  it('has commands that can be run', async () => {
    const commands = [...page.matchAll(/\| `([^`]+)` \|$/gm)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(20);
    const faults = await Promise.all(
      commands.map(async (command) => ({ command, fault: await faultOf(command) })),
    );
    expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });
});
