import { foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './instant.js';
import { sessions } from './schema.js';

/** Tables of memory: files that turns of an agent keep for later turns of the same principal. */

/** A memory: the files of a principal and an agent. Its row is the lock of whoever writes one. */
export const memories = pgTable(
  'memories',
  {
    principalId: text('principal_id').notNull(),
    agent: text('agent').notNull(),
    /** The number of the last write; never goes back. */
    revision: integer('revision').notNull(),
  },
  (memory) => [primaryKey({ columns: [memory.principalId, memory.agent] })],
);

export const memoryFiles = pgTable(
  'memory_files',
  {
    principalId: text('principal_id').notNull(),
    agent: text('agent').notNull(),
    /** Absolute, below `/memories`. */
    path: text('path').notNull(),
    /** The memory's revision of the write. */
    version: integer('version').notNull(),
    content: text('content').notNull(),
    /** Bytes of the content in UTF-8. */
    bytes: integer('bytes').notNull(),
    /** The turn and the tool call that wrote it; null: the owner did, by the API. */
    turnId: text('turn_id'),
    callId: text('call_id'),
    updatedAt: instant('updated_at').notNull(),
  },
  (file) => [
    primaryKey({ columns: [file.principalId, file.agent, file.path] }),
    foreignKey({
      columns: [file.principalId, file.agent],
      foreignColumns: [memories.principalId, memories.agent],
    }).onDelete('cascade'),
    index('memory_files_by_time').on(file.updatedAt),
  ],
);

/** The versions of files that a session's model was shown last: a write to another one is refused. */
export const memorySeen = pgTable(
  'memory_seen',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    agent: text('agent').notNull(),
    path: text('path').notNull(),
    version: integer('version').notNull(),
  },
  (seen) => [primaryKey({ columns: [seen.sessionId, seen.agent, seen.path] })],
);
