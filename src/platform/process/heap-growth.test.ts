import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const hooks = new URL('../../../test/jest/typescript-hooks.mjs', import.meta.url).href;
const module = new URL('heap-growth.ts', import.meta.url).href;

/** Replaces objects, of which as many stay alive; resolves with the highest use of the old space, in MB. */
async function highestOldSpace(before: string): Promise<number> {
  const source = `
    import { register } from 'node:module';
    import { getHeapSpaceStatistics } from 'node:v8';
    register(${JSON.stringify(hooks)});
    const { limitHeapGrowth } = await import(${JSON.stringify(module)});
    ${before}
    const oldSpace = () => getHeapSpaceStatistics().find((one) => one.space_name === 'old_space').space_used_size;
    const alive = [];
    let highest = 0;
    for (let count = 0; count < 6_000_000; count += 1) {
      alive[count % 600_000] = { count, text: [count, count] };
      if (count % 10_000 === 0) highest = Math.max(highest, oldSpace());
    }
    console.log(highest / 2 ** 20);`;
  const args = ['--input-type=module', '-e', source];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

describe('limitHeapGrowth', () => {
  it('keeps fewer dead objects than V8 by itself', async () => {
    const [limited, unlimited] = await Promise.all([
      highestOldSpace('limitHeapGrowth();'),
      highestOldSpace(''),
    ]);
    expect(limited).toBeLessThan(0.8 * unlimited);
  });
});
