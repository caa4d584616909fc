import { Inject, Injectable } from '@nestjs/common';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import { TurnPromoter } from '../lifecycle/turn-promoter.js';
import { IdleTurnEnder } from '../lifecycle/idle-turn-ender.js';
import { TurnClaims } from '../queue/turn-claims.js';

/** Moves turns on whose next step was left undone, for example by a process that died. */
@Injectable()
export class StrandedTurns {
  constructor(
    @Inject(TurnClaims)
    private readonly claims: Pick<
      TurnClaims,
      'wake' | 'wakeable' | 'unwanted' | 'stuckSessions' | 'orphans'
    >,
    @Inject(TurnPromoter) private readonly promoter: Pick<TurnPromoter, 'promoteNext'>,
    @Inject(TurnCanceller) private readonly canceller: Pick<TurnCanceller, 'cancel'>,
    @Inject(IdleTurnEnder) private readonly ender: Pick<IdleTurnEnder, 'end'>,
  ) {}

  /** Resumes parked turns whose answers are there. */
  async wake(): Promise<void> {
    await this.claims.wake(await this.claims.wakeable());
  }

  /** Ends held turns that were asked to end, then promotes those that no active turn holds. */
  async freeHeld(): Promise<void> {
    for (const { id, reason } of await this.claims.unwanted()) {
      await this.ender.end(id, { reason, which: 'unstarted' });
    }
    for (const sessionId of await this.claims.stuckSessions()) {
      await this.promoter.promoteNext(sessionId);
    }
  }

  /** Cancels subagents whose parent has ended. */
  async endOrphans(): Promise<void> {
    for (const turnId of await this.claims.orphans()) {
      await this.canceller.cancel(turnId, 'parent-ended');
    }
  }
}
