import { boolean, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './instant.js';

/** Readers of turns, for turns that end when their last reader leaves. */

/**
 * The lease of a process with readers of a turn. Without a foreign key: a deleted turn's row must
 * not fail the renewal of all others.
 */
export const turnReaders = pgTable(
  'turn_readers',
  {
    turnId: text('turn_id').notNull(),
    processId: text('process_id').notNull(),
    until: instant('until').notNull(),
    /** Whether the last reader left; the lease counts until `until`. */
    hasLeft: boolean('has_left').notNull(),
  },
  (reader) => [primaryKey({ columns: [reader.turnId, reader.processId] })],
);

/** A process that serves readers, even while it has none. */
export const readerProcesses = pgTable('reader_processes', {
  processId: text('process_id').primaryKey(),
  /** Time up to which the process's readers are stored. */
  storedAt: instant('stored_at').notNull(),
  /** End of the last database outage that the process noticed; null: none. */
  awayUntil: instant('away_until'),
});
