import { untilAborted } from './abort.js';

/**
 * Waits for work, but not for longer than `ms`. The work itself goes on.
 *
 * @returns whether it was done in time. @throws what it throws in time.
 */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const patience = AbortSignal.timeout(ms);
  try {
    await untilAborted(work, patience);
    return true;
  } catch (error) {
    if (patience.aborted) return false;
    throw error;
  }
}
