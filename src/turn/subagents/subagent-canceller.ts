import { withDeadline } from '../../platform/with-deadline.js';
import type { Attempt, TurnRun } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';
import type { ChildTurn } from '../state/child-turn.js';
import { addChildUsage } from './add-child-usage.js';
import { relayChild } from './child-relay.js';

/** How long the end of a turn waits for those of its subagents. */
const END_WAIT_MS = 10_000;

/**
 * The turn ends: so do its subagents, and its readers see that they did before it does. One that
 * does not end in time is asked to all the same; the sweeper looks after it.
 */
export async function cancelChildren(
  services: TurnServices,
  attempt: Attempt,
  withoutSlot: TurnRun['withoutSlot'],
): Promise<void> {
  const unended = attempt.children.filter(({ usage, isOver }) => usage === undefined || !isOver);
  if (unended.length === 0) return;
  // One that waits for a worker may wait for this one.
  await withoutSlot(async () => {
    await Promise.all(unended.map((child) => cancelChild(services, attempt, child)));
  });
}

async function cancelChild(
  services: TurnServices,
  attempt: Attempt,
  child: ChildTurn,
): Promise<void> {
  const { clock, logger } = services;
  try {
    if (child.usage === undefined) await services.canceller.cancel(child.id, 'parent-ended');
    const end = await withDeadline(clock, END_WAIT_MS, (signal) =>
      relayChild(services, attempt, child, { signal }),
    );
    if (end === undefined) {
      logger.warn({ childTurnId: child.id }, 'a subagent did not end with its parent');
      return attempt.writer.emit(notEnded(child));
    }
    for (const event of addChildUsage(attempt, child, end)) attempt.writer.emit(event);
  } catch (error) {
    // The parent ends whatever becomes of this: its own end must not depend on another's.
    logger.error({ childTurnId: child.id, error }, 'a subagent could not be ended');
    attempt.writer.emit(notEnded(child));
  }
}

function notEnded({ id, agent }: ChildTurn) {
  return {
    type: 'notice.posted' as const,
    kind: 'subagent-not-ended',
    level: 'message' as const,
    text: `The subagent ${agent} was asked to end and has not yet; follow it as turn ${id}.`,
    metadata: { childTurnId: id },
    seenByModel: false,
  };
}
