import type { ManualClock } from '../support/manual-clock.js';

/** What is awaited, while time passes a second at a time. */
export async function untilDone<T>(clock: ManualClock, coming: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const settle = (): void => void (state.isDone = true);
  coming.then(settle, settle);
  while (!state.isDone) await clock.advance(1_000);
  return coming;
}
