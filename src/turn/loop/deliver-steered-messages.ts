import { and, asc, eq, isNull } from 'drizzle-orm';
import type { TurnEventBody } from '../../events/turn-event.js';
import type { Queryable } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { writeKind } from '../../storage/write-kind.js';
import type { Attempt } from '../state/attempt.js';
import { isReplyOpen } from '../prompt/open-server-tools.js';
import { toSteeredMessage, type SteeredMessage } from '../state/stored-turn.js';

/**
 * Delivers the messages steered since the last model call: stored with the step they come after,
 * announced as events, and part of every later call.
 */
export async function deliverSteeredMessages(
  { progress, lease, turn, writer }: Attempt,
  db: Queryable,
  step: number,
): Promise<void> {
  if (lease.steered <= progress.steered.length) return;
  // A paused reply goes on where it stopped: nothing can stand between its parts.
  if (isReplyOpen(progress.steps)) return;
  const rows = await db
    .select()
    .from(steeredMessages)
    .where(and(eq(steeredMessages.turnId, turn.id), isNull(steeredMessages.afterStep)))
    .orderBy(asc(steeredMessages.position));
  const delivered = rows.map((row) => toSteeredMessage({ ...row, afterStep: step - 1 }));
  if (delivered.length === 0) return;
  await writer.commit(
    delivered.map(steeredEvent),
    delivered.map(({ messageId: id, afterStep }) => deliverMessage({ id, afterStep })),
  );
  progress.steered = [...progress.steered, ...delivered];
}

/** Part of a fenced statement. */
const deliverMessage = writeKind(
  { id: steeredMessages.id, afterStep: steeredMessages.afterStep },
  (given) => `update joined_messages set after_step = given."afterStep" from ${given} given
    where joined_messages.id = given.id and joined_messages.turn_id = given.fence_id`,
);

function steeredEvent(message: SteeredMessage): TurnEventBody {
  return { type: 'message.joined', ...message };
}
