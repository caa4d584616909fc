import type { Clock } from '../../platform/clock.js';
import type { Lease } from '../state/lease.js';
import type { Claim } from '../state/attempt.js';
import type { TurnClaims } from '../queue/turn-claims.js';

export interface KeepLeaseDeps {
  claims: Pick<TurnClaims, 'extend'>;
  claim: Pick<Claim, 'id' | 'attempt'>;
  lease: Lease;
  clock: Clock;
  leaseMs: number;
  onError(error: unknown): void;
}

/** Moments in a third of a lease at which a process extends its leases: those that are due go together. */
const MOMENTS = 10;

/**
 * The heartbeat: extends the lease three times in its length, and learns of requests for the turn's end.
 * A lease that was not extended in time, after an error or without an answer, counts as lost: another
 * worker may have the turn.
 */
export function keepLease(deps: KeepLeaseDeps): { beat(): Promise<void>; stop(): void } {
  const { claims, claim, lease, clock, leaseMs } = deps;
  let extendedAt = clock.now();
  let stopped = false;
  let cancelTimer = (): void => undefined;

  const beat = async (): Promise<void> => {
    // An extension would keep the next worker from the takeover.
    if (lease.reason === 'lost') return;
    const askedAt = clock.now();
    // After a pause of the whole process (a sleeping laptop) the turn may still be ours: ask.
    const timeoutMs = Math.max(extendedAt + leaseMs - askedAt, leaseMs / 3);
    const cancelTimeout = clock.after(timeoutMs, () => lease.end('lost'));
    try {
      const answer = await claims.extend(claim);
      if (stopped) return;
      if (answer === 'lost') return lease.end('lost');
      extendedAt = askedAt;
      lease.steered = answer.steered;
      if (answer.cancel !== null) lease.end(answer.cancel);
    } catch (error) {
      deps.onError(error);
      if (clock.now() - extendedAt >= leaseMs) lease.end('lost');
    } finally {
      cancelTimeout();
    }
  };
  const schedule = (): void => {
    cancelTimer = clock.after(untilBeat(clock.now(), leaseMs), () => {
      void beat().finally(() => {
        if (!stopped) schedule();
      });
    });
  };
  schedule();
  return {
    beat,
    stop: () => {
      stopped = true;
      cancelTimer();
    },
  };
}

/** Milliseconds until the last of the process's moments in the next third of a lease. */
function untilBeat(now: number, leaseMs: number): number {
  const thirdMs = leaseMs / 3;
  return thirdMs - ((now + thirdMs) % (thirdMs / MOMENTS));
}

export interface RunningTurn {
  lease: Lease;
  beat(): Promise<void>;
}

/** The turns that a worker runs. One may be here twice: an attempt that lost its lease, and the next. */
export class RunningTurns {
  readonly #byId = new Map<string, Set<RunningTurn>>();

  /** @returns removes the turn. */
  add(id: string, running: RunningTurn): () => void {
    const known = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, known.add(running));
    return () => this.#remove(id, running);
  }

  /** Extends the lease at once: the turn may have been cancelled or taken over. */
  beat(id: string): void {
    for (const running of this.#byId.get(id) ?? []) void running.beat();
  }

  endAll(reason: 'shutdown'): void {
    for (const running of this.#byId.values()) {
      for (const { lease } of running) lease.end(reason);
    }
  }

  #remove(id: string, running: RunningTurn): void {
    const known = this.#byId.get(id);
    known?.delete(running);
    if (known?.size === 0) this.#byId.delete(id);
  }
}
