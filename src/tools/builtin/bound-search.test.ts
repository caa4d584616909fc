import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { betaGrepTool } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fromRunnable } from '../from-runnable.js';
import { ToolFailure } from '../tool-failure.js';
import { boundSearch } from './bound-search.js';

const search = fromRunnable(({ workdir }) => betaGrepTool({ workdir }), {
  effect: 'read',
  retry: 'safe',
});

describe('a search without ripgrep', () => {
  const path = process.env['PATH'];
  let workdir: string;
  beforeEach(async () => {
    workdir = await mkdtemp(join(tmpdir(), 'search-'));
    await writeFile(join(workdir, 'a.txt'), `${'a'.repeat(40)}!\nneedle\n`);
    process.env['PATH'] = workdir;
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    await rm(workdir, { recursive: true });
  });

  function find(pattern: string, timeoutMs: number, signal = new AbortController().signal) {
    const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
    return boundSearch(call, { workdir, timeoutMs }, (bounded) =>
      search.open({ workdir }).run({ pattern }, bounded),
    );
  }

  it('finds what there is', async () => {
    expect(await find('need.e', 60_000)).toContain('a.txt:2:needle');
  });

  it('is ended at its timeout, thread and all, whatever its pattern does', async () => {
    await expect(find('(a+)+$', 200)).rejects.toThrow(ToolFailure);
    await expect(find('(a+)+$', 200)).rejects.toThrow('searches without ripgrep');
    const before = process.cpuUsage();
    await setTimeout(500);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(250);
  });

  it('ends with its call', async () => {
    const reason = new Error('cancelled');
    await expect(find('(a+)+$', 60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
