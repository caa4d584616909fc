import { Injectable } from '@nestjs/common';
import type { NoticePosted } from '../../events/turn-event.js';
import { withDeadline } from '../../platform/async/with-deadline.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import type { ChildTurn } from '../state/child-turn.js';
import type { Attempt } from '../state/attempt.js';
import type { WithoutSlot } from '../state/worker-terms.js';
import { addChildUsage } from './add-child-usage.js';
import { ChildRelay } from './child-relay.js';

/** Longest time that the end of a turn waits for the ends of its subagents, in ms. */
const END_WAIT_MS = 10_000;

/** Cancels the subagents of a turn that ends. */
@Injectable()
export class SubagentCanceller {
  constructor(
    private readonly canceller: TurnCanceller,
    private readonly relay: ChildRelay,
  ) {}

  /**
   * Cancels the subagents, and relays their ends before the parent's. A subagent that does not end in
   * time is left to the sweeper.
   */
  async cancelAll(attempt: Attempt, withoutSlot: WithoutSlot): Promise<void> {
    const unended = attempt.children.filter(({ usage, isOver }) => usage === undefined || !isOver);
    if (unended.length === 0) return;
    // A queued subagent may need the slot of this turn.
    await withoutSlot(async () => {
      await Promise.all(unended.map((child) => this.#cancel(attempt, child)));
    });
  }

  async #cancel(attempt: Attempt, child: ChildTurn): Promise<void> {
    const { clock, logger, writer, progress } = attempt;
    const fields = { childTurnId: child.id };
    try {
      if (child.usage === undefined) await this.canceller.cancel(child.id, 'parent-ended');
      const end = await withDeadline(clock, END_WAIT_MS, (signal) =>
        this.relay.relay(attempt, child, { signal }),
      );
      if (end === undefined) {
        logger.warn(fields, 'a subagent did not end with its parent');
        return writer.emit(notEnded(child));
      }
      for (const event of addChildUsage(progress, child, end)) writer.emit(event);
    } catch (error) {
      // The parent ends, whatever becomes of its subagents.
      logger.error({ ...fields, error }, 'a subagent could not be ended');
      writer.emit(notEnded(child));
    }
  }
}

function notEnded({ id, agent }: ChildTurn): NoticePosted {
  return {
    type: 'notice.posted',
    kind: 'subagent-not-ended',
    level: 'message',
    text: `The subagent ${agent} was asked to end and has not yet; follow it as turn ${id}.`,
    metadata: { childTurnId: id },
    seenByModel: false,
  };
}
