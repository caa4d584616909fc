import pLimit from 'p-limit';
import type { ToolEffect } from '../tool.js';

export interface RunCallsOptions {
  /** Most calls that run at once; 1 or more. */
  limit: number;
}

/**
 * Runs the calls of one step. Neighbours that only read run side by side; a call with an effect
 * waits for all before it and runs alone, so that what it changes is seen by all after it.
 *
 * @returns the results in the order of the calls.
 * @throws what the first failing worker threw, once those that run have settled; the calls that
 * had not started never start.
 */
export async function runCalls<C extends { effect: ToolEffect }, R>(
  calls: readonly C[],
  worker: (call: C) => Promise<R>,
  options: RunCallsOptions,
): Promise<R[]> {
  const results: R[] = [];
  for (const batch of toBatches(calls)) {
    results.push(...(await runBatch(batch, worker, options.limit)));
  }
  return results;
}

async function runBatch<C, R>(
  batch: readonly C[],
  worker: (call: C) => Promise<R>,
  limit: number,
): Promise<R[]> {
  const run = pLimit({ concurrency: limit, rejectOnClear: true });
  const failures: unknown[] = [];
  const settled = await Promise.allSettled(
    batch.map((call) =>
      run(async () => {
        try {
          return await worker(call);
        } catch (error) {
          failures.push(error);
          run.clearQueue();
          throw error;
        }
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** Neighbouring reads together, everything else by itself. */
function toBatches<C extends { effect: ToolEffect }>(calls: readonly C[]): C[][] {
  const batches: C[][] = [];
  let reads: C[] | undefined;
  for (const call of calls) {
    if (call.effect === 'read' && reads !== undefined) {
      reads.push(call);
      continue;
    }
    const batch = [call];
    batches.push(batch);
    reads = call.effect === 'read' ? batch : undefined;
  }
  return batches;
}
