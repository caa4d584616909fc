import { and, eq, gt, ne, sql } from 'drizzle-orm';
import type { TurnEventBody } from '../../events/turn-event.js';
import { describeReserved, type DayShortage } from '../../governance/limits/day-limit-reached.js';
import { untilAborted } from '../../platform/async/abort.js';
import { pause } from '../../platform/clock.js';
import type { Database } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { Attempt } from '../state/attempt.js';
import type { WorkerTerms } from '../state/worker-terms.js';
import {
  findReply,
  inTheEnd,
  reserveCall,
  type CallToReserve,
  type Reserved,
  type ReserveDeps,
} from './reserve-call.js';

/** Milliseconds a turn waits at most for tokens that others have reserved. */
const WAIT_MS = 30_000;

/** Milliseconds between two polls of the day. */
const LOOK_MS = 250;

/** The members of a run that a wait needs. */
export type WaitSource = Pick<Attempt, 'clock'> & {
  turn: Pick<Attempt['turn'], 'id'>;
  lease: Pick<Attempt['lease'], 'signal'>;
  writer: Pick<Attempt['writer'], 'emit'>;
  terms: Pick<WorkerTerms, 'withoutSlot'>;
  ports: { db: Database };
};

/** The wait of a call for its reservation: one deadline and one notice for all tries. */
export class ReservationWait {
  #endsAt: number | undefined;

  constructor(private readonly run: WaitSource) {}

  /**
   * Reserves a call. Where other turns have reserved the tokens and will give most of them back,
   * the call waits for them without its worker's slot, and a notice says so.
   *
   * @throws the reason of the lease when it ends.
   */
  async reserve(call: CallToReserve): Promise<Reserved> {
    const { withoutSlot } = this.run.terms;
    const deps = this.#deps();
    while (!this.#isOver()) {
      const reserved = await reserveCall(deps, { ...call, mayWait: true });
      if (reserved.type === 'reserved' || !reserved.isWorthWaiting) return reserved;
      if (!(await this.#othersRun(call))) return reserveCall(deps, call);
      this.#begin(reserved.shortage);
      await withoutSlot(() => this.#untilHeadroom(call));
    }
    deps.signal.throwIfAborted();
    return reserveCall(deps, call);
  }

  #isOver(): boolean {
    return this.#endsAt !== undefined && this.run.clock.now() >= this.#endsAt;
  }

  #begin(shortage: DayShortage): void {
    if (this.#endsAt !== undefined) return;
    this.#endsAt = this.run.clock.now() + WAIT_MS;
    this.run.writer.emit(waitNotice(shortage));
  }

  /** Headroom that is found may be gone a moment later: it is reserved only with the slot back. */
  async #untilHeadroom(call: CallToReserve): Promise<void> {
    const deps = this.#deps();
    do {
      await untilAborted(pause(deps.clock, LOOK_MS), deps.signal);
      if (!(await findReply(deps, call)).isWorthWaiting) return;
    } while (!this.#isOver() && (await this.#othersRun(call)));
  }

  /** Whether a turn may give back its reservation. A turn whose worker died gives nothing. */
  async #othersRun({ principalId }: CallToReserve): Promise<boolean> {
    const deps = this.#deps();
    const found = await inTheEnd(deps, () =>
      this.run.ports.db
        .select({ id: turns.id })
        .from(turns)
        .where(
          and(
            eq(turns.principalId, principalId),
            eq(turns.status, 'running'),
            gt(turns.leaseUntil, sql`now()`),
            ne(turns.id, this.run.turn.id),
          ),
        )
        .limit(1),
    );
    return found.length > 0;
  }

  #deps(): ReserveDeps {
    const { ports, clock, lease } = this.run;
    return { db: ports.db, clock, signal: lease.signal };
  }
}

function waitNotice(shortage: DayShortage): TurnEventBody {
  return {
    type: 'notice.posted',
    kind: 'budget-wait',
    level: 'step',
    text: `${describeReserved(shortage)} The turn waits for up to ${WAIT_MS / 1_000} s.`,
    metadata: { budget: shortage.budget, waitMs: WAIT_MS },
    seenByModel: false,
  };
}
