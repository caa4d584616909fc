import { Inject, Injectable } from '@nestjs/common';
import { FencedError } from '../../events/event-log.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import type { CancelReason } from '../../storage/shapes/stored-turn.js';
import { AttemptAnnouncer } from '../attempt/attempt-announcer.js';
import { AttemptOpener } from '../attempt/attempt-opener.js';
import type { Claim } from '../state/attempt.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { Lease } from '../state/lease.js';
import { endTurn } from './end-turn.js';
import { LogFlusher } from './log-flusher.js';
import { TurnPromoter } from './turn-promoter.js';

/** Ends turns that no worker has, in this process: they need not wait for a worker to end them. */
@Injectable()
export class IdleTurnEnder {
  constructor(
    private readonly opener: AttemptOpener,
    private readonly announcer: AttemptAnnouncer,
    private readonly claims: TurnClaims,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly promoter: TurnPromoter,
    private readonly logs: LogFlusher,
  ) {}

  /**
   * @param which a turn that no worker has had, a parked one, or one that lost its worker.
   * @returns false when a worker was quicker, or took the turn over meanwhile: it ends what was asked to end.
   */
  async end(
    turnId: string,
    { reason, which }: { reason: CancelReason; which: 'unstarted' | 'parked' | 'stranded' },
  ): Promise<boolean> {
    const { claims, clock } = this;
    const claim = await claims.claimToEnd(turnId, new Date(clock.now()), which);
    if (claim === undefined) return false;
    try {
      await this.#end(claim, reason);
      return true;
    } catch (error) {
      if (error instanceof FencedError) return false;
      throw error;
    }
  }

  async #end(claim: Claim, reason: CancelReason): Promise<void> {
    const { attempt, earlier } = await this.opener.open(claim, new Lease());
    await this.announcer.announce(attempt, earlier.length > 0);
    const ended = await endTurn(attempt, { outcome: 'interrupted', exitCode: 130, reason });
    if (ended.type === 'stored' && ended.hasNext) await this.promoter.promoteNext(claim.sessionId);
    await this.logs.flush(attempt);
  }
}
