import { testTurn } from '../../../test/support/tools/test-turn.js';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OwnPaths } from '../../governance/permissions/own-paths.js';
import type { JsonObject } from '../../platform/json.js';
import type { ToolContext, ToolDefinition } from '../tool.js';
import { openPathDenials, withLinkTargets } from '../calls/call-paths.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { outputText } from '../../platform/parsing/tool-output.js';
import { newFolder } from '../../../test/support/suite.js';

let base: string;
let ownPaths: OwnPaths;

beforeEach(async () => {
  base = newFolder();
  for (const folder of ['project/data/deep', 'project/data-of-mine']) {
    await mkdir(join(base, folder), { recursive: true });
    await writeFile(join(base, folder, 'a.txt'), 'needle');
  }
  await writeFile(join(base, 'project/keys.json'), 'needle');
  await symlink('data', join(base, 'project/link'));
  await symlink('project', join(base, 'alias'));
  ownPaths = {
    closed: [join(base, 'project/data')],
    hidden: [join(base, 'project/keys.json')],
    protected: [],
  };
});

async function search(
  tool: ToolDefinition,
  input: JsonObject,
  workdir = 'project',
  isDenied?: ToolContext['isDenied'],
): Promise<string> {
  const denials = isDenied === undefined ? {} : { isDenied };
  const open = tool.open({ turn: testTurn, workdir: join(base, workdir), ownPaths, ...denials });
  const { signal } = new AbortController();
  const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
  return outputText(await open.run(input, call)).trim();
}

describe('a search above hidden folders leaves them out', () => {
  it.each(['project', 'alias'])('from %s', async (workdir) => {
    expect(await search(globTool, { pattern: '**/*' }, workdir)).toBe('data-of-mine/a.txt');
    const found = 'data-of-mine/a.txt:1:needle';
    expect(await search(grepTool, { pattern: 'needle' }, workdir)).toBe(found);
    expect(await search(grepTool, { pattern: 'needle', path: '.' }, workdir)).toBe(found);
  });

  it.each(['data/**', 'link/**', 'link/deep/a.txt', '{data,link}/*/*', 'keys.json'])(
    'also by the pattern %s',
    async (pattern) => {
      expect(await search(globTool, { pattern })).toBe('no matches');
    },
  );

  it('and says that nothing was found where all was hidden', async () => {
    await rm(join(base, 'project/data-of-mine'), { recursive: true });
    expect(await search(grepTool, { pattern: 'needle' })).toBe('no matches');
  });
});

describe('a search leaves out what rules deny it', () => {
  const rules = { deny: ['read(secret/**)', 'read(**/.env)', 'glob(secret/**)'] };
  beforeEach(async () => {
    for (const name of ['secret/a.txt', '.env', 'odd:1:/.env', 'secret/a\nb:1:', 'plain:2:.txt']) {
      await mkdir(dirname(join(base, 'open', name)), { recursive: true });
      await writeFile(join(base, 'open', name), 'needle');
    }
    await symlink('open', join(base, 'to-open'));
  });

  it.each(['open', 'to-open'])('from %s', async (workdir) => {
    const offer = { layers: [], server: rules, session: {} };
    const isDenied = openPathDenials(offer, await withLinkTargets([join(base, workdir)]));
    const found = 'plain:2:.txt:1:needle\n[files that the rules deny, not searched: 4]';
    for (const input of [{ pattern: 'needle' }, { pattern: 'needle', path: '.' }]) {
      expect(await search(grepTool, input, workdir, isDenied)).toBe(found);
    }
    const files = await search(globTool, { pattern: '**/*' }, workdir, isDenied);
    expect(files.split('\n').sort()).toEqual(['.env', 'odd:1:/.env', 'plain:2:.txt']);
  });
});
