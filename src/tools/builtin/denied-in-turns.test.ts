import { testTurn } from '../../../test/support/tools/test-turn.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/json.js';
import type { ToolDefinition } from '../tool.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { newFolder } from '../../../test/support/suite.js';

describe('the rules are asked about what a search found', () => {
  let workdir: string;
  beforeEach(async () => {
    workdir = newFolder();
    const names = Array.from({ length: 200 }, (_one, index) => `${index}.txt`);
    await Promise.all(names.map((name) => writeFile(join(workdir, name), 'needle\n')));
  });

  /**
   * @returns the number of paths matched with rules, in all and at most in one turn of the event
   * loop.
   */
  async function ask(tool: ToolDefinition, input: JsonObject) {
    let [all, inTurn, most] = [0, 0, 0];
    const isDenied = (): boolean => {
      all += 1;
      inTurn += 1;
      most = Math.max(most, inTurn);
      return false;
    };
    const count = (): void => {
      inTurn = 0;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const { signal } = new AbortController();
    const call = { callId: 'c', idempotencyKey: 't:c', signal, progress: () => undefined };
    await tool.open({ turn: testTurn, workdir, isDenied }).run(input, call);
    clearImmediate(next);
    return { all, most };
  }

  it.each([
    ['glob', globTool, { pattern: '*.txt' }],
    ['grep', grepTool, { pattern: 'needle' }],
  ])('in pieces, so that others have their turn: %s', async (_name, tool, input) => {
    const { all, most } = await ask(tool, input);
    // And about where the search begins.
    expect(all).toBe(201);
    expect(most).toBeLessThan(50);
  });
});
