import { untilAborted } from './abort.js';

/**
 * Waits for work for at most `ms`. Work that is late goes on; `withDeadline` aborts it instead.
 *
 * @returns whether the work was done in time. @throws what it throws in time.
 */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const deadline = AbortSignal.timeout(ms);
  try {
    await untilAborted(work, deadline);
    return true;
  } catch (error) {
    if (deadline.aborted) return false;
    throw error;
  }
}
