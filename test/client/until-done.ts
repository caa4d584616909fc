import type { ManualClock } from '../support/manual-clock.js';

/** Awaits a promise while the clock is moved a second at a time. */
export async function untilDone<T>(clock: ManualClock, coming: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const settle = (): void => void (state.isDone = true);
  coming.then(settle, settle);
  while (!state.isDone) await clock.advance(1_000);
  return coming;
}
