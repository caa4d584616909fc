import { boolean, index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Usage } from './shapes/stored-step.js';
import type { Todo } from './shapes/todo.js';
import { instant } from './instant.js';
import { sessions, turns } from './schema.js';

/** What is said beside the messages of a conversation, and what stands for them. */

/** What a user chose; a field that is missing has its default. Written by `options/preferences`. */
export const userPreferences = pgTable('user_settings', {
  userId: text('user_id').primaryKey(),
  settings: json('settings').$type<Record<string, unknown>>().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

type NoticeLevel = 'message' | 'step';

/** What was said about a turn while it ran, to its readers and to the model; once per mark. */
export const notices = pgTable(
  'notices',
  {
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    /** What must not be said twice: the trigger, and which of its marks. */
    mark: text('mark').notNull(),
    /** The model hears it after this step; 0: before the first. */
    afterStep: integer('after_step').notNull(),
    /** Among those after one step. */
    position: integer('position').notNull(),
    kind: text('kind').notNull(),
    level: text('level').$type<NoticeLevel>().notNull(),
    text: text('text').notNull(),
    metadata: json('metadata').$type<Record<string, unknown>>().notNull(),
    seenByModel: boolean('seen_by_model').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (notice) => [primaryKey({ columns: [notice.turnId, notice.mark] })],
);

/** A session's list, whole: it is small, and replaced at every write. */
export const todos = pgTable('todos', {
  sessionId: text('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  items: json('items').$type<Todo[]>().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/** A summary that stands for every turn up to one. The turns stay as they are. */
export const compactions = pgTable(
  'compactions',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    throughTurnId: text('through_turn_id').notNull(),
    reason: text('reason').$type<'automatic' | 'requested'>().notNull(),
    summary: text('summary').notNull(),
    usage: json('usage').$type<Usage>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (compaction) => [index('compactions_by_session').on(compaction.sessionId, compaction.createdAt)],
);
