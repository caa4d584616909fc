import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { documentedBlocks } from '../../support/clients/documented-blocks.js';
import { startHost, type Host } from '../../support/processes/start-host.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

describe('the programs of the guide from the Claude Agent SDK', () => {
  const server = useServer();
  const hosts: Host[] = [];
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.end('SIGKILL')));
  });

  /** Runs a block in the repository, which imports the package by its name. @returns its lines. */
  async function run(
    block: number,
    environment: Record<string, string>,
    change: (code: string) => string = (code) => code,
  ): Promise<readonly string[]> {
    const code = documentedBlocks().get('docs/guide/from-the-agent-sdk.md')?.[block]?.code ?? '';
    const file = `build/documented-agent-sdk-${block}.mjs`;
    mkdirSync(path.join(packageRoot, 'build'), { recursive: true });
    writeFileSync(path.join(packageRoot, file), change(code));
    const host = startHost(file, environment);
    hosts.push(host);
    const last = block === 1 ? /^success/ : /\S/;
    let line = '';
    while (!last.test(line)) line = await host.line();
    expect(await host.end()).toBe(0);
    hosts.splice(0);
    return host.lines;
  }

  it('ask before they write', async () => {
    expect(await run(1, { TURNPIKE_URL: server.url })).toEqual([
      'tool_use',
      '→ Write note.txt',
      'text',
      'success 2',
    ]);
  });

  it('run over a server of their own', async () => {
    const folder = newFolder();
    const lines = await run(2, {}, (code) =>
      code
        .replace(".turnpike-embedded'", `${folder}'`)
        .replace('settings: {', `settings: { TURNPIKE_PROJECTS_DIR: '${folder}-projects',`),
    );
    expect(lines[0]).toMatch(/\S/);
  });
});
