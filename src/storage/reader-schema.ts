import { boolean, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './instant.js';

/** Readers of turns, for turns that end when their last reader leaves. */

/**
 * The lease of a process that has readers of a turn. There is no foreign key: the row of a deleted
 * turn must not fail the renewal of all others.
 */
export const turnReaders = pgTable(
  'turn_readers',
  {
    turnId: text('turn_id').notNull(),
    processId: text('process_id').notNull(),
    until: instant('until').notNull(),
    /** Whether its last reader left; the lease counts until `until`. */
    hasLeft: boolean('has_left').notNull(),
  },
  (reader) => [primaryKey({ columns: [reader.turnId, reader.processId] })],
);

/** A process that serves readers, with or without any at the time. */
export const readerProcesses = pgTable('reader_processes', {
  processId: text('process_id').primaryKey(),
  /** Time up to which its readers are stored. */
  storedAt: instant('stored_at').notNull(),
  /** End of the last outage of the database that it saw; null: none. */
  awayUntil: instant('away_until'),
});
