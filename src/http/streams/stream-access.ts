import type { Clock } from '../../platform/clock.js';

/** Time after the end of a token in which its reader may come back with another, in ms. */
const GRACE_MS = 60_000;
/** Time between two looks at what ends access before its time, in ms: together with its cache less than a minute. */
const LOOK_MS = 30_000;

/** Why a stream ends before what it shows. */
export type AccessEnd = 'expired' | 'ended';

/** The access of a reader that ends by itself, or is ended. */
export interface StreamAccess {
  /** Absent: it does not end by itself. */
  expiresAt?: Date;
  /** Whether it was ended before its time. */
  hasEnded(): Promise<boolean>;
}

/** Watches the access of a reader. @param onEnd is called once. @returns ends the watch. */
export function watchAccess(
  { expiresAt, hasEnded }: StreamAccess,
  clock: Clock,
  onEnd: (reason: AccessEnd) => void,
): () => void {
  const until = expiresAt === undefined ? Infinity : expiresAt.getTime() + GRACE_MS;
  let isOver = false;
  let cancel = (): void => undefined;
  const wait = (): void => {
    if (isOver) return;
    cancel = clock.after(Math.min(LOOK_MS, Math.max(0, until - clock.now())), () => void look());
  };
  const end = (reason: AccessEnd): void => {
    if (isOver) return;
    isOver = true;
    onEnd(reason);
  };
  const look = async (): Promise<void> => {
    if (clock.now() >= until) return end('expired');
    // A database that is away ends nobody's stream: the next look is soon.
    if (await hasEnded().catch(() => false)) return end('ended');
    wait();
  };
  wait();
  return () => {
    isOver = true;
    cancel();
  };
}
