import { index, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './instant.js';
import { turns } from './schema.js';

/** A judgement of a turn: yes or no, a number, or a word. */
export type FeedbackValue = boolean | number | string;

/** Feedback on turns: one value of a principal for each turn and key. */
export const feedback = pgTable(
  'feedback',
  {
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    /** What is judged: `helpful`, `accuracy`. */
    key: text('key').notNull(),
    principalId: text('principal_id').notNull(),
    value: json('value').$type<FeedbackValue>().notNull(),
    comment: text('comment'),
    /** The message of the turn that it is about; null: the turn. */
    messageId: text('message_id'),
    /** Agent and model of the turn, by which feedback is found. */
    agent: text('agent').notNull(),
    model: text('model').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (one) => [
    primaryKey({ columns: [one.turnId, one.key, one.principalId] }),
    index('feedback_by_principal').on(one.principalId, one.createdAt, one.turnId, one.key),
  ],
);
