import { boolean, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './instant.js';

/** Who reads which turn, for those that end without a reader. */

/**
 * A process that has readers of a turn, with its lease. No foreign key: a row of a turn that was
 * deleted meanwhile must not fail the renewal of all others.
 */
export const turnReaders = pgTable(
  'turn_readers',
  {
    turnId: text('turn_id').notNull(),
    processId: text('process_id').notNull(),
    until: instant('until').notNull(),
    /** Its last reader left; it counts until then. */
    hasLeft: boolean('has_left').notNull(),
  },
  (reader) => [primaryKey({ columns: [reader.turnId, reader.processId] })],
);

/** A process that readers come to, whether it has any or not. */
export const readerProcesses = pgTable('reader_processes', {
  processId: text('process_id').primaryKey(),
  /** Whatever it knew of its readers at this time is stored. */
  storedAt: instant('stored_at').notNull(),
  /** The end of the last time in which the database did not answer it; null: there was none. */
  awayUntil: instant('away_until'),
});
