import { and, asc, inArray, isNotNull } from 'drizzle-orm';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { Queryable } from '../../storage/connection.js';
import { messages, steps, toolCalls } from '../../storage/transcript-schema.js';
import { notices } from '../../storage/schema.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { writeKind, insertKind } from '../../storage/write-kind.js';
import type { TurnRow } from './turn-row.js';

export type StepRow = typeof steps.$inferSelect;
export type NoticeRow = typeof notices.$inferSelect;
export type CallRow = typeof toolCalls.$inferSelect;

/** A turn as the model must see it: the message, the replies and the tools' results. */
export interface StoredTurn {
  turn: TurnRow;
  userMessageId: string;
  userParts: StoredPart[];
  steps: StepRow[];
  calls: CallRow[];
  /** Notices in the order in which they were posted. */
  notices: NoticeRow[];
  /** Messages that were steered into the turn, in order. */
  steered: SteeredMessage[];
}

/** A user's message that was steered into a running turn. */
export interface SteeredMessage {
  messageId: string;
  /** The client's own id of it; null or absent: none. */
  clientId?: string | null;
  /** The step after which it is delivered; 0: before the first. */
  afterStep: number;
  text: string;
}

export type SteeredRow = typeof steeredMessages.$inferSelect;

/** Delivered messages of these turns, in order. */
export async function loadDeliveredMessages(
  db: Queryable,
  turnIds: readonly string[],
): Promise<SteeredRow[]> {
  return db
    .select()
    .from(steeredMessages)
    .where(and(inArray(steeredMessages.turnId, [...turnIds]), isNotNull(steeredMessages.afterStep)))
    .orderBy(asc(steeredMessages.afterStep), asc(steeredMessages.position));
}

export function toSteeredMessage(row: SteeredRow): SteeredMessage {
  const { id: messageId, clientId, afterStep, text } = row;
  return { messageId, clientId, afterStep: afterStep ?? 0, text };
}

/** Delivers the rest at the end of the turn, after its last step. Part of a fenced statement. */
export const unlessUndelivered = writeKind(
  { afterStep: steeredMessages.afterStep },
  (input) => `update joined_messages set after_step = input."afterStep" from ${input} input
    where joined_messages.turn_id = input.fence_id and joined_messages.after_step is null`,
);

/** Stores a step. Part of a fenced statement. */
export const insertStep = insertKind(steps, [
  'turnId',
  'step',
  'attempt',
  'parts',
  'stopReason',
  'usage',
  'sent',
  'model',
  'cacheBroken',
  'startedAt',
  'firstTokenAt',
  'endedAt',
]);

/** Stores a message. Part of a fenced statement. */
export const insertMessage = insertKind(messages, [
  'id',
  'sessionId',
  'turnId',
  'role',
  'parts',
  'createdAt',
]);

/** Stores a notice. Part of a fenced statement. */
export const insertNotice = insertKind(notices, [
  'turnId',
  'mark',
  'afterStep',
  'position',
  'kind',
  'level',
  'text',
  'metadata',
  'seenByModel',
  'createdAt',
]);
