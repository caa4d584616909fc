import { describe, expect, it } from '@jest/globals';
import { runCalls } from './run-calls.js';
import type { ToolEffect } from '../../governance/permission-subject.js';

interface Call {
  id: string;
  effect: ToolEffect;
  inOrder: boolean;
}

const call = (id: string): Call => ({
  id,
  effect:
    id.startsWith('r') || id.startsWith('o') ? 'read' : id.startsWith('e') ? 'edit' : 'command',
  inOrder: id.startsWith('o'),
});

/** A worker whose calls the test ends. */
function setUp(ids: readonly string[], limit: number) {
  const started: string[] = [];
  const open = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const worker = ({ id }: Call): Promise<string> => {
    started.push(id);
    return new Promise((resolve, reject) => {
      open.set(id, { resolve: () => resolve(`result of ${id}`), reject });
    });
  };
  const results = runCalls(ids.map(call), worker, limit);
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  results.then(mark, mark);
  /** Lets all pending promises settle. */
  const flush = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (id: string): Promise<void> => {
    open.get(id)?.resolve();
    await flush();
  };
  const fail = async (id: string, error: Error): Promise<void> => {
    open.get(id)?.reject(error);
    await flush();
  };
  return { started, results, end, fail, flush, isSettled: () => settled };
}

describe('runCalls', () => {
  it('runs neighbouring reads side by side, as many as the limit says', async () => {
    const { started, results, end, flush } = setUp(['r1', 'r2', 'r3'], 2);
    await flush();
    expect(started).toEqual(['r1', 'r2']);
    await end('r2');
    expect(started).toEqual(['r1', 'r2', 'r3']);
    await end('r3');
    await end('r1');
    await expect(results).resolves.toEqual(['result of r1', 'result of r2', 'result of r3']);
  });

  it('runs a call with an effect alone and in its place', async () => {
    const { started, results, end, flush } = setUp(['r1', 'r2', 'e1', 'c1', 'r3', 'r4'], 8);
    await flush();
    const seen: string[][] = [[...started]];
    for (const id of ['r2', 'r1', 'e1', 'c1', 'r4', 'r3']) {
      await end(id);
      seen.push([...started]);
    }
    expect(seen.map((ids) => ids.join(' '))).toEqual([
      'r1 r2',
      'r1 r2',
      'r1 r2 e1',
      'r1 r2 e1 c1',
      'r1 r2 e1 c1 r3 r4',
      'r1 r2 e1 c1 r3 r4',
      'r1 r2 e1 c1 r3 r4',
    ]);
    await expect(results).resolves.toEqual(
      ['r1', 'r2', 'e1', 'c1', 'r3', 'r4'].map((id) => `result of ${id}`),
    );
  });

  it('runs a call that is in order alone, although it only reads', async () => {
    const { started, results, end, flush } = setUp(['r1', 'o1', 'o2', 'r2'], 8);
    await flush();
    expect(started).toEqual(['r1']);
    await end('r1');
    expect(started).toEqual(['r1', 'o1']);
    await end('o1');
    expect(started).toEqual(['r1', 'o1', 'o2']);
    await end('o2');
    await end('r2');
    await expect(results).resolves.toHaveLength(4);
  });

  it('starts nothing more after a rejection and waits for what runs', async () => {
    const { started, results, end, fail, flush, isSettled } = setUp(['r1', 'r2', 'r3', 'e1'], 2);
    const aborted = new Error('turn over');
    await flush();
    await fail('r1', aborted);
    expect(started).toEqual(['r1', 'r2']);
    expect(isSettled()).toBe(false);
    await end('r2');
    await expect(results).rejects.toBe(aborted);
    expect(started).toEqual(['r1', 'r2']);
  });

  it('rejects with the first of several rejections', async () => {
    const { results, fail, flush } = setUp(['r1', 'r2'], 2);
    const first = new Error('first');
    await flush();
    await fail('r2', first);
    await fail('r1', new Error('second'));
    await expect(results).rejects.toBe(first);
  });

  it('has no results for no calls', async () => {
    await expect(setUp([], 1).results).resolves.toEqual([]);
  });
});
