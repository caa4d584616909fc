import { timeOfId } from '../../platform/ids.js';
import type { FairChoice } from './fair-choice.js';

/**
 * A wake-up that is older than this, in ms, waited for a slot: turns queue, and the next has to be
 * chosen. Younger ones are claimed as they come, which is fair where no turn waits.
 */
const CONGESTED_MS = 50;

/** Chosen turns that other processes may have claimed first, before a wake-up is given up. */
const MOST_TRIES = 8;

export interface WakeUp {
  turnId: string;
  /** The turn lost its worker, or was parked: it has waited its time in the queue already. */
  isRecovered: boolean;
}

export interface ClaimFairlyDeps<T> {
  /** Milliseconds since the epoch. */
  now: number;
  choice: Pick<FairChoice, 'next' | 'done'>;
  /** @returns undefined when the turn is somebody else's, or over. */
  claim(turnId: string): Promise<T | undefined>;
}

/**
 * Claims a turn for a wake-up. There are as many wake-ups as turns that wait, but they come in the
 * order in which they were made. Where turns queue, a wake-up therefore claims the turn that is to
 * run next; that turn's own wake-up finds it gone later, and claims the next in the same way. The
 * sweeper repeats a wake-up that fails here.
 */
export async function claimFairly<T>(
  { turnId, isRecovered }: WakeUp,
  { now, choice, claim }: ClaimFairlyDeps<T>,
): Promise<T | undefined> {
  if (isRecovered) return claim(turnId);
  const isFresh = now - (timeOfId(turnId) ?? 0) <= CONGESTED_MS;
  const own = isFresh ? await claim(turnId) : undefined;
  if (own !== undefined) return own;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const chosen = await choice.next();
    if (chosen === undefined) break;
    const claimed = await claim(chosen).finally(() => choice.done(chosen));
    if (claimed !== undefined) return claimed;
  }
  // The queue is empty: the wake-up's own turn may have lost its worker all the same.
  return isFresh ? undefined : claim(turnId);
}
