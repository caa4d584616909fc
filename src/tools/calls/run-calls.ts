import pLimit from 'p-limit';
import type { ToolEffect } from '../../governance/permission-subject.js';

export interface BatchedCall {
  effect: ToolEffect;
  /** Whether it runs alone although it only reads. Absent: no. */
  inOrder?: boolean | undefined;
}

/**
 * Runs the calls of one step. Adjacent calls that only read run in parallel; a call with an effect waits
 * for all calls before it and runs alone, and so does one that is `inOrder`, so that all calls after it see its changes.
 *
 * @param limit most calls in parallel; 1 or more.
 * @returns the results in the order of the calls.
 * @throws the first error of a worker, once all running calls have settled; queued calls never start.
 */
export async function runCalls<C extends BatchedCall, R>(
  calls: readonly C[],
  worker: (call: C) => Promise<R>,
  limit: number,
): Promise<R[]> {
  const results: R[] = [];
  for (const batch of toBatches(calls)) {
    results.push(...(await runBatch(batch, worker, limit)));
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

/** Batches of adjacent reads; any other call is a batch of its own. */
function toBatches<C extends BatchedCall>(calls: readonly C[]): C[][] {
  const batches: C[][] = [];
  let reads: C[] | undefined;
  for (const call of calls) {
    const isParallel = call.effect === 'read' && call.inOrder !== true;
    if (isParallel && reads !== undefined) {
      reads.push(call);
      continue;
    }
    const batch = [call];
    batches.push(batch);
    reads = isParallel ? batch : undefined;
  }
  return batches;
}
