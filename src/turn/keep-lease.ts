import type { Clock } from '../platform/clock.js';
import type { Lease } from './lease.js';
import type { Claim, TurnClaims } from './turn-claims.js';

export interface KeepLeaseDeps {
  claims: Pick<TurnClaims, 'extend'>;
  claim: Claim;
  lease: Lease;
  clock: Clock;
  leaseMs: number;
  onError(error: unknown): void;
}

/**
 * The heartbeat: extends the lease three times in its length, and reads with it whether somebody
 * asked for the end. A lease that could not be extended in time, be it for an error or for want of
 * an answer, is taken for lost: another worker may have the turn by now.
 */
export function keepLease(deps: KeepLeaseDeps): { beat(): Promise<void>; stop(): void } {
  const { claims, claim, lease, clock, leaseMs } = deps;
  let stopped = false;
  let cancelTimer = (): void => undefined;
  let cancelExpiry = (): void => undefined;

  const extendedAt = (time: number): void => {
    cancelExpiry();
    cancelExpiry = clock.after(time + leaseMs - clock.now(), () => lease.end('lost'));
  };
  const beat = async (): Promise<void> => {
    const askedAt = clock.now();
    try {
      const answer = await claims.extend(claim);
      if (stopped) return;
      if (answer === 'lost') return lease.end('lost');
      extendedAt(askedAt);
      if (answer.cancel !== null) lease.end(answer.cancel);
    } catch (error) {
      deps.onError(error);
    }
  };
  const schedule = (): void => {
    cancelTimer = clock.after(leaseMs / 3, () => {
      void beat().finally(() => {
        if (!stopped) schedule();
      });
    });
  };
  extendedAt(clock.now());
  schedule();
  return {
    beat,
    stop: () => {
      stopped = true;
      cancelTimer();
      cancelExpiry();
    },
  };
}
