import { and, asc, eq, isNull, sql, type SQL } from 'drizzle-orm';
import type { TurnEventBody } from '../../events/turn-event.js';
import { joinedMessages } from '../../storage/governance-schema.js';
import type { TurnRun } from '../state/turn-run.js';
import { isReplyOpen } from '../prompt/open-server-tools.js';
import { toSteeredMessage, type SteeredMessage } from './steered-messages.js';

/**
 * Delivers the messages steered since the last model call: stored with the step they come after,
 * announced as events, and part of every later call.
 */
export async function deliverSteeredMessages(run: TurnRun, step: number): Promise<void> {
  const { progress, lease, turn, writer, db } = run;
  if (lease.joined <= progress.joined.length) return;
  // A paused reply goes on where it stopped: nothing can stand between its parts.
  if (isReplyOpen(progress.steps)) return;
  const rows = await db
    .select()
    .from(joinedMessages)
    .where(and(eq(joinedMessages.turnId, turn.id), isNull(joinedMessages.afterStep)))
    .orderBy(asc(joinedMessages.position));
  const heard = rows.map((row) => toSteeredMessage({ ...row, afterStep: step - 1 }));
  if (heard.length === 0) return;
  await writer.commit(
    heard.map(messageJoined),
    heard.map(({ messageId }) => hearMessage(messageId, step - 1)),
  );
  progress.joined = [...progress.joined, ...heard];
}

/** Part of a fenced statement. */
function hearMessage(messageId: string, afterStep: number): SQL {
  return sql`update ${joinedMessages} set after_step = ${afterStep} from fence
    where ${joinedMessages.id} = ${messageId} and ${joinedMessages.turnId} = fence.id`;
}

function messageJoined(message: SteeredMessage): TurnEventBody {
  return { type: 'message.joined', ...message };
}
