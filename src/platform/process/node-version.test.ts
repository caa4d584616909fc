import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { nodeFault } from './node-version.js';
import { packageRoot } from './package-root.js';

describe('the Node that Turnpike runs on', () => {
  it.each(['22.15.0', '22.20.5', '24.0.0', '24.21.0', '26.10.0', '100.0.0'])('is %s', (version) => {
    expect(nodeFault(version)).toBeUndefined();
  });

  it.each(['18.20.8', '20.20.2', '22.9.0', '22.14.0'])('is not %s', (version) => {
    expect(nodeFault(version)).toBe(
      `Turnpike needs Node 22.15 or later, and this is ${version}. In place of node, call a program that brings Node 24 for this clone:\n` +
        `  ${path.join(packageRoot, 'turnpike')}\n(on Windows: npm run turnpike -- COMMAND)\n` +
        `A script of your own runs on the Node that it brings:\n  ${path.join(packageRoot, 'node_modules/.bin/node')} SCRIPT\n`,
    );
  });

  it('is installed by who has no clone', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-package-'));
    expect(nodeFault('20.20.2', folder)).toMatch(
      /^Turnpike needs Node 22\.15 or later, and this is 20\.20\.2\. Install Node 24 \(https:.*\), or run .*\n {2}npx -y --package=node-\w+-\w+@24 -c 'COMMAND'\n$/,
    );
    await rm(folder, { recursive: true });
  });
});
