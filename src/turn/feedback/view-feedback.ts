import type { feedback, FeedbackValue } from '../../storage/schema.js';

export type FeedbackRow = typeof feedback.$inferSelect;

/** Feedback as clients see it. Times are ISO-8601. */
export interface FeedbackView {
  turnId: string;
  key: string;
  value: FeedbackValue;
  comment: string | null;
  /** The message that it is about; null: the turn. */
  messageId: string | null;
  agent: string;
  model: string;
  createdAt: string;
  updatedAt: string;
}

export function viewFeedback(row: FeedbackRow): FeedbackView {
  const { turnId, key, value, comment, messageId, agent, model, createdAt, updatedAt } = row;
  return {
    turnId,
    key,
    value,
    comment,
    messageId,
    agent,
    model,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
