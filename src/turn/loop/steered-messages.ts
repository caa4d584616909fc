import { and, asc, eq, isNull } from 'drizzle-orm';
import type { TurnEventBody } from '../../events/turn-event.js';
import type { Queryable } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { writeKind } from '../../storage/write-kind.js';
import type { Attempt } from '../state/attempt.js';
import { toSteeredMessage, type SteeredMessage } from '../state/stored-turn.js';

/** Delivers the messages that wait for a turn: stored with the step they come after, and announced as events. */
export async function deliverWaiting(
  { turn, writer }: Pick<Attempt, 'turn' | 'writer'>,
  db: Queryable,
  step: number,
): Promise<SteeredMessage[]> {
  const rows = await db
    .select()
    .from(steeredMessages)
    .where(and(eq(steeredMessages.turnId, turn.id), isNull(steeredMessages.afterStep)))
    .orderBy(asc(steeredMessages.position));
  const delivered = rows.map((row) => toSteeredMessage({ ...row, afterStep: step - 1 }));
  if (delivered.length === 0) return [];
  await writer.commit(
    delivered.map(steeredEvent),
    delivered.map(({ messageId: id, afterStep }) => deliverMessage({ id, afterStep })),
  );
  return delivered;
}

/** Part of a fenced statement. */
const deliverMessage = writeKind(
  { id: steeredMessages.id, afterStep: steeredMessages.afterStep },
  (input) => `update joined_messages set after_step = input."afterStep" from ${input} input
    where joined_messages.id = input.id and joined_messages.turn_id = input.fence_id`,
);

function steeredEvent(message: SteeredMessage): TurnEventBody {
  return { type: 'message.joined', ...message };
}
