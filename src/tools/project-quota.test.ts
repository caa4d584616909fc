import { testTurn } from '../../test/support/tools/test-turn.js';
import { link, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { untilAborted } from '../platform/async/deadlines.js';
import type { JsonObject } from '../platform/json.js';
import { editTool, writeTool } from './builtin/file-tools.js';
import { measureFolder, ProjectQuota } from './project-quota.js';
import { ToolFailure, type ToolDefinition } from './tool.js';
import { outputText } from '../platform/parsing/tool-output.js';
import { newFolder } from '../../test/support/suite.js';

const KIB = 1024;
let folder: string;
let clock: ManualClock;
let quota: ProjectQuota;
beforeEach(async () => {
  folder = newFolder();
  clock = new ManualClock();
  quota = new ProjectQuota({ folder, maxMb: 1, clock });
});

const put = (name: string, kib: number) => writeFile(join(folder, name), Buffer.alloc(kib * KIB));

async function run(tool: ToolDefinition, input: JsonObject): Promise<string> {
  const { signal } = new AbortController();
  const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
  return outputText(await tool.open({ turn: testTurn, workdir: folder, quota }).run(input, call));
}

describe('a folder', () => {
  it('has the size of what is in it: blocks, entries, and a file of two names once', async () => {
    expect(await measureFolder(join(folder, 'none'))).toBe(0);
    await mkdir(join(folder, 'deep/er'), { recursive: true });
    await put('deep/er/a', 64);
    await link(join(folder, 'deep/er/a'), join(folder, 'b'));
    await put('empty', 0);
    await put('sparse', 0);
    await truncate(join(folder, 'sparse'), 1e12);
    expect(await measureFolder(folder)).toBe((64 + 2 * 4 + 2 * 4) * KIB);
  });
});

describe('a full folder', () => {
  const refusal =
    'nothing was written. PROJECT_FULL: your project folders have 1 of 1 MiB (TURNPIKE_PROJECT_MB). Delete files, then try again.';

  it('takes no write and no edit that makes it fuller, and others', async () => {
    await put('large', 1000);
    const content = 'x'.repeat(20 * KIB);
    expect(await run(writeTool, { file_path: 'a.txt', content })).toContain('wrote');
    // What was written counts at once.
    await expect(run(writeTool, { file_path: 'b.txt', content })).rejects.toThrow(
      `write: ${refusal}`,
    );
    const edit = { file_path: 'a.txt', old_string: content, new_string: content.repeat(2) };
    await expect(run(editTool, edit)).rejects.toThrow(`edit: ${refusal}`);
    expect(await run(editTool, { ...edit, new_string: 'x' })).toContain('edited');
    expect((await readdir(folder)).sort()).toEqual(['a.txt', 'large']);
  });

  it('stops the command that filled it', async () => {
    const { signal } = new AbortController();
    const running = quota.watch(signal, async (stop) => {
      await put('large', 1100);
      const ended = untilAborted(new Promise(() => undefined), stop);
      await clock.advance(2_001);
      return ended;
    });
    await expect(running).rejects.toThrow(ToolFailure);
    await expect(running).rejects.toThrow('bash: the command was stopped. PROJECT_FULL');
  });

  it('lets one run that makes it no fuller', async () => {
    await put('large', 1100);
    const { signal } = new AbortController();
    const done = await quota.watch(signal, async (stop) => {
      await rm(join(folder, 'large'));
      await clock.advance(2_001);
      return stop.aborted;
    });
    expect(done).toBe(false);
  });
});
