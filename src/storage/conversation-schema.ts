import { boolean, index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Usage } from './shapes/stored-step.js';
import type { Todo } from './shapes/todo.js';
import { instant } from './instant.js';
import { sessions, turns } from './schema.js';

/** Tables of a conversation beside its messages: preferences, notices, todos, summaries. */

/** Preferences of users; a missing field has its default. Written by `options/preferences`. */
export const userPreferences = pgTable('user_settings', {
  userId: text('user_id').primaryKey(),
  settings: json('settings').$type<Record<string, unknown>>().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

type NoticeLevel = 'message' | 'step';

/** Notices of a turn, to the client and, where marked, to the model; one for each mark. */
export const notices = pgTable(
  'notices',
  {
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    /** Identity of the notice, which is posted once: its trigger, and the trigger's threshold. */
    mark: text('mark').notNull(),
    /** Step after which the model sees the notice; 0: before the first. */
    afterStep: integer('after_step').notNull(),
    /** Order among the notices of a step. */
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

/** The todo list of a session, whole: it is small, and replaced on every write. */
export const todos = pgTable('todos', {
  sessionId: text('session_id')
    .primaryKey()
    .references(() => sessions.id, { onDelete: 'cascade' }),
  items: json('items').$type<Todo[]>().notNull(),
  updatedAt: instant('updated_at').notNull(),
});

/** Summaries, each of all turns up to `throughTurnId`. The turns are kept. */
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
