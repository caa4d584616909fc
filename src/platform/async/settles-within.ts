import { systemClock, type Clock } from '../clock.js';

/**
 * Waits for work for at most `ms`. Work that is late goes on; `withDeadline` aborts it instead, and costs
 * more: a signal, and an error where the time is over.
 *
 * @returns whether the work was done in time. @throws what it throws in time.
 */
export async function settlesWithin(
  ms: number,
  work: Promise<unknown>,
  clock: Clock = systemClock,
): Promise<boolean> {
  let cancelTimer = (): void => undefined;
  const late = new Promise<false>((resolve) => {
    cancelTimer = clock.after(ms, () => resolve(false));
  });
  try {
    // Late work may reject: the race has taken the rejection.
    return await Promise.race([work.then(() => true), late]);
  } finally {
    cancelTimer();
  }
}
